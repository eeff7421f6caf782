//! The counters of requests that each thread has.

use std::{cell::RefCell, sync::OnceLock, thread::LocalKey, time::Duration};

use http::{Method, StatusCode};

use super::RouteIx;
use crate::base::{
    counter::{Counter, Histogram},
    per_thread::{OwnValues, ThreadValue},
};

/// The bounds of the time of a request, in nanoseconds. Each is about three times the one before:
/// from a cached response to a client that waits no longer.
pub(super) static TIMES: [u64; 11] = [
    100_000,
    300_000,
    1_000_000,
    3_000_000,
    10_000_000,
    30_000_000,
    100_000_000,
    300_000_000,
    1_000_000_000,
    3_000_000_000,
    10_000_000_000,
];

/// The labels of methods. All methods that the server does not implement share the last.
pub(super) const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "TRACE", "other"];

/// The labels of the classes of statuses. The server sends no informational responses here.
pub(super) const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The statuses from 100 to 999 (RFC 9110 §15).
const STATUSES: usize = 900;

/// The counters of one thread.
#[derive(Debug)]
pub(super) struct RequestCounters {
    pub(super) started: Counter,
    /// Requests whose client has disconnected before the response.
    pub(super) abandoned: Counter,
    /// Requests that another thread began again.
    pub(super) moved: Counter,
    pub(super) cache_hits: Counter,
    pub(super) cache_misses: Counter,
    pub(super) statements: Counter,
    /// Responses by status, from 100.
    pub(super) statuses: Box<[Counter]>,
    routes: Box<[OnceLock<Box<RouteCounters>>]>,
}

/// The counters of one route.
#[derive(Debug)]
pub(super) struct RouteCounters {
    /// By method and class of status.
    pub(super) answered: [[Counter; CLASSES.len()]; METHODS.len()],
    pub(super) times: Histogram<{ TIMES.len() }>,
}

thread_local! {
    static OWN: OwnValues<RequestCounters> = const { RefCell::new(vec![]) };
}

impl ThreadValue for RequestCounters {
    /// Makes counters for this number of routes.
    fn new(size: usize) -> Self {
        Self {
            started: Counter::new(),
            abandoned: Counter::new(),
            moved: Counter::new(),
            cache_hits: Counter::new(),
            cache_misses: Counter::new(),
            statements: Counter::new(),
            statuses: (0..STATUSES).map(|_| Counter::new()).collect(),
            routes: (0..size).map(|_| OnceLock::new()).collect(),
        }
    }

    fn own() -> &'static LocalKey<OwnValues<Self>> {
        &OWN
    }
}

impl RequestCounters {
    /// Counts a response.
    #[inline]
    pub(super) fn answered(
        &self,
        route: RouteIx,
        method: &Method,
        status: StatusCode,
        time: Duration,
        statements: u32,
    ) {
        let class = usize::from(status.as_u16() / 100).clamp(1, CLASSES.len()) - 1;
        if let Some(route) = self.routes.get(route.at()) {
            let route = route.get_or_init(Box::default);
            route.answered[method_ix(method)][class].add(1);
            route.times.record_time(time);
        }
        if let Some(count) = self.statuses.get(usize::from(status.as_u16()) - 100) {
            count.add(1);
        }
        self.statements.add(statements.into());
    }

    /// The counters of a route. `None` if the thread has answered no request to it.
    pub(super) fn route(&self, at: usize) -> Option<&RouteCounters> {
        self.routes.get(at)?.get().map(|route| &**route)
    }
}

impl Default for RouteCounters {
    fn default() -> Self {
        Self { answered: Default::default(), times: Histogram::new(&TIMES) }
    }
}

/// The place of a method in [`METHODS`].
#[inline]
fn method_ix(method: &Method) -> usize {
    match *method {
        Method::GET => 0,
        Method::HEAD => 1,
        Method::POST => 2,
        Method::PUT => 3,
        Method::PATCH => 4,
        Method::DELETE => 5,
        Method::OPTIONS => 6,
        Method::QUERY => 7,
        Method::TRACE => 8,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_has_the_place_of_its_label() {
        for (at, label) in METHODS.iter().enumerate() {
            assert_eq!(method_ix(&label.parse().unwrap()), at, "{label}");
        }
        assert_eq!(method_ix(&"get".parse().unwrap()), METHODS.len() - 1);
    }
}
