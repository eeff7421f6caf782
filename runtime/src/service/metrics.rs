//! The counters of a service, and the document `/-/metrics` with them.
//!
//! Each thread has counters of its own, which are added up for the document. A request takes no
//! lock and writes to no memory that other threads write to. Clients choose no label: routes and
//! methods that do not exist share one.

mod counters;
mod page;
mod process;
mod routes;
mod text;
mod times;
mod visible;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http::{Method, request::Parts};

use self::{counters::RequestCounters, routes::RouteLabels, times::StageTimes};
pub(crate) use self::{routes::RouteIx, visible::Exposure};
use super::rates::Quota;
use crate::{base::per_thread::PerThread, model::Model, reply::Reply, request::route::Target};

/// The metrics of a service and its server. The services of all workers share them.
#[derive(Debug)]
pub(crate) struct Metrics {
    routes: RouteLabels,
    requests: PerThread<RequestCounters>,
    connections: Arc<ConnectionTotals>,
    /// The number of requests that wait for a bulk thread.
    bulk_waiting: Arc<AtomicUsize>,
    /// The bytes in all response caches.
    pub(crate) cache_bytes: Arc<AtomicUsize>,
}

/// The connections of a server. They change rarely, so all workers share the numbers.
#[derive(Debug, Default)]
struct ConnectionTotals {
    accepted: AtomicU64,
    refused: AtomicU64,
    closed: AtomicU64,
}

/// A request that waits for a bulk thread until this is dropped.
#[derive(Debug)]
pub(crate) struct WaitingForBulk(Arc<Metrics>);

/// An open connection, which is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct CountedConnection(Arc<Metrics>);

impl Metrics {
    pub(crate) fn new(model: &Model) -> Arc<Self> {
        let routes = RouteLabels::of(model);
        let requests = PerThread::new(routes.count());
        Arc::new(Self {
            routes,
            requests,
            connections: Arc::default(),
            bulk_waiting: Arc::default(),
            cache_bytes: Arc::default(),
        })
    }

    /// Begins to count the requests of another model, whose routes differ. Connections, queues and
    /// caches are those of before.
    pub(crate) fn with_model(&self, model: &Model) -> Arc<Self> {
        let routes = RouteLabels::of(model);
        let requests = PerThread::new(routes.count());
        let (connections, cache_bytes) =
            (Arc::clone(&self.connections), Arc::clone(&self.cache_bytes));
        let bulk_waiting = Arc::clone(&self.bulk_waiting);
        Arc::new(Self { routes, requests, connections, bulk_waiting, cache_bytes })
    }

    /// Counts a connection that was accepted.
    pub(crate) fn connect(self: &Arc<Self>) -> CountedConnection {
        self.connections.accepted.fetch_add(1, Ordering::Relaxed);
        CountedConnection(Arc::clone(self))
    }

    /// Counts a request that waits for a bulk thread.
    pub(crate) fn wait_for_bulk(self: &Arc<Self>) -> WaitingForBulk {
        self.bulk_waiting.fetch_add(1, Ordering::Relaxed);
        WaitingForBulk(Arc::clone(self))
    }

    /// Counts a connection that was one too many.
    pub(crate) fn refuse(&self) {
        self.connections.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request that has begun.
    #[inline]
    pub(super) fn begin(&self) -> RequestRecord<'_> {
        self.requests.with(|requests| requests.started.add(1));
        let route = RouteIx::UNMATCHED;
        RequestRecord { metrics: self, route, is_open: true, quota: None, times: None }
    }
}

impl Drop for WaitingForBulk {
    fn drop(&mut self) {
        self.0.bulk_waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.connections.closed.fetch_add(1, Ordering::Relaxed);
    }
}

/// A request in progress, and what is recorded of it. If this is dropped before the response, the
/// client has disconnected.
#[derive(Debug)]
pub(super) struct RequestRecord<'m> {
    metrics: &'m Metrics,
    pub(super) route: RouteIx,
    is_open: bool,
    /// The rest of the limit of the client, once the request is counted.
    pub(super) quota: Option<Quota>,
    /// The times of the stages, if the client asks for them.
    times: Option<Box<StageTimes>>,
}

impl RequestRecord<'_> {
    /// Measures the stages from now on. The request has begun at `begun`.
    #[cold]
    pub(super) fn measure(&mut self, begun: Instant) {
        self.times = Some(Box::new(StageTimes::new(begun)));
    }

    /// Records that a stage has ended, if stages are measured.
    #[inline]
    pub(super) fn mark(&mut self, stage: &'static str) {
        if let Some(times) = &mut self.times {
            times.mark(stage);
        }
    }

    /// Adds the measured times to the response.
    #[inline]
    pub(super) fn add_times(&self, model: &Model, head: &Parts, reply: &mut Reply) {
        if let Some(times) = &self.times {
            times.add_to(model, head, &mut reply.headers);
        }
    }

    /// The route of a target.
    #[inline]
    pub(super) fn route_of(&self, target: &Target) -> RouteIx {
        self.metrics.routes.route(target)
    }

    /// Finds the route of a request that is answered before it is routed.
    pub(super) fn find_route(&mut self, model: &Model, head: &Parts) {
        if let Ok(target) = Target::find(model, &head.uri) {
            self.route = self.route_of(&target);
        }
    }

    /// Counts a response from the cache.
    #[inline]
    pub(super) fn hit(&mut self) {
        self.mark("cache;desc=hit");
        self.metrics.requests.with(|requests| requests.cache_hits.add(1));
    }

    /// Counts a response that might have been in the cache.
    #[inline]
    pub(super) fn miss(&self) {
        self.metrics.requests.with(|requests| requests.cache_misses.add(1));
    }

    /// Counts the response.
    #[inline]
    pub(super) fn answered(mut self, method: &Method, reply: &Reply, time: Duration) {
        self.is_open = false;
        self.metrics.requests.with(|requests| {
            requests.answered(self.route, method, reply.status, time, reply.statements);
        });
    }

    /// Takes the request back, because another thread begins it again.
    #[cold]
    pub(super) fn moved(mut self) {
        self.is_open = false;
        self.metrics.requests.with(|requests| requests.moved.add(1));
    }
}

impl Drop for RequestRecord<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.is_open {
            self.metrics.requests.with(|requests| requests.abandoned.add(1));
        }
    }
}
