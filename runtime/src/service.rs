//! The service: it runs the stages of a request in order, turns errors and panics into responses,
//! and logs each request.

pub(crate) mod cache;
mod callers;
mod calls;
mod identities;
pub(crate) mod lifecycle;
mod log;
mod nested;
pub(crate) mod response_memory;

use std::{mem, pin::pin, sync::Arc, time::Instant};

use bytes::Buf;
use http::{HeaderMap, HeaderValue, Method, Request, Uri, header, request::Parts};
use http_body::Body as _;
use http_body_util::BodyExt;

pub(crate) use self::calls::ResponseFuture;
pub use self::nested::Nested;
use self::{
    cache::{Cache, Lookup, may_cache},
    identities::Identities,
    lifecycle::Lifecycle,
    response_memory::ResponseMemory,
};
use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
        unwind::{catch_unwind, caught},
    },
    http::{body::Body, request_head::HeadFault, request_scope::RequestScope},
    model::{
        Model, Place, RuleSet,
        def::{Limit, Limits, Timeout},
    },
    perform,
    plan::{Caller, ClientKey, ResponseKey},
    reply::{Reply, add_headers},
    request::{
        access,
        action::{Action, discard_body},
        enclosed,
        identify::Claim,
        route::Target,
    },
    store::{PageTooLarge, Store},
};

/// A hyper service that serves a model from a store. It takes requests with any body type.
///
/// Clones are cheap, and the futures are `Send`, so any async runtime can embed the service.
#[derive(Clone, Debug)]
pub struct Service(Arc<ServiceState>);

#[derive(Debug)]
struct ServiceState {
    model: Arc<Model>,
    store: Store,
    cache: Cache,
    memory: Arc<ResponseMemory>,
    lifecycle: Lifecycle,
    identities: Identities,
    /// Whether a request may reach user code.
    has_code: bool,
    /// Whether a request may have the secret of a session in its URL or in a form.
    may_enclose: bool,
}

/// The value of `Retry-After` in seconds, for a client that was refused for lack of memory. After
/// this time the connections of clients that do not read have been closed.
const RETRY_SECONDS: u16 = 2;

impl Service {
    /// Creates the service for a store, with the store's model.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self::with_cache(store, limits::CACHE_BYTES)
    }

    /// Creates a service like [`Service::new`], with a response cache of this many bytes; 0
    /// disables the cache.
    ///
    /// A repeated request for a page or a member is answered from the cache. A cached response is
    /// valid as long as the tables that it was made from have not changed. Changes by other
    /// processes count too. The default is [`limits::CACHE_BYTES`] for each worker of a server.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Service, Store};
    ///
    /// fn without_cache(store: Store) -> Service {
    ///     Service::with_cache(store, 0)
    /// }
    /// ```
    #[must_use]
    pub fn with_cache(store: Store, bytes: usize) -> Self {
        let memory = Arc::new(ResponseMemory::new(limits::RESPONSE_BYTES_MAX));
        Self::of(store, bytes, memory, Lifecycle::default())
    }

    /// Sets the limit in bytes on the memory for large responses that clients have not read yet.
    /// The default is [`limits::RESPONSE_BYTES_MAX`]. Clones of the service and the workers of a
    /// server share the limit.
    ///
    /// A response that would exceed the limit is replaced by a 503, unless it reports a change that
    /// was made. Before the limit is reached, the server of this crate closes connections whose
    /// clients do not read.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Service, Store};
    ///
    /// fn of_little_memory(store: Store) -> Service {
    ///     Service::new(store).with_response_memory(64 * 1024 * 1024)
    /// }
    /// ```
    #[must_use]
    pub fn with_response_memory(self, bytes: usize) -> Self {
        Self::of(
            self.0.store.clone(),
            self.0.cache.bytes_max(),
            Arc::new(ResponseMemory::new(bytes)),
            self.0.lifecycle.clone(),
        )
    }

    fn of(store: Store, cache: usize, memory: Arc<ResponseMemory>, lifecycle: Lifecycle) -> Self {
        let (model, cache) = (Arc::clone(store.model()), Cache::new(cache));
        let has_code = model.has_code();
        let (identities, may_enclose) = (Identities::default(), enclosed::is_possible(&model));
        Self(Arc::new(ServiceState {
            model,
            store,
            cache,
            memory,
            lifecycle,
            identities,
            has_code,
            may_enclose,
        }))
    }

    /// Returns the limit on the memory for large responses.
    pub(crate) fn memory(&self) -> &Arc<ResponseMemory> {
        &self.0.memory
    }

    /// Returns the store that the service reads and writes.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Handles a request. The future always returns a reply: errors and panics become problem
    /// responses (RFC 9457).
    pub async fn reply<B>(&self, request: Request<B>) -> Reply
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.reply_to(None, request).await
    }

    /// Handles a request like [`Service::reply`], for a client that the server may have identified.
    async fn reply_to<B>(&self, client: Option<ClientKey>, request: Request<B>) -> Reply
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.reply_here(client, request).await.unwrap_or_else(|head| {
            Reply::problem(
                &self.0.model,
                &Error::internal("the response was too large for a bulk thread"),
                &head,
            )
        })
    }

    /// Handles a request on a worker thread. If the response is too large for a worker, returns the
    /// head of the request as the error.
    async fn reply_here<B>(
        &self,
        client: Option<ClientKey>,
        request: Request<B>,
    ) -> Result<Reply, Parts>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let begun = Instant::now();
        let (mut head, body) = request.into_parts();
        if self.0.has_code {
            RequestScope::add(&mut head);
        }
        let body = pin!(body);
        let mut body = body.fuse();
        let client = client.unwrap_or_else(|| ClientKey::identify(&head, &self.0.model.proxies));
        let enclosed = match self.0.may_enclose {
            true => Box::pin(enclosed::take(&self.0.model, &mut head, &mut body)).await,
            false => Ok(()),
        };
        let mut result = match enclosed {
            Ok(()) => catch_unwind(pin!(self.answer(client, &head, &mut body))).await,
            Err(error) => Err(error),
        };
        if let Ok(reply) = &mut result
            && let Err(error) = caught(|| self.finish(&head, reply))
        {
            result = Err(error);
        }
        // The body has been consumed, so only safe requests can be handled again.
        if head.method.is_safe()
            && matches!(&result, Err(error) if error.is_caused_by::<PageTooLarge>())
        {
            return Err(head);
        }
        let mut reply = result.unwrap_or_else(|error| {
            let reply = Reply::problem(&self.0.model, &error, &head);
            log::cause(&head, &reply, &error);
            reply
        });
        let closing = reply.headers.contains_key(header::CONNECTION);
        let to_its_end = closing || body.is_end_stream() || {
            let rest = catch_unwind(Box::pin(async {
                Ok(discard_body(&head, &mut body, self.0.model.limits()).await)
            }))
            .await;
            rest.unwrap_or(true)
        };
        if !to_its_end {
            reply.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        add_headers(&self.0.model, &head, &mut reply);
        log::request(&head, &reply, begun);
        Ok(if head.method == Method::HEAD { reply.without_content() } else { reply })
    }

    /// Returns the reply to a connection that is too many.
    pub(crate) fn crowded(&self) -> Reply {
        let detail = text!("Too many connections are open.");
        self.without_request(Error::unavailable(detail, RETRY_SECONDS))
    }

    /// Returns the reply to a request whose head did not arrive in time.
    pub(crate) fn late_head(&self) -> Reply {
        let detail = text!(
            "The head of the request did not arrive in {seconds} seconds.",
            seconds = self.0.model.limits().timeout(Timeout::Head).as_secs_f64().to_string()
        );
        self.without_request(Error::new(Kind::REQUEST_TIMEOUT, detail))
    }

    /// Returns a reply to no request, which ends its connection.
    fn without_request(&self, error: Error) -> Reply {
        let (mut head, ()) = Request::new(()).into_parts();
        head.uri = Uri::from_static("*");
        let error = error.with_header(header::CONNECTION, HeaderValue::from_static("close"));
        let mut reply = Reply::problem(&self.0.model, &error, &head);
        add_headers(&self.0.model, &head, &mut reply);
        reply
    }

    /// Applies digests and ranges to a reply, and reserves memory for its content.
    fn finish(&self, head: &Parts, reply: &mut Reply) -> Result<(), Error> {
        reply.select(head)?;
        self.hold(&head.method, reply)
    }

    /// Reserves memory for the content of a large reply until the client has read it. A reply to an
    /// unsafe request is never refused, since it reports a change that was made.
    fn hold(&self, method: &Method, reply: &mut Reply) -> Result<(), Error> {
        let Body::Full(content) = &mut reply.body else { return Ok(()) };
        if !ResponseMemory::counts(content) || method == Method::HEAD {
            return Ok(());
        }
        let (memory, whole) = (&self.0.memory, mem::take(content));
        *content = match method.is_safe() {
            true => memory.hold(whole).ok_or_else(no_memory)?,
            false => memory.hold_anyway(whole),
        };
        Ok(())
    }

    /// Runs the stages of a request in order.
    async fn answer<B>(&self, client: ClientKey, head: &Parts, body: B) -> Result<Reply, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let ServiceState { model, store, cache, .. } = &*self.0;
        if let Some(fault) = head.extensions.get::<HeadFault>() {
            return Err(fault.error(&head.headers, model.limits().get(Limit::TargetBytes)));
        }
        check_fields(&head.headers, model.limits())?;
        if let Some(reply) = Reply::preflight(model, head) {
            return Ok(reply);
        }
        let mut lookup = cache.find(head);
        let route = Destination::of(model, head, &lookup)?;
        let claim = Claim::of(model, head).inspect_err(|error| self.audit(head, error, None))?;
        let caller = self.confirm(client, claim, head).await?;
        if let Some(key) = route.own_key(model, &lookup, &caller) {
            lookup = cache.find_own(&lookup, key);
        }
        if let Some(response) = lookup.response() {
            if store.state(response.state.sources).await? == Some(response.state) {
                return Ok(response.reply(model));
            }
            cache.discard(&lookup);
        }
        let admitted = access::admit(model, route.target(model, head)?, &caller, &head.method)
            .inspect_err(|error| self.audit(head, error, Some(&caller)))?;
        let mut action = Action::parse(model, admitted, head, body).await?;
        action.client = client;
        action.is_cached = lookup.is_repeated() && may_cache(model, &action);
        self.0.lifecycle.check(&action.kind)?;
        let result = perform::answer(store, &mut action, head).await?;
        let mut reply = Reply::render(model, &action, result)
            .inspect_err(|error| self.audit(head, error, Some(&action.caller)))?;
        if action.own_password(model).is_some()
            && let Some(cookie) = Box::pin(perform::renew_session(store, &action, head)).await
        {
            reply.headers.append(header::SET_COOKIE, cookie);
        }
        cache.store(model, &lookup, &reply);
        Ok(reply)
    }
}

/// The result of routing a request.
enum Destination {
    /// The target that the URL was routed to.
    To(Target),
    /// A URL that was not routed, because a cached response proves that its target exists. Routing
    /// costs a quarter of the time that a cached response takes.
    Cached,
}

impl Destination {
    fn of(model: &Model, head: &Parts, lookup: &Lookup<'_>) -> Result<Self, Error> {
        match lookup.response() {
            Some(_) => Ok(Self::Cached),
            None => Target::find(model, &head.uri).map(Self::To),
        }
    }

    /// Returns the cache key of a response that only callers with the same access rules share.
    /// Returns `None` if all callers share the response.
    fn own_key(&self, model: &Model, lookup: &Lookup<'_>, caller: &Caller) -> Option<ResponseKey> {
        let rules = caller.rules(model);
        if rules == RuleSet::NONE {
            return None;
        }
        let place = match self {
            Self::To(Target::Collection(chain) | Target::Member(chain, _)) => chain.place(rules),
            Self::To(_) => return None,
            Self::Cached => Place { rules, ..lookup.response()?.state.sources.place },
        };
        let key = ResponseKey::of(model, place, &caller.values(model));
        Some(key).filter(|key| !key.is_shared())
    }

    fn target(self, model: &Model, head: &Parts) -> Result<Target, Error> {
        match self {
            Self::To(target) => Ok(target),
            Self::Cached => Target::find(model, &head.uri),
        }
    }
}

fn no_memory() -> Error {
    Error::unavailable(
        text!("Too many large responses have not been read by their clients yet."),
        RETRY_SECONDS,
    )
}

/// Refuses header fields that are too large or too many (RFC 6585 §5).
fn check_fields(fields: &HeaderMap, limits: &Limits) -> Result<(), Error> {
    let bytes: usize = fields.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let (most_bytes, most) = (limits.size(Limit::HeaderBytes), limits.size(Limit::Headers));
    if bytes <= most_bytes && fields.len() <= most {
        return Ok(());
    }
    let detail = if bytes > most_bytes {
        text!(
            "The header fields have {bytes} bytes; at most {most} are accepted.",
            bytes,
            most = most_bytes
        )
    } else {
        let count = fields.len();
        text!("The request has {count} header fields; at most {most} are accepted.", count, most)
    };
    Err(Error::new(Kind::FIELDS_TOO_LARGE, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This test fails to compile if an async runtime could no longer embed the service.
    #[test]
    fn it_can_be_embedded_anywhere() {
        fn shared<T: Clone + Send + Sync + 'static>() {}
        fn sent<T: Send>(_: fn(&Service, Request<Body>) -> T) {}
        shared::<Service>();
        sent(|service, request| {
            let service = service.clone();
            async move { service.reply(request).await }
        });
    }
}
