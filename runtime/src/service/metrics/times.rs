//! The field `Server-Timing` (W3C Server Timing): how long the stages of a request took.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts};

use crate::model::Model;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The field that lets pages of another origin read the times (W3C Resource Timing §4.5).
const TIMING_ALLOW_ORIGIN: HeaderName = HeaderName::from_static("timing-allow-origin");

/// The field that lists the preferences which the server has followed (RFC 7240 §3).
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The times of the stages of one request.
#[derive(Debug)]
pub(super) struct StageTimes {
    begun: Instant,
    last: Instant,
    /// The metrics so far, each with its name, as in the field.
    text: String,
}

impl StageTimes {
    pub(super) const fn new(begun: Instant) -> Self {
        Self { begun, last: begun, text: String::new() }
    }

    /// Records that a stage ends now. `stage` may have parameters.
    pub(super) fn mark(&mut self, stage: &str) {
        let now = Instant::now();
        append(&mut self.text, stage, now - self.last);
        self.text.push_str(", ");
        self.last = now;
    }

    /// Adds the field to a response, and lets pages of the declared origins read it.
    pub(super) fn add_to(&self, model: &Model, head: &Parts, headers: &mut HeaderMap) {
        let mut text = self.text.clone();
        append(&mut text, "total", self.begun.elapsed());
        let Ok(value) = HeaderValue::from_str(&text) else { return };
        headers.append(SERVER_TIMING, value);
        headers.append(PREFERENCE_APPLIED, HeaderValue::from_static("server-timing"));
        let origins = model.origins.as_ref();
        if let Some(origin) =
            origins.and_then(|origins| origins.allowed(head.headers.get(header::ORIGIN)))
        {
            headers.insert(TIMING_ALLOW_ORIGIN, origin);
        }
    }
}

/// Appends a metric with its duration in milliseconds. Writing to a text cannot fail.
fn append(to: &mut String, name: &str, time: Duration) {
    write!(to, "{name};dur={:.3}", time.as_secs_f64() * 1e3).ok();
}
