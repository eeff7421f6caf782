//! The queue of the slow lane (the threads for slow reads): a limited number of places, which
//! clients share.
//!
//! The client with the lowest recent cost is served first. Each read adds to the cost of its
//! client, so the reads of several clients are served alternately. If the queue is full, a new read
//! displaces a read of the client with the most places. If several clients have the most places, a
//! read of the client with the highest cost is displaced.

use std::{cmp::Ordering, time::Instant};

use super::standing::Standing;
use crate::{base::limits, plan::ClientKey};

/// The queued reads, in the order of their arrival.
pub(in crate::store) struct ReadQueue<T> {
    entries: Vec<QueuedRead<T>>,
    next: ReadNumber,
}

/// The number of a queued read, by which the queue finds the read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) struct ReadNumber(u64);

/// A read that waits in the queue.
#[derive(Debug)]
pub(in crate::store) struct QueuedRead<T> {
    number: ReadNumber,
    pub(in crate::store) client: ClientKey,
    /// The cost of the client. It is set when the read arrives, and again when another read of the
    /// client completes. It does not decay while the read waits.
    cost: f32,
    queued_at: Instant,
    pub(in crate::store) work: T,
}

/// The result of an attempt to queue a read.
#[derive(Debug)]
pub(in crate::store) enum Arrival<T> {
    /// The read has a place in the queue.
    Placed(ReadNumber),
    /// The read has the place of another read. That read was removed from the queue and must be
    /// refused.
    Displaced(ReadNumber, QueuedRead<T>),
    /// The queue has no place for the read.
    Refused,
}

impl<T> ReadQueue<T> {
    pub(in crate::store) const fn new() -> Self {
        Self { entries: vec![], next: ReadNumber(0) }
    }

    pub(in crate::store) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a read to the queue. A client with the maximum number of places is refused, unless
    /// several clients share its key. If the queue is full, the read may displace another read.
    pub(in crate::store) fn put(
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
        self.entries.push(QueuedRead { number, client, cost, queued_at: now, work });
        displaced.map_or(Arrival::Placed(number), |entry| Arrival::Displaced(number, entry))
    }

    /// The index of the queued read that a new read displaces. `places` is the number of places of
    /// the new read's client, with the new read. `cost` is the cost of that client.
    ///
    /// The displaced read is the newest read of the client with the most places. If several clients
    /// have the most places, it is a read of the one with the highest cost. Returns `None` if that
    /// client would be the new read's own client.
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

    /// Removes the read to serve next, and returns it. `running` returns the number of running
    /// reads of a client. Clients with fewer running reads come first, then clients with a lower
    /// cost.
    pub(in crate::store) fn take(
        &mut self,
        running: impl Fn(ClientKey) -> usize,
    ) -> Option<QueuedRead<T>> {
        let load = |at: &usize| (running(self.entries[*at].client), self.entries[*at].cost);
        // `min_by` returns the first of equal elements: the read that arrived first.
        let next = (0..self.entries.len()).min_by(|a, b| by_load(load(a), load(b)))?;
        Some(self.entries.remove(next))
    }

    /// Removes a read from the queue, and returns it. `None` if the read is not queued any more.
    pub(in crate::store) fn remove(&mut self, number: ReadNumber) -> Option<QueuedRead<T>> {
        let at = self.entries.binary_search_by_key(&number, |entry| entry.number).ok()?;
        Some(self.entries.remove(at))
    }

    /// Removes the reads that have waited longer than `SLOW_WAIT_MAX`, and returns them.
    pub(in crate::store) fn expired(&mut self, now: Instant) -> Vec<QueuedRead<T>> {
        let is_late = |entry: &QueuedRead<T>| {
            now.saturating_duration_since(entry.queued_at) > limits::SLOW_WAIT_MAX
        };
        let late = self.entries.iter().take_while(|entry| is_late(entry)).count();
        self.entries.drain(..late).collect()
    }

    /// Sets the cost of a client's queued reads to the cost of the client's new standing.
    pub(in crate::store) fn charge(&mut self, client: ClientKey, standing: Standing) {
        let of_client = self.entries.iter_mut().filter(|entry| entry.client == client);
        of_client.for_each(|entry| entry.cost = standing.cost());
    }
}

/// Compares the loads of two clients: first by the number of reads, then by the cost.
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

    /// A test fixture: a queue, the standings (recent costs) of its clients, and the current time.
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

        /// Serves all queued reads, each for 100 milliseconds. Returns the clients in the order of
        /// service.
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
            panic!("a read of client 1, which has the most places, must be displaced")
        };
        assert_eq!((entry.work, entry.number), (1, ReadNumber(2)));
        assert!(
            matches!(bed.put(1), Arrival::Refused),
            "client 1 would again have the most places"
        );
    }

    #[test]
    fn where_each_has_one_whoever_has_cost_most_gives_way_and_cannot_come_back() {
        let mut bed = Bed::new();
        bed.note(7, Event::Failure);
        bed.fill(1..=ALL);
        for (newcomer, worst) in [(1001, 7), (1002, 1001)] {
            let Arrival::Displaced(_, entry) = bed.put(newcomer) else {
                panic!("the read of client {newcomer} must displace another read")
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
