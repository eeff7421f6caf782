//! [`RequestScope`]: what user code, the log and the response to one request share.

use std::sync::{Arc, OnceLock};

use http::{HeaderValue, request::Parts};
use tracing::Span;

use super::request_id;

/// The id and the tracing span of a request. It is an extension of the request, and only requests
/// that may reach user code have it. Both values are made when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct RequestScope {
    id: OnceLock<HeaderValue>,
    span: OnceLock<Span>,
}

impl RequestScope {
    /// Adds a scope to a request.
    pub(crate) fn add(head: &mut Parts) {
        head.extensions.insert(Arc::new(Self::default()));
    }

    pub(crate) fn of(head: &Parts) -> Option<&Arc<Self>> {
        head.extensions.get()
    }

    /// The id of the request, if it has been needed yet.
    pub(crate) fn known_id(&self) -> Option<&HeaderValue> {
        self.id.get()
    }

    /// The id of the request: the one that the client sent, or a generated one.
    pub(crate) fn id(&self, head: &Parts) -> &HeaderValue {
        self.id.get_or_init(|| request_id::given_or_new(head))
    }

    /// The span in which user code runs.
    pub(crate) fn span(&self, make: impl FnOnce() -> Span) -> &Span {
        self.span.get_or_init(make)
    }

    /// Records the status of the response in the span, if there is one.
    pub(crate) fn record_status(&self, status: u16) {
        if let Some(span) = self.span.get() {
            span.record("status", status);
        }
    }
}
