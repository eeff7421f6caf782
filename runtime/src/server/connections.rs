//! How many connections are open, in total and from one address. The workers share the counts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    load::{ConnectionLoad, NetworkUse, WaitingRequests},
    queue_gauge::QueueGauge,
};
use crate::{
    model::def::{Limit, Limits},
    service::response_memory::ResponseMemory,
};

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
    all: usize,
    networks: HashMap<[u8; 8], Network, foldhash::fast::RandomState>,
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
    /// The network that the connection counts for.
    network: Option<[u8; 8]>,
    /// What this network takes.
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
    /// which has the connections of many clients. Returns `None` if a limit is reached.
    pub(super) fn place(self: &Arc<Self>, network: Option<[u8; 8]>) -> Option<ConnectionPlace> {
        let limits = *self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = &mut *self.lock();
        if counts.all >= limits.all {
            return None;
        }
        let mut takes = None;
        if let Some(network) = network {
            let new = || Network { connections: 0, takes: NetworkUse::new(&self.memory) };
            let network = counts.networks.entry(network).or_insert_with(new);
            if network.connections >= limits.network {
                return None;
            }
            network.connections += 1;
            takes = Some(network.takes.clone());
        }
        counts.all += 1;
        Some(ConnectionPlace { connections: Arc::clone(self), network, takes })
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPlace {
    /// The load that the connection is part of, on a worker.
    pub(super) fn load(&self, queue: &Arc<QueueGauge>) -> Arc<ConnectionLoad> {
        let all = self.connections.requests.clone();
        Arc::new(ConnectionLoad::new(Arc::clone(queue), all, self.takes.clone()))
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let counts = &mut *self.connections.lock();
        counts.all -= 1;
        if let Some(network) = self.network
            && let Some(of) = counts.networks.get_mut(&network)
        {
            of.connections -= 1;
            if of.connections == 0 {
                counts.networks.remove(&network);
            }
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
        assert!(counts.all == 0 && counts.networks.is_empty(), "{counts:?}");
    }
}
