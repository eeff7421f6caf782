//! The request and the store that a hook or a handler can access.

use std::{ops::Deref, sync::Arc};

use http::{HeaderMap, HeaderName, Method, Uri, request::Parts};

use super::Store;
pub use crate::http::client::Client;
use crate::{
    model::{self, Model, value::Value},
    plan::Caller,
    request::action::Assignments,
};

/// The facts of a request, and the store. It is cheap to clone.
///
/// The facts are those of [`CallFacts`], to which it derefs. The context of a typed call has no
/// request.
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

/// The head of a request.
#[derive(Clone, Debug)]
struct Head {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    client: Client,
}

impl Context {
    /// Builds the context of a call for members under these ancestors, each by the name of its
    /// resource. A call by a program has no request.
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

    /// Builds the context for a new member: a flat URL does not contain its parent, so the parent
    /// comes from the body.
    pub(crate) fn of_member(
        &self,
        model: &Model,
        resource: &model::ResourceModel,
        member: &Assignments,
    ) -> Self {
        let said =
            |field| member.columns.iter().find(|(ix, _)| *ix == field).map(|(_, id)| id.clone());
        let parent =
            resource.parent.and_then(|(above, field)| Some((model[above].def.name, said(field)?)));
        let mut context = self.clone();
        if let Some(parent) = parent {
            Arc::make_mut(&mut context.facts).ancestors.push(parent);
        }
        context
    }

    /// Returns the store, which acts as the caller unless [`Store::as_system`] is used. A write
    /// through it is separate, and runs the hooks of its own resource.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the facts without the store.
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
    /// Returns the id of the ancestor with this name.
    pub(crate) fn ancestor(&self, resource: &str) -> Option<&Value> {
        self.ancestors.iter().find(|(name, _)| *name == resource).map(|(_, id)| id)
    }

    /// Returns the caller.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the method of the request. A typed call has none, nor any other part of a request.
    #[must_use]
    pub fn method(&self) -> Option<&Method> {
        self.request.as_ref().map(|head| &head.method)
    }

    /// Returns the path of the request, unchanged.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.request.as_ref().map(|head| head.uri.path())
    }

    /// Returns the query of the request, unchanged.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.request.as_ref().and_then(|head| head.uri.query())
    }

    /// Returns a header field of the request, if it is text:
    /// `context.header(&http::header::USER_AGENT)`.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.request.as_ref()?.headers.get(name)?.to_str().ok()
    }

    /// Returns all header fields of the request.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.request.as_ref().map(|head| &head.headers)
    }

    /// Returns the client that sent the request.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.request.as_ref().map(|head| &head.client)
    }
}
