//! What a hook or a handler knows of the request that it serves, and the store that it may use.

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
/// The facts are those of [`CallFacts`], to which it derefs; a typed call has a context without a
/// request.
#[derive(Clone, Debug)]
pub struct Context {
    facts: Arc<CallFacts>,
    store: Store,
}

/// What is known of who asks for what.
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
    /// Of a call for members under these ancestors, each by the name of its resource; without a
    /// request where a program calls.
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
                client: Client::of(head),
            })
        });
        let store = store.acting_as(&caller);
        Self { facts: Arc::new(CallFacts { caller, request, ancestors }), store }
    }

    /// The same for a new member: what a flat URL does not say, its parent, stands in the body.
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

    /// The store, which acts as the caller, unless [`Store::as_system`] is said. What is done
    /// through it is a write of its own, with the hooks of what it writes.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// The facts without the store.
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
    /// The id of the ancestor with this name.
    pub(crate) fn ancestor(&self, resource: &str) -> Option<&Value> {
        self.ancestors.iter().find(|(name, _)| *name == resource).map(|(_, id)| id)
    }

    /// Who asks.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The method of the request; nothing for a typed call, as for everything that only a request
    /// has.
    #[must_use]
    pub fn method(&self) -> Option<&Method> {
        self.request.as_ref().map(|head| &head.method)
    }

    /// The path of the request, as it came.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.request.as_ref().map(|head| head.uri.path())
    }

    /// The query of the request, as it came.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.request.as_ref().and_then(|head| head.uri.query())
    }

    /// A field of the header of the request, where it is text:
    /// `context.header(&http::header::USER_AGENT)`.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.request.as_ref()?.headers.get(name)?.to_str().ok()
    }

    /// All fields of the header of the request.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.request.as_ref().map(|head| &head.headers)
    }

    /// The client that sent the request.
    #[must_use]
    pub fn client(&self) -> Option<&Client> {
        self.request.as_ref().map(|head| &head.client)
    }
}
