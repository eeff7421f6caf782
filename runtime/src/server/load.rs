//! [`ConnectionLoad`]: whether a request of a connection is answered, and how many requests wait.
//!
//! Most reads are answered without waiting, and cost no counting. A request that waits, for its
//! body, a write or a slow read, counts for its server and for its network until it is answered.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::Response;
use tokio::sync::Semaphore;

use super::queue_gauge::QueueGauge;
use crate::{
    base::limits,
    http::body::Body,
    model::def::{Limit, Limits},
    service::response_memory::ResponseMemory,
};

/// The load that a connection is part of.
#[derive(Debug)]
pub(super) struct ConnectionLoad {
    /// The worker of the connection.
    queue: Arc<QueueGauge>,
    /// The requests of all clients.
    all: WaitingRequests,
    /// The use of the server by the client's network. `None` for a proxy, which has many clients.
    network: Option<NetworkUse>,
}

/// The use of the server by the clients of a network together.
#[derive(Clone, Debug)]
pub(super) struct NetworkUse {
    requests: WaitingRequests,
    /// The turns on a bulk thread.
    turns: Arc<Semaphore>,
    /// The share of the memory for large responses.
    memory: Arc<ResponseMemory>,
    /// The places of exports.
    exports: Arc<Semaphore>,
}

impl NetworkUse {
    /// Nothing yet, of a server with this memory for large responses.
    pub(super) fn new(memory: &Arc<ResponseMemory>) -> Self {
        Self {
            requests: WaitingRequests::default(),
            turns: Arc::new(Semaphore::new(limits::CLIENT_BULK_MAX)),
            memory: memory.share(),
            exports: Arc::new(Semaphore::new(limits::CLIENT_EXPORTS_MAX)),
        }
    }
}

/// The number of requests that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingRequests(Arc<AtomicUsize>);

/// The place of a request that waits. It is free when this value is dropped.
#[derive(Debug)]
pub(super) struct RequestPlace(Arc<ConnectionLoad>);

impl WaitingRequests {
    fn are_fewer_than(&self, most: u64) -> bool {
        (self.0.load(Ordering::Relaxed) as u64) < most
    }
}

impl ConnectionLoad {
    pub(super) const fn new(
        queue: Arc<QueueGauge>,
        all: WaitingRequests,
        network: Option<NetworkUse>,
    ) -> Self {
        Self { queue, all, network }
    }

    /// Whether a request that has arrived is answered. Otherwise it gets a 503 at little cost.
    #[inline]
    pub(super) fn admits(&self, limits: &Limits) -> bool {
        let (all, network) = (limits.get(Limit::Requests), limits.get(Limit::ClientRequests));
        self.all.are_fewer_than(all)
            && self.network.as_ref().is_none_or(|one| one.requests.are_fewer_than(network))
            && self.queue.admits(limits)
    }

    /// Counts a request that waits from now on.
    pub(super) fn enter(self: &Arc<Self>) -> RequestPlace {
        for requests in self.counts() {
            requests.0.fetch_add(1, Ordering::Relaxed);
        }
        RequestPlace(Arc::clone(self))
    }

    /// The turns of the network on a bulk thread.
    pub(super) fn turns(&self) -> Option<Arc<Semaphore>> {
        self.network.as_ref().map(|network| Arc::clone(&network.turns))
    }

    /// The share of the network of the memory for large responses.
    pub(super) fn memory(&self) -> Option<&Arc<ResponseMemory>> {
        self.network.as_ref().map(|network| &network.memory)
    }

    /// Reserves memory for a large response, or a place for an export, in the share of the network.
    /// `None` if it has taken all of it. The response to an unsafe request is never refused.
    pub(super) fn hold(&self, response: Response<Body>, is_safe: bool) -> Option<Response<Body>> {
        let Some(NetworkUse { memory, exports, .. }) = &self.network else { return Some(response) };
        let (head, body) = response.into_parts();
        let body = match body {
            Body::Full(content) if ResponseMemory::counts(&content) => Body::Full(match is_safe {
                true => memory.hold(content)?,
                false => memory.hold_anyway(content),
            }),
            Body::Stream(stream) => {
                Body::Stream(stream.with_place(Arc::clone(exports).try_acquire_owned().ok()?))
            }
            body => body,
        };
        Some(Response::from_parts(head, body))
    }

    fn counts(&self) -> impl Iterator<Item = &WaitingRequests> {
        [&self.all].into_iter().chain(self.network.as_ref().map(|network| &network.requests))
    }
}

impl Drop for RequestPlace {
    fn drop(&mut self) {
        for requests in self.0.counts() {
            requests.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::body::Stream;

    fn load(all: &WaitingRequests, network: Option<&NetworkUse>) -> Arc<ConnectionLoad> {
        let queue = QueueGauge::new();
        Arc::new(ConnectionLoad::new(queue, all.clone(), network.cloned()))
    }

    /// One network leaves the rest of the memory for large responses to others.
    #[test]
    fn a_network_has_a_share_of_the_memory() {
        let all = WaitingRequests::default();
        let memory = Arc::new(ResponseMemory::new(4 * limits::LARGE_BODY_BYTES * 4));
        let [one, other] = [(); 2].map(|()| NetworkUse::new(&memory));
        let large = || Response::new(Body::from(vec![b'x'; limits::LARGE_BODY_BYTES * 2]));
        let (one, other) = (load(&all, Some(&one)), load(&all, Some(&other)));
        let held: Vec<_> = (0..3).map_while(|_| one.hold(large(), true)).collect();
        assert_eq!(held.len(), 2);
        assert!(
            other.hold(large(), true).is_some() && load(&all, None).hold(large(), true).is_some()
        );
        assert!(one.hold(large(), false).is_some(), "what was done is told");
        assert!(one.hold(Response::new(Body::from("small")), true).is_some());
        let export = || Response::new(Body::Stream(Stream::ENDED));
        let exports: Vec<_> = (0..9).map_while(|_| one.hold(export(), true)).collect();
        assert_eq!(exports.len(), limits::CLIENT_EXPORTS_MAX);
        assert!(other.hold(export(), true).is_some());
        drop(exports);
        assert!(one.hold(export(), true).is_some());
        drop(held);
        assert!(one.hold(large(), true).is_some());
    }

    #[test]
    fn requests_that_wait_have_limits() {
        let all = WaitingRequests::default();
        let memory = Arc::new(ResponseMemory::new(0));
        let [network, other] = [(); 2].map(|()| NetworkUse::new(&memory));
        let limits = Limits::DEFAULT.with(Limit::Requests, 3).with(Limit::ClientRequests, 2);
        let (one, two) = (load(&all, Some(&network)), load(&all, Some(&other)));
        let proxy = load(&all, None);
        let mut waiting = vec![one.enter(), one.enter()];
        assert!(!one.admits(&limits), "the network has as many as it may");
        assert!(two.admits(&limits) && proxy.admits(&limits));
        waiting.push(proxy.enter());
        assert!(!two.admits(&limits) && !proxy.admits(&limits), "the server has as many as it may");
        drop(waiting);
        assert!(one.admits(&limits) && two.admits(&limits));
        let counts = [all, network.requests, other.requests];
        let counts = counts.map(|one| one.0.load(Ordering::Relaxed));
        assert_eq!(counts, [0; 3]);
    }
}
