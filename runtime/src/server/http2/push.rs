//! Server push (RFC 9113 §8.4), and early hints for clients that accept none (RFC 8297): the
//! members that a response refers to are sent or named before it.

use std::{
    collections::HashSet,
    hash::BuildHasher as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use foldhash::quality::RandomState;
use h2::{RecvStream, server::SendPushedResponse};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, Version,
    header, uri::PathAndQuery,
};
use http_body::Body as _;
use tokio::time::{Instant, timeout_at};

use super::{
    lifetime::RequestInProgress,
    stream::{self, Exchange},
};
use crate::{
    base::limits,
    http::{body::Body, request_head::HeadLook},
    reply::References,
    server::connection::ConnectionService,
    service::response_memory::ResponseMemory,
};

/// The fields of a request that select a representation. A promised request has them, too.
static SELECTING: [HeaderName; 3] =
    [header::ACCEPT, header::ACCEPT_ENCODING, header::ACCEPT_LANGUAGE];

/// The fields that are about the target or the content of a request. A promised request has
/// another target, and no content.
static OF_TARGET: [HeaderName; 11] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
    header::IF_RANGE,
    header::RANGE,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    header::EXPECT,
    HeaderName::from_static("prefer"),
];

/// The pushed responses of a connection.
#[derive(Debug)]
pub(super) struct Pushes {
    /// Whether the client has disabled server push (`SETTINGS_ENABLE_PUSH`).
    are_refused: AtomicBool,
    /// The number of streams that the server may have open, by the client's settings.
    streams_max: AtomicUsize,
    in_progress: AtomicUsize,
    /// The hashes of the paths that were pushed or named. If two are equal, a push is missing.
    announced: Mutex<HashSet<u64, RandomState>>,
}

/// A pushed response in progress.
struct PushPlace(Arc<Pushes>);

impl Pushes {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            are_refused: AtomicBool::new(false),
            streams_max: AtomicUsize::new(0),
            in_progress: AtomicUsize::new(0),
            announced: Mutex::default(),
        })
    }

    /// Records the number of streams that the server may have open.
    pub(super) fn allow(&self, streams_max: usize) {
        self.streams_max.store(streams_max, Ordering::Relaxed);
    }

    fn place(self: &Arc<Self>, memory: &ResponseMemory) -> Option<PushPlace> {
        let most = self.streams_max.load(Ordering::Relaxed).min(limits::PUSH_STREAMS_MAX);
        let is_full = self.in_progress.load(Ordering::Relaxed) >= most;
        if is_full || self.are_refused.load(Ordering::Relaxed) || memory.is_scarce() {
            return None;
        }
        self.in_progress.fetch_add(1, Ordering::Relaxed);
        Some(PushPlace(Arc::clone(self)))
    }

    /// Whether a path was not announced before on this connection. Then it is now.
    fn announce(&self, path: &str) -> bool {
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = announced.hasher().hash_one(path);
        announced.len() < limits::PUSHED_MAX && announced.insert(hash)
    }
}

impl Drop for PushPlace {
    fn drop(&mut self) {
        self.0.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request whose response may refer to members that are pushed.
pub(super) struct PushSource {
    uri: Uri,
    fields: HeaderMap,
    requests: ConnectionService,
    pushes: Arc<Pushes>,
}

impl PushSource {
    /// `None` if nothing is pushed with the response to a request.
    pub(super) fn of(
        request: &Request<RecvStream>,
        requests: &ConnectionService,
        pushes: Option<&Arc<Pushes>>,
    ) -> Option<Self> {
        let pushes = pushes.filter(|_| request.method() == Method::GET)?;
        let mut fields = request.headers().clone();
        OF_TARGET.iter().for_each(|name| drop(fields.remove(name)));
        let (uri, requests) = (request.uri().clone(), requests.clone());
        Some(Self { uri, fields, requests, pushes: Arc::clone(pushes) })
    }

    /// Pushes the members that a response refers to. If the client accepts no push, names them in
    /// early hints, if these are declared. Each member is announced once on a connection.
    pub(super) async fn announce(&self, exchange: &Exchange, response: &mut Response<Body>) {
        let Some(references) = response.extensions_mut().remove::<References>() else { return };
        let model = self.requests.model();
        let is_other = |path: &&str| model.urls.local(path) != self.uri.path();
        let paths = references.paths().iter().map(|path| &**path).filter(is_other);
        let paths: Vec<_> = paths.filter(|path| self.pushes.announce(path)).collect();
        let left = self.push(&paths, exchange).await;
        if !left.is_empty() && model.api.server.early_hints {
            self.hint(left, exchange, response);
        }
    }

    /// Pushes members. Returns those that the client accepts no push for.
    async fn push<'p, 'a>(&self, paths: &'a [&'p str], exchange: &Exchange) -> &'a [&'p str] {
        let memory = self.requests.memory();
        let until = Instant::now() + limits::PUSH_TIME_MAX;
        for (at, path) in paths.iter().enumerate() {
            let Some(place) = self.pushes.place(&memory) else { return &paths[at..] };
            let Ok(response) = timeout_at(until, self.answer(path)).await else { break };
            let Some((response, promise)) = response.zip(self.promise(path)) else { continue };
            let pushed = exchange.respond().push_request(promise);
            let Ok(pushed) = pushed else {
                self.pushes.are_refused.store(true, Ordering::Relaxed);
                return &paths[at..];
            };
            let request = exchange.another();
            tokio::spawn(send(pushed, response, self.requests.clone(), (place, request)));
        }
        &[]
    }

    /// The response to a promised request. It has the credentials of the request that it is
    /// promised with, so its caller may read it. `None` if it is not to be pushed.
    async fn answer(&self, path: &str) -> Option<Response<Body>> {
        let mut request = Request::new(Body::Empty);
        *request.uri_mut() = self.uri(self.requests.model().urls.local(path))?;
        *request.headers_mut() = self.fields.clone();
        *request.version_mut() = Version::HTTP_2;
        let head = HeadLook::of(&request);
        let response = self.requests.answer(request, head, None).await.ok()?;
        may_be_pushed(&response).then_some(response)
    }

    /// The request that the client is promised the response to.
    fn promise(&self, path: &str) -> Option<Request<()>> {
        let mut request = Request::new(());
        *request.uri_mut() = self.uri(self.requests.model().urls.link(path))?;
        for name in &SELECTING {
            for value in self.fields.get_all(name) {
                request.headers_mut().append(name, value.clone());
            }
        }
        Some(request)
    }

    /// The URL of a path at the origin of the request.
    fn uri(&self, path: String) -> Option<Uri> {
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::from_maybe_shared(path.into_bytes()).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// Names members before the response, and in the response, since its fields are those that
    /// the hints have announced (RFC 8297 §2).
    fn hint(&self, paths: &[&str], exchange: &Exchange, response: &mut Response<Body>) {
        let mut early = Response::new(());
        *early.status_mut() = StatusCode::EARLY_HINTS;
        for path in paths {
            let url = self.requests.model().urls.link(path);
            let link = format!("<{url}>; rel=preload; as=fetch; crossorigin");
            let Ok(link) = HeaderValue::try_from(link) else { continue };
            early.headers_mut().append(header::LINK, link.clone());
            response.headers_mut().append(header::LINK, link);
        }
        // If the stream has ended, the response cannot be sent either.
        exchange.respond().send_informational(early).ok();
    }
}

/// Whether a response is complete, and a cache may store it.
fn may_be_pushed(response: &Response<Body>) -> bool {
    let directives = response.headers().get_all(header::CACHE_CONTROL);
    let is_stored =
        |value: &HeaderValue| !value.as_bytes().windows(8).any(|word| word == b"no-store");
    response.status() == StatusCode::OK
        && response.headers().contains_key(header::ETAG)
        && response.body().size_hint().exact().is_some()
        && directives.iter().all(is_stored)
}

/// Sends the response to a promised request.
async fn send(
    mut pushed: SendPushedResponse<Bytes>,
    response: Response<Body>,
    requests: ConnectionService,
    _places: (PushPlace, RequestInProgress),
) {
    let head = |head, ends| pushed.send_response(head, ends);
    if let Err(error) = stream::send(head, response, false, &requests).await {
        tracing::debug!(target: "nouns", %error, "a pushed stream ended early");
    }
}
