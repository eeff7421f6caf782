//! The service: it runs the stages of a request in order, turns errors and panics into responses,
//! and logs each request.

pub(crate) mod cache;
mod callers;
mod calls;
mod deadline;
mod destination;
mod explain;
mod forms;
mod hosts;
mod identities;
pub(crate) mod lifecycle;
mod log;
pub(crate) mod metrics;
mod nested;
mod overload;
mod rates;
pub(crate) mod response_memory;
mod without_request;

use std::{mem, pin::pin, sync::Arc};

use http::{HeaderValue, Method, header, request::Parts};
use http_body::Body as _;

pub(crate) use self::calls::{ResponseFuture, boxed};
pub(crate) use self::deadline::RequestBegun;
pub(crate) use self::metrics::Exposure;
use self::{
    cache::{Cache, may_cache},
    destination::Destination,
    identities::Identities,
    lifecycle::Lifecycle,
    metrics::{Metrics, RequestRecord},
    rates::Rates,
    response_memory::ResponseMemory,
};
pub use self::{explain::Explanation, nested::Nested};
use crate::{
    base::{
        error::{Error, text},
        limits,
        unwind::{catch_unwind, caught},
    },
    http::{
        arriving::RequestBody,
        body::Body,
        request_head::{HeadFault, check_fields, misdirected},
        request_scope::RequestScope,
    },
    model::{Model, def::Limit},
    perform,
    plan::{ClientKey, Outcome},
    reply::{Reply, add_headers},
    request::{
        access,
        action::{Action, ActionKind, discard_body},
        enclosed,
        form::SubmittedForm,
        identify::Claim,
    },
    store::Store,
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
    rates: Arc<Rates>,
    lifecycle: Lifecycle,
    metrics: Arc<Metrics>,
    exposure: Exposure,
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
        let metrics = Metrics::new(store.model());
        let rates = Arc::default();
        Self::of(store, bytes, memory, rates, Lifecycle::default(), metrics, Exposure::Public)
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
        let ServiceState { store, cache, rates, lifecycle, metrics, exposure, .. } = &*self.0;
        let (memory, metrics) = (Arc::new(ResponseMemory::new(bytes)), Arc::clone(metrics));
        let (store, bytes, rates) = (store.clone(), cache.bytes_max(), Arc::clone(rates));
        Self::of(store, bytes, memory, rates, lifecycle.clone(), metrics, *exposure)
    }

    fn of(
        store: Store,
        cache: usize,
        memory: Arc<ResponseMemory>,
        rates: Arc<Rates>,
        lifecycle: Lifecycle,
        metrics: Arc<Metrics>,
        exposure: Exposure,
    ) -> Self {
        let cache = Cache::new(cache, Arc::clone(&metrics.cache_bytes));
        let model = Arc::clone(store.model());
        let has_code = model.has_code();
        let (identities, may_enclose) = (Identities::default(), enclosed::is_possible(&model));
        Self(Arc::new(ServiceState {
            model,
            store,
            cache,
            memory,
            rates,
            lifecycle,
            metrics,
            exposure,
            identities,
            has_code,
            may_enclose,
        }))
    }

    /// Returns the limit on the memory for large responses.
    pub(crate) fn memory(&self) -> &Arc<ResponseMemory> {
        &self.0.memory
    }

    /// Returns what the service counts.
    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    /// Returns the store that the service reads and writes.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Handles a request on a worker thread. `None` if the response is too large for a worker, and
    /// another thread can handle the request (`is_movable`). The body has been consumed then, so
    /// that is for safe methods alone; a bulk thread handles requests with large bodies at once.
    async fn reply_within(
        &self,
        client: Option<ClientKey>,
        head: &mut Parts,
        body: RequestBody<'_>,
        is_movable: bool,
    ) -> Option<Reply> {
        let mut record = self.0.metrics.begin();
        let begun = RequestBegun::of(&head.extensions);
        if self.0.has_code {
            RequestScope::add(head);
        }
        if self.may_time(head) {
            record.measure(begun);
        }
        let client = client.unwrap_or_else(|| ClientKey::identify(head, &self.0.model.proxies));
        let result = match self.open(head, body).await {
            Ok(()) => {
                let is_movable = is_movable && head.method.is_safe();
                let answer = pin!(self.answer((client, is_movable), head, body, &mut record));
                let limits = self.0.model.limits();
                let answer = deadline::keep(limits, &head.method, begun, answer);
                catch_unwind(pin!(answer)).await
            }
            Err(error) => Err(error),
        };
        let Some(mut result) = result.transpose() else {
            // The request is counted once, and its time goes on.
            if let Some(quota) = record.quota {
                head.extensions.insert(quota);
            }
            head.extensions.insert(RequestBegun(begun));
            record.moved();
            return None;
        };
        if SubmittedForm::of(head).is_some() {
            result = Box::pin(self.answer_form(client, (head, begun), result)).await;
        }
        if let Ok(reply) = &mut result
            && let Err(error) = caught(|| self.finish(head, reply))
        {
            result = Err(error);
        }
        let mut reply = result.unwrap_or_else(|error| {
            let error = self.0.rates.count_failed(&self.0.model, head, error, &mut record.quota);
            let reply = Reply::problem(&self.0.model, &error, head);
            log::cause(head, &reply, &error);
            reply
        });
        let closing = reply.headers.contains_key(header::CONNECTION);
        let to_its_end = closing || body.is_end_stream() || {
            let rest = catch_unwind(Box::pin(async {
                Ok(discard_body(head, body, self.0.model.limits()).await)
            }))
            .await;
            rest.unwrap_or(true)
        };
        if !to_its_end {
            reply.headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(quota) = record.quota {
            quota.add_to(&mut reply.headers);
        }
        add_headers(&self.0.model, head, &mut reply);
        let time = begun.elapsed();
        log::request(head, &reply, time);
        record.add_times(&self.0.model, head, &mut reply);
        record.answered(&head.method, &reply, time);
        Some(if head.method == Method::HEAD { reply.without_content() } else { reply })
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

    /// Runs the stages of a request in order. Returns `None` if another thread must run them,
    /// because a page is too large for this one.
    async fn answer(
        &self,
        (client, is_movable): (ClientKey, bool),
        head: &Parts,
        body: RequestBody<'_>,
        record: &mut RequestRecord<'_>,
    ) -> Result<Option<Reply>, Error> {
        let ServiceState { model, store, cache, .. } = &*self.0;
        if let Some(fault) = head.extensions.get::<HeadFault>() {
            return Err(fault.error(&head.headers, model.limits().get(Limit::TargetBytes)));
        }
        check_fields(&head.headers, model.limits())?;
        if let Some(hosts) = &model.hosts
            && !self.serves(hosts, head)
        {
            return Err(misdirected());
        }
        if let Some(reply) = Reply::preflight(model, head).or_else(|| Reply::upgrade(model, head)) {
            record.find_route(model, head);
            return Ok(Some(reply));
        }
        let mut lookup = cache.find(head);
        let route = Destination::of(model, head, &lookup)?;
        record.route = route.number(record, &lookup);
        self.0.exposure.check(&route)?;
        record.mark("route");
        let claim = Claim::of(model, head).inspect_err(|error| self.audit(head, error, None))?;
        let caller = self.confirm(client, claim, head).await?;
        record.quota = self.0.rates.count(model, head, &caller)?;
        record.mark("identify");
        if let Some(reply) = lookup.hit(store, &route, &caller).await? {
            record.hit();
            return Ok(Some(reply));
        }
        let admitted = access::admit(model, route.target(model, head)?, &caller, &head.method)
            .inspect_err(|error| self.audit(head, error, Some(&caller)))?;
        let mut action = Action::parse(model, admitted, head, body).await?;
        record.mark("parse");
        if matches!(action.kind, ActionKind::Metrics) {
            return self.show_metrics(&action, head).map(Some);
        }
        (action.client, action.is_movable) = (client, is_movable);
        self.0.lifecycle.check(&action.kind)?;
        let may_cache = lookup.is_cacheable() && may_cache(model, &action);
        action.is_cached = may_cache && lookup.is_repeated();
        if may_cache {
            record.miss();
        }
        let result = perform::answer(store, &mut action, head).await;
        record.mark("perform");
        let result = result?;
        if matches!(result.outcome, Outcome::TooLarge) {
            return Ok(None);
        }
        let mut reply = Reply::render(model, &action, result)
            .inspect_err(|error| self.audit(head, error, Some(&action.caller)))?;
        if action.own_password(model).is_some()
            && let Some(cookie) = Box::pin(perform::renew_session(store, &action, head)).await
        {
            reply.headers.append(header::SET_COOKIE, cookie);
        }
        lookup.store(model, &action.caller, &reply, record.route);
        record.mark("reply");
        Ok(Some(reply))
    }
}

fn no_memory() -> Error {
    Error::unavailable(
        text!("Too many large responses have not been read by their clients yet."),
        RETRY_SECONDS,
    )
}
