//! From a target, a caller and a request to what is meant; afterwards only indices name resources
//! and fields.

mod assign;
mod call;
mod content;
mod cursor;
mod fields;
mod filter;
mod foreign;
mod json_patch;
mod links;
mod meant;
mod member;
mod page;
mod parameter;
mod precondition;
mod preferences;
mod query;
mod sort;
mod trace;

use std::sync::Arc;

use bytes::Buf;
use http::{Method, StatusCode, request::Parts};

pub use self::{
    assign::{Assignments, PutCreation},
    call::Call,
    cursor::OrderPosition,
    json_patch::JsonPatch,
    page::{PageRequest, Window},
    precondition::DeferredPreconditions,
    preferences::ResponsePreferences,
    query::CollectionQuery,
};
pub(crate) use self::{
    assign::{broken, created, replaced, updated},
    content::{
        ACCEPT_PATCH, ACCEPT_POST, ACCEPT_QUERY, FORM, JSON, PATCHES, check_json, discard_body,
        is_json_patch,
    },
    cursor::of as query_of_cursors,
    json_patch::too_large,
    member::admit,
    page::foreign_cursor,
    parameter::{RESERVED, append},
    preferences::unacceptable,
};
pub use crate::http::prefer::ReturnPreference;
use crate::{
    base::error::{Error, Kind},
    http::{
        audience::Audience,
        idempotency_key,
        negotiate::{Coding, Codings, Format},
    },
    model::{Chain, FieldIx, Model, predicate::Predicate, value::Value},
    plan::{
        Caller, ClientKey, Preconditions,
        idempotency::IdempotentRequest,
        validator::{Form, TagReading},
    },
    request::{
        access::AdmittedRequest,
        route::{Redirect, Scope, Target},
    },
};

/// What a request means.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Who asks.
    pub caller: Caller,
    /// The party that it is counted for; the program itself unless somebody says otherwise.
    pub client: ClientKey,
    /// What must hold before.
    pub preconditions: Preconditions,
    /// What of them only the answer can tell.
    pub deferred: DeferredPreconditions,
    /// How the answer is wanted.
    pub preferences: ResponsePreferences,
    /// Whether the response to a read is cached, so that the state of its sources is wanted too.
    pub is_cached: bool,
    /// The part of the interface that it is about; nothing of it matters to the store.
    pub scope: Scope,
    /// What is asked.
    pub kind: ActionKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// What there is.
    Home,
    /// Is the process alive?
    Health,
    /// Can it answer?
    Ready,
    /// Every kind of problem.
    Problems(Audience),
    /// What a problem means.
    Problem {
        /// The problem.
        kind: Kind,
        /// Who reads it.
        audience: Audience,
    },
    /// What a target offers.
    Describe(Target),
    /// What the server got, as it got it.
    Trace(String),
    /// Another URL.
    Redirect {
        /// Where to.
        location: String,
        /// By which status.
        status: StatusCode,
    },
    /// A page of a collection.
    List {
        /// Where.
        chain: Chain,
        /// Which page of which members.
        query: CollectionQuery,
    },
    /// A member.
    Get {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
    },
    /// New members.
    Create {
        /// Where.
        chain: Chain,
        /// Each of them.
        members: Vec<Assignments>,
        /// Whether the body was an array.
        many: bool,
        /// What tells it from others, where it is done once however often it is sent.
        once: Option<Arc<IdempotentRequest>>,
    },
    /// Other values for a member.
    Write {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
        /// The values.
        change: Assignments,
        /// The member to create where there is none.
        create: PutCreation,
        /// Whether the body was the complete member (PUT).
        complete: bool,
    },
    /// What operations make of a member; it becomes other values for it once the member has been
    /// read.
    Amend {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
        /// The operations.
        patch: JsonPatch,
    },
    /// A member goes.
    Delete {
        /// Where.
        chain: Chain,
        /// Which.
        id: Value,
    },
    /// All members go that pass a filter.
    DeleteMany {
        /// Where.
        chain: Chain,
        /// Which members.
        predicate: Predicate,
        /// The query as it came, encoded our way.
        given: String,
    },
    /// What a handler of the author's answers at a URL of his own.
    Custom(Box<Call>),
}

impl Action {
    /// What a program means.
    #[must_use]
    pub fn of(caller: Caller, kind: ActionKind) -> Self {
        Self {
            caller,
            client: ClientKey::default(),
            preconditions: Preconditions::default(),
            deferred: DeferredPreconditions::default(),
            preferences: ResponsePreferences::PLAIN,
            is_cached: false,
            scope: Scope::default(),
            kind,
        }
    }

    /// Reads what a request means, its body included.
    ///
    /// # Errors
    /// 400 for parameters and syntax, 413, 415 and 422 for the body.
    pub async fn parse<B>(
        model: &Model,
        AdmittedRequest { target, caller }: AdmittedRequest,
        head: &Parts,
        body: B,
    ) -> Result<Self, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let scope = target.scope();
        let mut wanted = match &target {
            Target::Collection(_) | Target::Member(..) => ResponsePreferences::parse(head),
            _ => ResponsePreferences::PLAIN,
        };
        let state = match &target {
            // They change nothing, and show no representation (RFC 9110 §13.2.1).
            _ if [Method::OPTIONS, Method::TRACE].contains(&head.method) => None,
            Target::Collection(_) | Target::Home | Target::Problems | Target::Problem(_) => {
                Some(TagReading::Collection)
            }
            Target::Member(..) => Some(TagReading::Member),
            // What a validator of the author's is, only his handler knows.
            _ => None,
        };
        let reader = ActionReader { model, caller: &caller, head, fields: &mut wanted.fields };
        let kind = match target {
            Target::Redirect(to) if head.method != Method::TRACE => redirect(to, &head.method),
            target if head.method == Method::OPTIONS => ActionKind::Describe(target),
            _ if head.method == Method::TRACE => ActionKind::Trace(trace::message(head)?),
            Target::Collection(chain) => reader.collection(chain, body).await?,
            Target::Member(chain, id) => reader.member(chain, id, body).await?,
            Target::Custom(shape, values) => {
                let body = content::whole(head, body).await?;
                ActionKind::Custom(Box::new(Call { shape, values, body }))
            }
            target => system(&target, head)?,
        };
        match &kind {
            // No `Location` names several members, so without them nobody would learn their ids.
            ActionKind::Create { many: true, .. } => {
                wanted.content.take_if(|content| *content == ReturnPreference::Minimal);
            }
            kind if kind.is_document() => wanted.codings = Codings::of(&head.headers),
            _ => {}
        }
        let mut preconditions = match state {
            Some(state) => {
                let form = head.method.is_safe().then(|| kind.form(model, &wanted));
                let codings = || {
                    if exports(&kind, &wanted) { wanted.codings.always() } else { wanted.codings }
                };
                let shown = form.map(|form| TagReading::Shown(form, codings()));
                Preconditions::parse(&head.headers, state, shown)?.require(model, &kind)
            }
            None => Preconditions::default(),
        };
        let is_read = matches!(kind, ActionKind::List { .. } | ActionKind::Get { .. });
        let left = match is_read || kind.is_document() {
            true => preconditions.leave(&wanted),
            false => DeferredPreconditions::default(),
        };
        Ok(Self {
            preconditions,
            deferred: left,
            preferences: wanted,
            scope,
            ..Self::of(caller, kind)
        })
    }

    /// Whether it is all of a collection, made while it is sent: a page is JSON, or has a size.
    pub(crate) fn exports(&self) -> bool {
        exports(&self.kind, &self.preferences)
    }

    /// The coding of the answer's content.
    pub(crate) fn coding(&self, is_small: bool) -> Coding {
        self.preferences.coding(is_small)
    }

    /// What validators say of the answer, where it is the representation of a member, a collection
    /// or a document of ours.
    pub(crate) fn form(&self, model: &Model) -> Form {
        self.kind.form(model, &self.preferences)
    }
}

fn exports(kind: &ActionKind, wanted: &ResponsePreferences) -> bool {
    matches!(kind, ActionKind::List { query, .. } if query.page.is_all)
        && wanted.format != Format::Json
}

/// For good or for the time being; only GET and HEAD may be repeated by a client that knows no
/// better (RFC 9110 §15.4).
fn redirect(to: Redirect, method: &Method) -> ActionKind {
    let safe = method == Method::GET || method == Method::HEAD;
    let status = match (to.permanent, safe) {
        (true, true) => StatusCode::MOVED_PERMANENTLY,
        (true, false) => StatusCode::PERMANENT_REDIRECT,
        (false, true) => StatusCode::FOUND,
        (false, false) => StatusCode::TEMPORARY_REDIRECT,
    };
    ActionKind::Redirect { location: to.location, status }
}

fn system(target: &Target, head: &Parts) -> Result<ActionKind, Error> {
    query::refuse_any(head.uri.query())?;
    Ok(match target {
        Target::Health => ActionKind::Health,
        Target::Ready => ActionKind::Ready,
        Target::Problems => ActionKind::Problems(Audience::of(&head.headers)),
        Target::Problem(kind) => {
            ActionKind::Problem { kind: *kind, audience: Audience::of(&head.headers) }
        }
        _ => ActionKind::Home,
    })
}

/// Reads what a request asks of a resource.
struct ActionReader<'request> {
    model: &'request Model,
    caller: &'request Caller,
    head: &'request Parts,
    /// What is asked for of each member.
    fields: &'request mut Option<Arc<[FieldIx]>>,
}

impl ActionReader<'_> {
    async fn collection<B>(self, chain: Chain, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let resource = &self.model[chain.resource];
        let query = self.head.uri.query();
        if self.head.method == Method::POST {
            query::refuse_any(query)?;
            let key = idempotency_key::parse(&self.head.headers)?;
            let bytes = content::read(self.head, body).await?;
            let (members, many) = assign::create(resource, self.caller, &chain, &bytes)?;
            let once = key.map(|key| {
                Arc::new(IdempotentRequest::new(self.model, self.caller, &chain, key, &bytes))
            });
            return Ok(ActionKind::Create { chain, members, many, once });
        }
        if self.head.method == Method::DELETE {
            let (predicate, given) = query::deletion(resource, query)?;
            return Ok(ActionKind::DeleteMany { chain, predicate, given });
        }
        let mut query = if self.head.method == Method::QUERY {
            query::refuse_any(query)?;
            CollectionQuery::parse(
                resource,
                &chain.ids,
                Some(&content::query(self.head, body).await?),
            )?
        } else {
            CollectionQuery::parse(resource, &chain.ids, query)?
        };
        *self.fields = query.fields.take();
        Ok(ActionKind::List { query, chain })
    }

    async fn member<B>(self, chain: Chain, id: Value, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (resource, query) = (&self.model[chain.resource], self.head.uri.query());
        if self.head.method.is_safe() {
            *self.fields = fields::of_member(resource, query)?;
            return Ok(ActionKind::Get { chain, id });
        }
        query::refuse_any(query)?;
        let complete = match self.head.method {
            Method::DELETE => return Ok(ActionKind::Delete { chain, id }),
            Method::PUT => true,
            _ => false,
        };
        if complete {
            content::refuse_part(self.head)?;
        }
        let bytes = content::read(self.head, body).await?;
        if !complete && is_json_patch(&self.head.headers) {
            return Ok(ActionKind::Amend { chain, id, patch: JsonPatch::parse(&bytes)? });
        }
        let (change, create) = match complete {
            true => assign::replace(resource, self.caller, &chain, &id, &bytes)?,
            false => (assign::update(resource, self.caller, &chain, &id, &bytes)?, Err(vec![])),
        };
        Ok(ActionKind::Write { chain, id, change, create, complete })
    }
}
