//! [`RequestScope`]: what user code, the log and the response to one request share.

use std::sync::{Arc, OnceLock};

use http::{HeaderValue, header, request::Parts};
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
    /// Adds a scope to a request, and marks its credentials as secret: user code may print the
    /// header fields with `Debug`.
    pub(crate) fn add(head: &mut Parts) {
        for name in [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE] {
            if let header::Entry::Occupied(mut values) = head.headers.entry(name) {
                values.iter_mut().for_each(|value| value.set_sensitive(true));
            }
        }
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

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn credentials_are_not_printed() {
        let request = Request::get("/")
            .header("authorization", "Basic s3cret")
            .header("cookie", "session=s3cret")
            .header("cookie", "other=s3cret")
            .header("x-shown", "shown");
        let (mut head, ()) = request.body(()).unwrap().into_parts();
        RequestScope::add(&mut head);
        let printed = format!("{head:?}");
        assert!(printed.contains("shown") && !printed.contains("s3cret"), "{printed}");
    }
}
