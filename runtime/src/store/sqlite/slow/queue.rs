//! The queue of the slow lane: few places, which clients share.
//!
//! The client with the lowest cost is served first. Each read adds to that cost, so reads of
//! several clients are served alternately. A full queue displaces a read of the client with the
//! most places, or among equals of the one with the highest cost.

use std::{cmp::Ordering, time::Instant};

use super::standing::Standing;
use crate::{base::limits, plan::ClientKey};

/// The reads that wait, in the order of their arrival.
pub(super) struct ReadQueue<T> {
    entries: Vec<QueuedRead<T>>,
    next: ReadNumber,
}

/// The number of a read, which finds it in the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ReadNumber(u64);

/// A read that waits.
#[derive(Debug)]
pub(super) struct QueuedRead<T> {
    number: ReadNumber,
    pub(super) client: ClientKey,
    /// The cost of the client when the read arrived. It does not decay while the read waits.
    cost: f32,
    since: Instant,
    pub(super) work: T,
}

/// The result of an attempt to queue a read.
#[derive(Debug)]
pub(super) enum Arrival<T> {
    /// The read has a place.
    Placed(ReadNumber),
    /// The read has the place of another one, which is refused.
    Displaced(ReadNumber, QueuedRead<T>),
    /// The read is refused.
    Refused,
}

impl<T> ReadQueue<T> {
    pub(super) const fn new() -> Self {
        Self { entries: vec![], next: ReadNumber(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Gives a read a place, if there is one for it.
    pub(super) fn put(
        &mut self,
        client: ClientKey,
        standing: Standing,
        now: Instant,
        work: T,
    ) -> Arrival<T> {
        let (places, cost) = (self.places(client), standing.cost());
        if places >= limits::SLOW_WAITING_CLIENT_MAX && !client.is_shared() {
            return Arrival::Refused;
        }
        let mut displaced = None;
        if self.entries.len() >= limits::SLOW_WAITING_MAX {
            let Some(at) = self.displaceable(places + 1, cost) else { return Arrival::Refused };
            displaced = Some(self.entries.remove(at));
        }
        let number = self.next;
        self.next = ReadNumber(number.0 + 1);
        self.entries.push(QueuedRead { number, client, cost, since: now, work });
        displaced.map_or(Arrival::Placed(number), |entry| Arrival::Displaced(number, entry))
    }

    /// Returns the queued read to evict for a new read. `places` is the number of places that the
    /// new read's client would then have.
    ///
    /// It is the newest read of the client with the most places. Among equals, the highest cost
    /// decides. Returns `None` if the new read is worse than all others.
    fn displaceable(&self, places: usize, cost: f32) -> Option<usize> {
        let load = |entry: &QueuedRead<T>| (self.places(entry.client), entry.cost);
        let worst = (0..self.entries.len())
            .max_by(|a, b| by_load(load(&self.entries[*a]), load(&self.entries[*b])))?;
        let is_worse = by_load(load(&self.entries[worst]), (places, cost)) != Ordering::Less;
        is_worse.then_some(worst)
    }

    fn places(&self, client: ClientKey) -> usize {
        self.entries.iter().filter(|entry| entry.client == client).count()
    }

    /// Takes the next read. `running` counts the reads of a client that are under way.
    pub(super) fn take(&mut self, running: impl Fn(ClientKey) -> usize) -> Option<QueuedRead<T>> {
        let load = |at: &usize| (running(self.entries[*at].client), self.entries[*at].cost);
        // Among equals it takes the first.
        let next = (0..self.entries.len()).min_by(|a, b| by_load(load(a), load(b)))?;
        Some(self.entries.remove(next))
    }

    /// Removes a read, if it still waits.
    pub(super) fn remove(&mut self, number: ReadNumber) -> Option<QueuedRead<T>> {
        let at = self.entries.binary_search_by_key(&number, |entry| entry.number).ok()?;
        Some(self.entries.remove(at))
    }

    /// Removes the reads that have waited too long.
    pub(super) fn expired(&mut self, now: Instant) -> Vec<QueuedRead<T>> {
        let is_late = |entry: &QueuedRead<T>| {
            now.saturating_duration_since(entry.since) > limits::SLOW_WAIT_MAX
        };
        let late = self.entries.iter().take_while(|entry| is_late(entry)).count();
        self.entries.drain(..late).collect()
    }

    /// Updates the cost of the waiting reads of a client.
    pub(super) fn charge(&mut self, client: ClientKey, standing: Standing) {
        let of_client = self.entries.iter_mut().filter(|entry| entry.client == client);
        of_client.for_each(|entry| entry.cost = standing.cost());
    }
}

/// The order of service: the lower number of reads first, then the lower cost.
fn by_load((reads, cost): (usize, f32), (other_reads, other_cost): (usize, f32)) -> Ordering {
    reads.cmp(&other_reads).then(cost.total_cmp(&other_cost))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{
        super::standing::{Event, Standings},
        *,
    };

    /// A queue with the standings of its clients.
    struct Bed {
        queue: ReadQueue<u64>,
        standings: Standings,
        now: Instant,
    }

    impl Bed {
        fn new() -> Self {
            Self { queue: ReadQueue::new(), standings: Standings::default(), now: Instant::now() }
        }

        fn put(&mut self, client: u64) -> Arrival<u64> {
            let connection = ClientKey::Connection(client);
            let standing = self.standings.of(connection, self.now);
            self.queue.put(connection, standing, self.now, client)
        }

        fn fill(&mut self, clients: impl IntoIterator<Item = u64>) {
            for client in clients {
                assert!(matches!(self.put(client), Arrival::Placed(_)));
            }
        }

        fn note(&mut self, client: u64, event: Event) {
            let connection = ClientKey::Connection(client);
            let standing = self.standings.note(connection, event, self.now);
            self.queue.charge(connection, standing);
        }

        /// Serves all reads, each for a while, and returns their clients.
        fn serve(&mut self) -> Vec<u64> {
            let mut served = vec![];
            while let Some(entry) = self.queue.take(|_| 0) {
                served.push(entry.work);
                self.note(entry.work, Event::Occupied(Duration::from_millis(100)));
            }
            served
        }
    }

    const ALL: u64 = limits::SLOW_WAITING_MAX as u64;
    const OF_ONE: u64 = limits::SLOW_WAITING_CLIENT_MAX as u64;

    #[test]
    fn clients_are_served_alternately() {
        let mut bed = Bed::new();
        bed.fill([1, 1, 1, 2, 2, 3]);
        assert_eq!(bed.serve(), [1, 2, 3, 1, 2, 1]);
    }

    #[test]
    fn whoever_has_cost_least_goes_first() {
        let mut bed = Bed::new();
        bed.note(1, Event::Occupied(Duration::from_secs(1)));
        bed.note(3, Event::Success);
        bed.fill([1, 2, 3]);
        assert_eq!(bed.serve(), [3, 2, 1]);
    }

    #[test]
    fn a_client_of_which_one_is_read_waits_for_those_of_which_none_is() {
        let mut bed = Bed::new();
        bed.note(2, Event::Failure);
        bed.fill([1, 2]);
        let next = bed.queue.take(|client| usize::from(client == ClientKey::Connection(1)));
        assert_eq!(next.unwrap().work, 2);
    }

    #[test]
    fn a_client_has_so_many_places_and_a_key_of_many_clients_more() {
        let mut bed = Bed::new();
        bed.fill((0..OF_ONE).map(|_| 1));
        assert!(matches!(bed.put(1), Arrival::Refused));
        let standing = bed.standings.of(ClientKey::Program, bed.now);
        for _ in OF_ONE..ALL {
            let arrival = bed.queue.put(ClientKey::Program, standing, bed.now, 2);
            assert!(matches!(arrival, Arrival::Placed(_)));
        }
        assert!(matches!(
            bed.queue.put(ClientKey::Program, standing, bed.now, 2),
            Arrival::Refused
        ));
    }

    #[test]
    fn the_newest_of_whoever_has_most_places_gives_way() {
        let mut bed = Bed::new();
        bed.fill((0..ALL).map(|at| if at < 3 { 1 } else { at }));
        let Arrival::Displaced(_, entry) = bed.put(1000) else {
            panic!("client 1 has three places")
        };
        assert_eq!((entry.work, entry.number), (1, ReadNumber(2)));
        assert!(matches!(bed.put(1), Arrival::Refused), "it would have as many as before");
    }

    #[test]
    fn where_each_has_one_whoever_has_cost_most_gives_way_and_cannot_come_back() {
        let mut bed = Bed::new();
        bed.note(7, Event::Failure);
        bed.fill(1..=ALL);
        for (newcomer, worst) in [(1001, 7), (1002, 1001)] {
            let Arrival::Displaced(_, entry) = bed.put(newcomer) else {
                panic!("{newcomer} is no worse")
            };
            assert_eq!(entry.work, worst);
            bed.note(worst, Event::Refusal);
            assert!(matches!(bed.put(worst), Arrival::Refused));
        }
    }

    #[test]
    fn a_read_whose_client_has_gone_frees_its_place_and_one_that_is_late_too() {
        let mut bed = Bed::new();
        bed.fill([1, 2, 3]);
        assert_eq!(bed.queue.remove(ReadNumber(1)).unwrap().work, 2);
        assert!(bed.queue.remove(ReadNumber(1)).is_none());
        bed.now += limits::SLOW_WAIT_MAX;
        bed.fill([4]);
        assert!(bed.queue.expired(bed.now).is_empty());
        let late = bed.queue.expired(bed.now + Duration::from_millis(1));
        assert_eq!(late.iter().map(|entry| entry.work).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(bed.queue.len(), 1);
    }
}
