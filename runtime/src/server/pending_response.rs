//! [`PendingResponse`]: the response to a request in progress.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use http::Response;

use super::load::{ConnectionLoad, RequestPlace};
use crate::{
    http::body::Body,
    service::{ResponseFuture, Service},
};

/// The response to a request in progress. If the request waits, it counts until it ends.
///
/// This is no `async` block: such a block would move the future of the service, which has a few
/// kilobytes.
pub(super) struct PendingResponse {
    response: ResponseFuture,
    service: Service,
    load: Arc<ConnectionLoad>,
    is_safe: bool,
    place: RequestCount,
}

/// Whether a request counts among those that wait.
enum RequestCount {
    /// It does so elsewhere.
    Elsewhere,
    /// It has not waited yet.
    NotYet,
    Waits {
        _place: RequestPlace,
    },
}

impl PendingResponse {
    /// The response to a request that counts while it waits. `is_safe` is whether its method is
    /// safe.
    pub(super) const fn new(
        response: ResponseFuture,
        service: Service,
        load: Arc<ConnectionLoad>,
        is_safe: bool,
    ) -> Self {
        Self { response, service, load, is_safe, place: RequestCount::NotYet }
    }

    /// The same response, of a request that counts elsewhere, or not at all.
    pub(super) fn uncounted(mut self) -> Self {
        self.place = RequestCount::Elsewhere;
        self
    }
}

impl Future for PendingResponse {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.response.as_mut().poll(context);
        if polled.is_pending() && matches!(self.place, RequestCount::NotYet) {
            self.place = RequestCount::Waits { _place: self.load.enter() };
        }
        let held = self.load.hold(ready!(polled)?, self.is_safe);
        Poll::Ready(Ok(held.unwrap_or_else(|| self.service.too_much_unread().into())))
    }
}
