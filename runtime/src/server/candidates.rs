//! [`Candidates`]: the idle connections that give way next.

use std::{
    cmp::Reverse,
    sync::Arc,
    time::{Duration, Instant},
};

use super::open_connection::OpenConnection;

/// The number of connections that one look at all of them finds at most. So a client that opens
/// very many costs little for each.
const FOUND_MAX: usize = 64;

/// The time until all connections are looked at again, after none of them was idle.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// The idle connections that give way next, by their numbers. The last one gives way first.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<(u64, Arc<OpenConnection>)>,
    /// The time before which no connection is looked at.
    next_look: Option<Instant>,
}

impl Candidates {
    /// Takes the connection that gives way next. Returns `None` if none is idle.
    ///
    /// `all` returns all connections with their numbers, and with the number of connections of
    /// their networks.
    pub(super) fn take<'c, I>(&mut self, now: Instant, all: impl FnOnce() -> I) -> Option<u64>
    where
        I: Iterator<Item = (u64, &'c Arc<OpenConnection>, usize)>,
    {
        let found = self.take_found(now);
        if found.is_some() || self.next_look.is_some_and(|next| now < next) {
            return found;
        }
        let idle = all().filter_map(|(number, connection, count)| {
            Some((count, Reverse(connection.idle_since(now)?), number, connection))
        });
        let mut idle: Vec<_> = idle.collect();
        if idle.len() > FOUND_MAX {
            let first = idle.len() - FOUND_MAX;
            idle.select_nth_unstable_by_key(first, |(count, since, ..)| (*count, *since));
            idle.drain(..first);
        }
        idle.sort_unstable_by_key(|(count, since, ..)| (*count, *since));
        let found = |(_, _, number, connection): (_, _, u64, &Arc<OpenConnection>)| {
            (number, Arc::clone(connection))
        };
        self.found = idle.into_iter().map(found).collect();
        self.next_look = self.found.is_empty().then(|| now + LOOK_PAUSE);
        self.take_found(now)
    }

    /// Takes the next of those that were found, if it is still idle.
    fn take_found(&mut self, now: Instant) -> Option<u64> {
        while let Some((number, connection)) = self.found.pop() {
            if connection.idle_since(now).is_some() {
                return Some(number);
            }
        }
        None
    }
}
