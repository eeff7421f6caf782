//! The standings of clients: their recent costs on the slow lane (the threads for slow reads). The
//! client with the lowest cost is served first. A new client starts with some cost, so a new
//! connection has no advantage.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use crate::{base::limits, plan::ClientKey};

/// The half-life of a cost: after this time, half of the cost is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(30);
/// The cost of one failure, in seconds of time on the slow lane. A failure is a read that was too
/// slow for a worker.
const FAILURE_SECONDS: f32 = 0.01;
/// The number of failures that a new client starts with. So a client whose reads are fast gains
/// nothing by opening a new connection.
const NEW_FAILURES: f32 = 1.0;
/// The number of failures that a refused read counts as. So a client that retries refused reads in
/// a loop is served after new clients.
const REFUSAL: f32 = 0.25;

/// The recent cost of a client on the slow lane (the threads for slow reads).
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Standing {
    /// The number of reads that were too slow for a worker, reduced by fast reads and by decay.
    failures: f32,
    /// The seconds that the client's reads took on the slow lane, after decay.
    seconds: f32,
    /// The time at which `failures` and `seconds` were computed.
    at: Instant,
}

impl Standing {
    const fn new(at: Instant) -> Self {
        Self { failures: NEW_FAILURES, seconds: 0.0, at }
    }

    /// The standing at the time `now`, with failures and seconds reduced by decay.
    fn decayed(self, now: Instant) -> Self {
        let half_lives =
            now.saturating_duration_since(self.at).as_secs_f32() / HALF_LIFE.as_secs_f32();
        let factor = (-half_lives).exp2();
        Self { failures: self.failures * factor, seconds: self.seconds * factor, at: now }
    }

    /// The number of reads that were too slow for a worker, after decay.
    pub(in crate::store) const fn failures(self) -> f32 {
        self.failures
    }

    /// The total cost of the client, in seconds.
    pub(in crate::store) fn cost(self) -> f32 {
        self.seconds + self.failures * FAILURE_SECONDS
    }
}

/// An event that changes the standing of a client.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) enum Event {
    /// A read of the client was fast enough for a worker.
    Success,
    /// A read of the client was too slow for a worker.
    Failure,
    /// A read of the client was refused, since the queue of the slow lane was full.
    Refusal,
    /// A read of the client has occupied a thread of the slow lane for this time.
    Occupied(Duration),
}

/// The standings (recent costs) of the most recently seen clients.
///
/// The standings are kept in two generations. When the young generation is full, it becomes the old
/// generation. The clients of the former old generation are forgotten.
#[derive(Default)]
pub(in crate::store) struct Standings {
    young: HashMap<ClientKey, Standing>,
    old: HashMap<ClientKey, Standing>,
}

impl Standings {
    /// The standing of a client at the time `now`. An unknown client has the standing of a new one.
    pub(in crate::store) fn of(&self, client: ClientKey, now: Instant) -> Standing {
        let standing = self.young.get(&client).or_else(|| self.old.get(&client));
        standing.map_or(Standing::new(now), |standing| standing.decayed(now))
    }

    /// Records an event of a client. Returns the client's new standing.
    pub(in crate::store) fn note(
        &mut self,
        client: ClientKey,
        event: Event,
        now: Instant,
    ) -> Standing {
        let mut standing = self.of(client, now);
        match event {
            Event::Success => standing.failures = (standing.failures - 1.0).max(0.0),
            Event::Failure => standing.failures += 1.0,
            Event::Refusal => standing.failures += REFUSAL,
            Event::Occupied(time) => standing.seconds += time.as_secs_f32(),
        }
        self.insert(client, standing);
        standing
    }

    fn insert(&mut self, client: ClientKey, standing: Standing) {
        if self.young.len() >= limits::SLOW_CLIENTS_MAX / 2 && !self.young.contains_key(&client) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(client, standing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_fails_is_worse_than_a_new_one_and_that_worse_than_a_proven_one() {
        let (mut standings, now) = (Standings::default(), Instant::now());
        let [proven, new, refused, failing] = [1, 2, 3, 4].map(ClientKey::Connection);
        standings.note(proven, Event::Success, now);
        standings.note(refused, Event::Refusal, now);
        standings.note(failing, Event::Failure, now);
        let cost = |client, now| standings.of(client, now).cost();
        let costs = [proven, new, refused, failing].map(|client| cost(client, now));
        assert!(costs.is_sorted_by(|a, b| a < b), "{costs:?}");
        let later = now + 10 * HALF_LIFE;
        assert!(
            cost(failing, later) < cost(new, later),
            "after ten half-lives the failure no longer counts"
        );
        assert!(cost(failing, now + HALF_LIFE) < cost(failing, now) * 0.51);
    }

    #[test]
    fn the_time_on_the_slow_lane_counts() {
        let (mut standings, now) = (Standings::default(), Instant::now());
        let [short, long] = [1, 2].map(ClientKey::Connection);
        standings.note(short, Event::Occupied(Duration::from_millis(1)), now);
        standings.note(long, Event::Occupied(Duration::from_secs(1)), now);
        assert!(standings.of(short, now).cost() < standings.of(long, now).cost());
    }

    #[test]
    fn no_more_than_so_many_are_remembered_and_those_that_come_again_are() {
        let (mut standings, now) = (Standings::default(), Instant::now());
        let faithful = ClientKey::Connection(0);
        standings.note(faithful, Event::Success, now);
        for number in 1..=4 * limits::SLOW_CLIENTS_MAX as u64 {
            standings.note(ClientKey::Connection(number), Event::Failure, now);
            if number.is_multiple_of(1000) {
                standings.note(faithful, Event::Success, now);
            }
        }
        assert!(standings.young.len() + standings.old.len() <= limits::SLOW_CLIENTS_MAX);
        assert!(
            standings.of(faithful, now).cost() < standings.of(ClientKey::Connection(1), now).cost()
        );
    }
}
