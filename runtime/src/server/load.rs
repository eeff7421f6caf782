//! [`ConnectionLoad`]: whether a request of a connection is answered, and how many requests wait.
//!
//! Most reads are answered without waiting, and cost no counting. A request that waits, for its
//! body, a write or a slow read, counts for its server and for its network until it is answered.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::queue_gauge::QueueGauge;
use crate::model::def::{Limit, Limits};

/// The load that a connection is part of.
#[derive(Debug)]
pub(super) struct ConnectionLoad {
    /// The worker of the connection.
    queue: Arc<QueueGauge>,
    /// The requests of all clients.
    all: WaitingRequests,
    /// The requests of the network of the client. `None` for a proxy, which has those of many.
    network: Option<WaitingRequests>,
}

/// The number of requests that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingRequests(Arc<AtomicUsize>);

/// The place of a request that waits. It is free when this value is dropped.
struct RequestPlace<'load>(&'load ConnectionLoad);

impl WaitingRequests {
    fn are_fewer_than(&self, most: u64) -> bool {
        (self.0.load(Ordering::Relaxed) as u64) < most
    }
}

impl ConnectionLoad {
    pub(super) const fn new(
        queue: Arc<QueueGauge>,
        all: WaitingRequests,
        network: Option<WaitingRequests>,
    ) -> Self {
        Self { queue, all, network }
    }

    /// Whether a request that has arrived is answered. Otherwise it gets a 503 at little cost.
    #[inline]
    pub(super) fn admits(&self, limits: &Limits) -> bool {
        let (all, network) = (limits.get(Limit::Requests), limits.get(Limit::ClientRequests));
        self.all.are_fewer_than(all)
            && self.network.as_ref().is_none_or(|requests| requests.are_fewer_than(network))
            && self.queue.admits(limits)
    }

    /// Runs the work of a request. If it waits, it counts until it ends.
    pub(super) async fn count<F: Future>(self: Arc<Self>, work: F) -> F::Output {
        let (mut work, mut place) = (pin!(work), None);
        poll_fn(|context| {
            let polled = work.as_mut().poll(context);
            if polled.is_pending() && place.is_none() {
                place = Some(self.enter());
            }
            polled
        })
        .await
    }

    fn enter(&self) -> RequestPlace<'_> {
        for requests in self.counts() {
            requests.0.fetch_add(1, Ordering::Relaxed);
        }
        RequestPlace(self)
    }

    fn counts(&self) -> impl Iterator<Item = &WaitingRequests> {
        [&self.all].into_iter().chain(&self.network)
    }
}

impl Drop for RequestPlace<'_> {
    fn drop(&mut self) {
        for requests in self.0.counts() {
            requests.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::task::yield_now;

    use super::*;

    fn load(all: &WaitingRequests, network: Option<&WaitingRequests>) -> Arc<ConnectionLoad> {
        let queue = QueueGauge::new();
        Arc::new(ConnectionLoad::new(queue, all.clone(), network.cloned()))
    }

    #[tokio::test]
    async fn requests_that_wait_have_limits() {
        let [all, network, other] = [(); 3].map(|()| WaitingRequests::default());
        let limits = Limits::DEFAULT.with(Limit::Requests, 3).with(Limit::ClientRequests, 2);
        let (one, two) = (load(&all, Some(&network)), load(&all, Some(&other)));
        let proxy = load(&all, None);
        let wait =
            |load: &Arc<ConnectionLoad>| tokio::spawn(Arc::clone(load).count(pending::<()>()));
        Arc::clone(&one).count(async {}).await;
        let mut waiting = vec![wait(&one), wait(&one)];
        yield_now().await;
        assert!(!one.admits(&limits), "the network has as many as it may");
        assert!(two.admits(&limits) && proxy.admits(&limits));
        waiting.push(wait(&proxy));
        yield_now().await;
        assert!(!two.admits(&limits) && !proxy.admits(&limits), "the server has as many as it may");
        for request in waiting {
            request.abort();
            request.await.ok();
        }
        assert!(one.admits(&limits) && two.admits(&limits));
        let counts = [all, network, other].map(|one| one.0.load(Ordering::Relaxed));
        assert_eq!(counts, [0; 3]);
    }
}
