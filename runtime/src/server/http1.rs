//! Connections of HTTP/1.1 and HTTP/1.0 (RFC 9112), by hyper.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use http::{Request, Response, Version};
use http_body::Body as _;
use hyper::{body::Incoming, server::conn::http1};

use super::{
    connection::{ConnectionService, until_drained},
    deadlines::Deadlines,
    drain::Drain,
    keep_alive::{KeepAlive, Persistence},
    pending_response::PendingResponse,
    request_notes::RequestNotes,
    socket::Socket,
};
use crate::{
    base::limits::READ_AHEAD_BYTES,
    http::{body::Body, request_head::HeadLook},
    model::def::{Limit, Timeout},
};

/// The number of header fields that the HTTP library reads without more memory for each request.
const LIBRARY_HEADERS: usize = 100;

/// Serves a connection until it ends.
///
/// # Errors
/// If the client breaks the connection or the protocol, or does not read what is written to it.
pub(super) async fn serve(
    socket: Socket,
    requests: ConnectionService,
    deadlines: Deadlines,
    notes: Arc<RequestNotes>,
    drain: Drain,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let limits = requests.limits();
    let idle = limits.timeout(Timeout::KeepAliveIdle);
    let service = Http1Service {
        can_reset: socket.can_reset(),
        requests,
        deadlines: deadlines.clone(),
        notes,
        drain: drain.clone(),
        keep_alive: KeepAlive::new(idle, limits.get(Limit::KeepAliveRequests)),
    };
    // `pipeline_flush` is not set: it delays a response if any bytes follow its request, even a
    // single empty line.
    let mut builder = http1::Builder::new();
    builder
        .timer(deadlines.clone())
        .header_read_timeout(idle)
        .max_buf_size(limits.size(Limit::HeaderBytes) + READ_AHEAD_BYTES);
    if limits.size(Limit::Headers) > LIBRARY_HEADERS {
        builder.max_headers(limits.size(Limit::Headers));
    }
    let connection = builder.serve_connection(socket, service);
    let drained = until_drained(connection, drain, http1::Connection::graceful_shutdown);
    Ok(deadlines.watch(drained).await??)
}

/// The service of one connection: it handles the requests that arrive there.
struct Http1Service {
    requests: ConnectionService,
    /// Whether the client can tell a content that is cut off from one that has ended.
    can_reset: bool,
    deadlines: Deadlines,
    notes: Arc<RequestNotes>,
    drain: Drain,
    keep_alive: KeepAlive,
}

impl hyper::service::Service<Request<Incoming>> for Http1Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Http1Answer;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.notes.note_body(request.body().size_hint().exact());
        let head = HeadLook::of(&request);
        let is_old = request.version() == Version::HTTP_10;
        let persistence = match self.drain.has_begun() {
            true => Some(Persistence::Closing),
            false => self.keep_alive.count(&request, head.has_connection),
        };
        let refusal = || (!self.can_reset).then(|| self.requests.of_unknown_length());
        let old = || OldClient { deadlines: self.deadlines.clone(), refusal: refusal() };
        let old = is_old.then(|| Box::new(old()));
        let pending = self.requests.answer(request, head, self.notes.fault());
        Http1Answer { pending, old, persistence }
    }
}

/// The response to a request of HTTP/1, with the fields about its connection.
struct Http1Answer {
    pending: PendingResponse,
    old: Option<Box<OldClient>>,
    persistence: Option<Persistence>,
}

/// A client of HTTP/1.0, which cannot read chunked content. If the length of the content is
/// unknown, the end of the connection ends the content.
struct OldClient {
    deadlines: Deadlines,
    /// Replaces a response of unknown length, if the client could take a content that is cut off
    /// for complete.
    refusal: Option<Response<Body>>,
}

impl Future for Http1Answer {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut response = ready!(Pin::new(&mut self.pending).poll(context))?;
        if let Some(old) = self.old.take()
            && response.body().size_hint().exact().is_none()
        {
            old.deadlines.progress().announce_nothing();
            response = old.refusal.unwrap_or(response);
        }
        if let Some(persistence) = self.persistence.take() {
            persistence.add_to(&mut response);
        }
        Poll::Ready(Ok(response))
    }
}
