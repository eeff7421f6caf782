//! The numbers of open connections, in total and from one address. The workers share the counts.
//!
//! If all places are taken, an idle connection gives way to a new one: that of the network with the
//! most connections, and of those the one that is idle for longest.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{
    candidates::Candidates,
    load::{ConnectionLoad, NetworkUse, WaitingRequests},
    open_connection::OpenConnection,
    queue_gauge::QueueGauge,
};
use crate::{
    model::def::{Limit, Limits},
    service::response_memory::ResponseMemory,
};

/// The maximum number of connections that have given way and are not closed yet. They have no
/// place, but a file.
const LEAVING_MAX: usize = 64;

/// The number of open connections that a server allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// Of all clients.
    pub(super) all: usize,
    /// Of one network.
    pub(super) network: usize,
}

impl ConnectionLimits {
    /// The limits that a declaration sets.
    pub(super) fn of(limits: &Limits) -> Self {
        let (all, network) =
            (limits.size(Limit::Connections), limits.size(Limit::ClientConnections));
        Self { all, network }
    }

    /// The same limits, if the system has files for `most` connections. A network keeps its share.
    pub(super) fn within(self, most: usize) -> Self {
        match most < self.all {
            true => Self { all: most, network: (self.network * most / self.all).max(1) },
            false => self,
        }
    }
}

/// The open connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    limits: Mutex<ConnectionLimits>,
    /// The requests that wait, of all clients.
    requests: WaitingRequests,
    /// The memory for large responses of all clients.
    memory: Arc<ResponseMemory>,
    counts: Mutex<ConnectionCounts>,
}

#[derive(Debug, Default)]
struct ConnectionCounts {
    /// The connections that have a place, by their numbers.
    open: HashMap<u64, Arc<OpenConnection>, foldhash::fast::RandomState>,
    next_number: u64,
    networks: HashMap<[u8; 8], Network, foldhash::fast::RandomState>,
    candidates: Candidates,
    /// The connections that have given way and are not closed yet.
    leaving: usize,
}

/// The connections of a network, and what they take.
#[derive(Debug)]
struct Network {
    connections: usize,
    takes: NetworkUse,
}

/// The place of an open connection. It is free when this value is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    connections: Arc<Connections>,
    number: u64,
    connection: Arc<OpenConnection>,
    /// The share of the network of the connection.
    takes: Option<NetworkUse>,
}

impl Connections {
    /// No connections yet. Their networks have shares of the memory for large responses.
    pub(super) fn new(limits: ConnectionLimits, memory: &Arc<ResponseMemory>) -> Arc<Self> {
        let memory = Arc::clone(memory);
        let (requests, counts) = (WaitingRequests::default(), Mutex::default());
        Arc::new(Self { limits: Mutex::new(limits), requests, memory, counts })
    }

    /// Changes the limits. Connections that are open stay open.
    pub(super) fn set_limits(&self, limits: ConnectionLimits) {
        *self.limits.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// Takes a place for a connection. `network` is the network of the client; `None` for a proxy,
    /// which has the connections of many clients. Returns `None` if the limit of the network is
    /// reached, or if that of all is and no connection is idle.
    pub(super) fn place(self: &Arc<Self>, network: Option<[u8; 8]>) -> Option<ConnectionPlace> {
        let limits = *self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = &mut *self.lock();
        let of_network = network.and_then(|network| counts.networks.get(&network));
        if of_network.is_some_and(|network| network.connections >= limits.network) {
            return None;
        }
        if counts.open.len() >= limits.all && !counts.make_room() {
            return None;
        }
        let mut takes = None;
        if let Some(network) = network {
            let new = || Network { connections: 0, takes: NetworkUse::new(&self.memory) };
            let network = counts.networks.entry(network).or_insert_with(new);
            network.connections += 1;
            takes = Some(network.takes.clone());
        }
        let (number, connection) = (counts.next_number, OpenConnection::new(network));
        counts.next_number += 1;
        counts.open.insert(number, Arc::clone(&connection));
        Some(ConnectionPlace { connections: Arc::clone(self), number, connection, takes })
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionCounts {
    /// Makes an idle connection give way. Returns false if none is idle.
    fn make_room(&mut self) -> bool {
        if self.leaving >= LEAVING_MAX {
            return false;
        }
        let Self { open, networks, candidates, .. } = self;
        let all = || {
            let count = |connection: &OpenConnection| {
                let network = connection.network().and_then(|network| networks.get(&network));
                network.map_or(0, |network| network.connections)
            };
            open.iter().map(move |(number, one)| (*number, one, count(one)))
        };
        let Some(number) = candidates.take(Instant::now(), all) else { return false };
        let Some(connection) = self.leave(number) else { return false };
        connection.give_way();
        self.leaving += 1;
        true
    }

    /// Takes the place of a connection away. Returns `None` if it has none.
    fn leave(&mut self, number: u64) -> Option<Arc<OpenConnection>> {
        let connection = self.open.remove(&number)?;
        if let Some(network) = connection.network()
            && let Some(of) = self.networks.get_mut(&network)
        {
            of.connections -= 1;
            if of.connections == 0 {
                self.networks.remove(&network);
            }
        }
        Some(connection)
    }
}

impl ConnectionPlace {
    /// The connection that has the place.
    pub(super) const fn connection(&self) -> &Arc<OpenConnection> {
        &self.connection
    }

    /// The load that the connection is part of, on a worker.
    pub(super) fn load(&self, queue: &Arc<QueueGauge>) -> Arc<ConnectionLoad> {
        let all = self.connections.requests.clone();
        Arc::new(ConnectionLoad::new(Arc::clone(queue), all, self.takes.clone()))
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let counts = &mut *self.connections.lock();
        if counts.leave(self.number).is_none() {
            counts.leaving -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_keeps_its_share_of_fewer_connections() {
        let limits = ConnectionLimits { all: 16_384, network: 4096 };
        let within = |most| {
            let limits = limits.within(most);
            (limits.all, limits.network)
        };
        assert_eq!(within(20_000), (16_384, 4096));
        assert_eq!([within(100), within(2)], [(100, 25), (2, 1)]);
    }

    #[test]
    fn each_network_and_all_together_have_a_limit() {
        let memory = Arc::new(ResponseMemory::new(0));
        let connections = Connections::new(ConnectionLimits { all: 4, network: 2 }, &memory);
        let network = |last: u8| Some([0, 0, 0, 0, 127, 0, 0, last]);
        let mut places = vec![connections.place(network(1)), connections.place(network(1))];
        assert!(connections.place(network(1)).is_none());
        places.push(connections.place(network(2)));
        // A proxy has no limit of its own.
        places.push(connections.place(None));
        assert!(places.iter().all(Option::is_some));
        assert!(connections.place(network(3)).is_none() && connections.place(None).is_none());
        places.remove(0);
        places.push(connections.place(network(1)));
        assert!(places.iter().all(Option::is_some));
        places.clear();
        let counts = connections.lock();
        assert!(counts.open.is_empty() && counts.networks.is_empty(), "{counts:?}");
    }

    /// Connections of the network with the most give way first, and of those the oldest. One that
    /// has given way does not count any more, and leaves its place once.
    #[test]
    fn idle_connections_give_way_to_new_ones() {
        let memory = Arc::new(ResponseMemory::new(0));
        let connections = Connections::new(ConnectionLimits { all: 6, network: 6 }, &memory);
        let network = |last: u8| Some([0, 0, 0, 0, 127, 0, 0, last]);
        let place = |of: Option<[u8; 8]>| connections.place(of);
        let mut places: Vec<_> =
            [None, network(1), network(2), network(2), network(2), network(1)].map(place).into();
        let gives_way = |places: &[Option<ConnectionPlace>]| {
            let all = places.iter().flatten();
            all.map(|place| place.connection.is_giving_way()).collect::<Vec<_>>()
        };
        assert!(connections.place(network(3)).is_none(), "none is idle for long enough");
        std::thread::sleep(crate::base::limits::GIVE_WAY_IDLE_MIN);
        // All were looked at a moment ago.
        connections.lock().candidates = Candidates::default();
        places.push(place(network(3)));
        assert_eq!(gives_way(&places), [false, false, true, false, false, false, false]);
        places.push(place(network(3)));
        assert_eq!(gives_way(&places), [false, false, true, true, false, false, false, false]);
        assert_eq!(connections.lock().leaving, 2);
        places.clear();
        let counts = connections.lock();
        let is_empty = counts.open.is_empty() && counts.networks.is_empty();
        assert!(is_empty && counts.leaving == 0, "{counts:?}");
    }
}
