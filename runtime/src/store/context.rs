//! The context of a hook or a handler: the request that caused the call, and access to the store.

use std::{ops::Deref, sync::Arc};

use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Uri, request::Parts};
use tracing::Span;

use super::Store;
pub use crate::http::client::Client;
use crate::{
    http::{request_scope::RequestScope, trace_context::TraceParent},
    model::{self, Model, value::Value},
    plan::Caller,
    request::action::Assignments,
};

/// The facts about a call, and the store. A clone is cheap.
///
/// The context dereferences to [`CallFacts`], which hold the caller, the request and the ancestors.
/// The context of a typed call (a call from Rust code) has no request.
#[derive(Clone, Debug)]
pub struct Context {
    facts: Arc<CallFacts>,
    store: Store,
}

/// The caller, the request and the ancestors of a call.
#[derive(Clone, Debug)]
pub struct CallFacts {
    caller: Caller,
    request: Option<Arc<Head>>,
    ancestors: Vec<(&'static str, Value)>,
}

/// The head of a request, and what the server knows about it.
#[derive(Clone, Debug)]
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    extensions: Extensions,
    client: Client,
    id: Option<HeaderValue>,
    span: Span,
}

impl Head {
    fn of(head: &Parts, model: &Model, route: CalledRoute<'_>) -> Self {
        let scope = RequestScope::of(head);
        let id = scope.map(|scope| scope.id(head).clone());
        let span = scope.map(|scope| scope.span(|| route.span(head, id.as_ref())).clone());
        Self {
            method: head.method.clone(),
            uri: head.uri.clone(),
            headers: head.headers.clone(),
            extensions: head.extensions.clone(),
            client: Client::of(head, &model.proxies),
            id,
            span: span.unwrap_or_else(Span::none),
        }
    }
}

/// The route that a request has reached: a path with placeholders, and the resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalledRoute<'r> {
    /// The path, such as `/zoos/{zoo}/openings`. For a generated route, the collection.
    pub(crate) path: &'r str,
    /// The name of the resource, or `None` for a custom route.
    pub(crate) resource: Option<&'static str>,
}

impl CalledRoute<'_> {
    /// Creates the span in which user code runs. The status is recorded when it is known.
    fn span(self, head: &Parts, id: Option<&HeaderValue>) -> Span {
        let trace = TraceParent::of(&head.headers);
        tracing::info_span!(
            target: "nouns::request",
            "request",
            method = %head.method,
            route = self.path,
            resource = self.resource,
            request_id = id.and_then(|id| id.to_str().ok()),
            trace_id = trace.map(|trace| trace.trace_id),
            parent_id = trace.map(|trace| trace.parent_id),
            status = tracing::field::Empty,
        )
    }
}

impl Context {
    /// Builds the context of a call. `ancestors` are the ids in the URL, each with the name of its
    /// resource. `request` is `None` for a call from Rust code.
    pub(crate) fn new(
        store: &Store,
        caller: Caller,
        request: Option<&Parts>,
        route: CalledRoute<'_>,
        ancestors: Vec<(&'static str, Value)>,
    ) -> Self {
        let request = request.map(|head| Arc::new(Head::of(head, store.model(), route)));
        let store = store.acting_as(&caller);
        Self { facts: Arc::new(CallFacts { caller, request, ancestors }), store }
    }

    /// Builds the context for a new member. If the URL is not nested, it does not contain the id of
    /// the parent. The parent's id is then taken from the body.
    pub(crate) fn of_member(
        &self,
        model: &Model,
        resource: &model::ResourceModel,
        member: &Assignments,
    ) -> Self {
        let id_of =
            |field| member.columns.iter().find(|(ix, _)| *ix == field).map(|(_, id)| id.clone());
        let parent =
            resource.parent.and_then(|(above, field)| Some((model[above].def.name, id_of(field)?)));
        let mut context = self.clone();
        if let Some(parent) = parent {
            Arc::make_mut(&mut context.facts).ancestors.push(parent);
        }
        context
    }

    /// Returns the store. Calls through it act as the caller, unless [`Store::as_system`] is used.
    /// A write through it has its own transaction, and runs the hooks of the resource that it
    /// writes.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the facts about the call, without the store.
    #[must_use]
    pub const fn facts(&self) -> &Arc<CallFacts> {
        &self.facts
    }
}

impl Deref for Context {
    type Target = CallFacts;

    fn deref(&self) -> &CallFacts {
        &self.facts
    }
}

impl CallFacts {
    /// Returns the id of the ancestor whose resource has this name, or `None` if there is no such
    /// ancestor.
    pub(crate) fn ancestor(&self, resource: &str) -> Option<&Value> {
        self.ancestors.iter().find(|(name, _)| *name == resource).map(|(_, id)| id)
    }

    /// Returns the caller on whose behalf the call is made.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the method of the request, or `None` for a call from Rust code.
    #[must_use]
    pub fn method(&self) -> Option<&Method> {
        self.request.as_ref().map(|head| &head.method)
    }

    /// Returns the path of the request as it was sent, or `None` for a call from Rust code.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.request.as_ref().map(|head| head.uri.path())
    }

    /// Returns the query of the request as it was sent, without the `?`. Returns `None` if the
    /// request has no query, or for a call from Rust code.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.request.as_ref().and_then(|head| head.uri.query())
    }

    /// Returns the value of a header field of the request:
    /// `context.header(&http::header::USER_AGENT)`. Returns `None` if the field is missing or its
    /// value is not visible ASCII, or for a call from Rust code.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.request.as_ref()?.headers.get(name)?.to_str().ok()
    }

    /// Returns all header fields of the request, or `None` for a call from Rust code.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.request.as_ref().map(|head| &head.headers)
    }

    /// Returns an extension of the request: a value of the type `T` that a tower layer of the
    /// program has inserted. Returns `None` if there is no such value, or for a call from Rust
    /// code.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.request.as_ref()?.extensions.get()
    }

    /// Returns the id of the request, which the response and the log also have. It is the id that
    /// the client sent in `Request-Id`, or a generated one. Returns `None` for a call from Rust
    /// code.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request.as_ref()?.id.as_ref()?.to_str().ok()
    }

    /// Returns the tracing span of the request. Hooks and handlers run inside it, so their log
    /// lines have its fields: method, route, resource, request id, and in the end the status. The
    /// span is disabled for a call from Rust code.
    #[must_use]
    pub fn span(&self) -> Span {
        self.request.as_ref().map_or_else(Span::none, |head| head.span.clone())
    }

    /// Returns the client that sent the request, or `None` for a call from Rust code.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.request.as_ref().map(|head| &head.client)
    }
}
