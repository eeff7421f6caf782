//! Persistent connections of HTTP/1.1: how many requests a connection has, and the field
//! `Keep-Alive` (RFC 2068 §19.7.1, RFC 9112 §9.3).

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};

static KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// The requests of one connection.
#[derive(Debug)]
pub(super) struct KeepAlive {
    /// The maximum time between two requests.
    idle: Duration,
    /// The maximum number of requests.
    most: u64,
    /// The number of requests so far.
    count: AtomicU64,
}

/// The persistence of a connection that a response announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    /// The connection stays open for this time, and for this many further requests.
    Open { idle: Duration, left: u64 },
    /// The connection is closed after the response.
    Closing,
}

impl KeepAlive {
    pub(super) const fn new(idle: Duration, most: u64) -> Self {
        Self { idle, most, count: AtomicU64::new(0) }
    }

    /// Counts a request. Returns what the response says about the connection. `None` if it says
    /// nothing: connections of HTTP/1.1 stay open, and only clients that ask are told how long.
    /// `has_connection` is whether the request has the field `Connection`.
    pub(super) fn count<B>(
        &self,
        request: &Request<B>,
        has_connection: bool,
    ) -> Option<Persistence> {
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        let left = self.most.saturating_sub(before + 1);
        if left == 0 {
            return Some(Persistence::Closing);
        }
        (has_connection && has_option(request.headers(), "keep-alive"))
            .then_some(Persistence::Open { idle: self.idle, left })
    }
}

impl Persistence {
    /// Adds the header fields to a response. A response that closes the connection for another
    /// reason keeps its fields.
    pub(super) fn add_to<B>(self, response: &mut Response<B>) {
        let fields = response.headers_mut();
        if has_option(fields, "close") {
            return;
        }
        let Self::Open { idle, left } = self else {
            fields.insert(header::CONNECTION, HeaderValue::from_static("close"));
            return;
        };
        let text = format!("timeout={}, max={left}", idle.as_secs());
        if let Ok(value) = HeaderValue::from_str(&text) {
            fields.insert(&KEEP_ALIVE, value);
            fields.insert(header::CONNECTION, HeaderValue::from_static("keep-alive"));
        }
    }
}

/// Whether the field `Connection` has an option.
fn has_option(fields: &HeaderMap, option: &str) -> bool {
    let lists = fields.get_all(header::CONNECTION).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|one| one.trim().eq_ignore_ascii_case(option))
}
