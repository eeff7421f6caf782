//! The context of a hook or a handler: the request that caused the call, and access to the store.

use std::{ops::Deref, sync::Arc};

use http::{HeaderMap, HeaderName, Method, Uri, request::Parts};

use super::Store;
pub use crate::http::client::Client;
use crate::{
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

/// The head of a request: its method, URI, header fields and client.
#[derive(Clone, Debug)]
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    client: Client,
}

impl Context {
    /// Builds the context of a call. `ancestors` are the ids in the URL, each with the name of its
    /// resource. `request` is `None` for a call from Rust code.
    pub(crate) fn new(
        store: &Store,
        caller: Caller,
        request: Option<&Parts>,
        ancestors: Vec<(&'static str, Value)>,
    ) -> Self {
        let request = request.map(|head| {
            Arc::new(Head {
                method: head.method.clone(),
                uri: head.uri.clone(),
                headers: head.headers.clone(),
                client: Client::of(head, &store.model().proxies),
            })
        });
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

    /// Returns the client that sent the request, or `None` for a call from Rust code.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.request.as_ref().map(|head| &head.client)
    }
}
