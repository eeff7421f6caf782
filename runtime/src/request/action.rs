//! The conversion of a target, a caller and a request to an [`Action`]. An action refers to
//! resources and fields by index, never by name.

mod arrival;
mod assign;
mod call;
mod content;
mod cursor;
mod fields;
mod filter;
mod filter_form;
mod foreign;
mod form_body;
mod format;
mod json_patch;
mod kind;
mod links;
mod meant;
mod member;
mod page;
mod page_context;
mod parameter;
mod precondition;
mod preferences;
mod query;
mod sign_in;
mod sort;
mod trace;

use std::sync::Arc;

use bytes::{Buf, Bytes};
use http::{Method, StatusCode, header, request::Parts};

use self::form_body::FormPurpose;
pub use self::{
    assign::{Assignments, PutCreation},
    call::Call,
    cursor::OrderPosition,
    json_patch::JsonPatch,
    kind::ActionKind,
    page::{PageRequest, Window},
    page_context::{PageContext, RefusedForm},
    precondition::DeferredPreconditions,
    preferences::ResponsePreferences,
    query::CollectionQuery,
};
pub(crate) use self::{
    assign::{broken, created, replaced, updated},
    content::{
        ACCEPT_PATCH, ACCEPT_POST, ACCEPT_QUERY, FORM, JSON, MERGE_PATCH, PATCHES, check_json,
        discard_body, is_json_patch, whole as whole_body,
    },
    cursor::of as query_of_cursors,
    form_body::{BEFORE, is_same},
    json_patch::too_large,
    member::admit,
    page::foreign_cursor,
    parameter::{RESERVED, append},
    preferences::unacceptable,
    query::refuse_any,
};
pub use crate::http::prefer::ReturnPreference;
use crate::{
    base::error::Error,
    http::{
        audience::Audience,
        idempotency_key,
        negotiate::{Coding, Codings, Format},
    },
    model::{Chain, FieldIx, Model, ResourceModel, value::Value},
    plan::{
        Caller, ClientKey, Preconditions,
        idempotency::IdempotentRequest,
        validator::{Form, TagReading},
    },
    request::{
        access::AdmittedRequest,
        cross_site, form,
        route::{Redirect, Scope, Target},
    },
};

/// The operation of a request or a typed call, parsed and checked, with its caller, preconditions
/// and preferences.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The caller, whose access rules apply.
    pub caller: Caller,
    /// The client for which the cost of the action is counted. The default is the program itself.
    pub client: ClientKey,
    /// The preconditions that the store checks.
    pub preconditions: Preconditions,
    /// The preconditions that can be checked only when the response is known.
    pub deferred: DeferredPreconditions,
    /// The client's preferences for the response, such as its format.
    pub preferences: ResponsePreferences,
    /// Whether the response to a read will be cached. Then the read also returns the state of its
    /// tables.
    pub is_cached: bool,
    /// What a web page is made of, beside the action; `None` for other formats.
    pub page: Option<Box<PageContext>>,
    /// The part of the interface that the URL belongs to. The store does not use it.
    pub scope: Scope,
    /// A hash of the labels on the page of a member, which its validator depends on.
    pub looked_up: Option<u32>,
    /// The operation and its input.
    pub kind: ActionKind,
}

impl Action {
    /// Creates the action of a typed call, without preconditions and preferences.
    #[must_use]
    pub fn of(caller: Caller, kind: ActionKind) -> Self {
        Self {
            caller,
            client: ClientKey::default(),
            preconditions: Preconditions::default(),
            deferred: DeferredPreconditions::default(),
            preferences: ResponsePreferences::PLAIN,
            is_cached: false,
            page: None,
            scope: Scope::default(),
            looked_up: None,
            kind,
        }
    }

    /// Parses a request, including its body.
    ///
    /// # Errors
    /// 400 for invalid parameters or syntax; 413, 415 or 422 for an invalid body.
    #[expect(
        clippy::manual_async_fn,
        reason = "the future of an `async fn` has each argument twice, which costs a point read 2 % of this stage"
    )]
    pub fn parse<'r, B>(
        model: &'r Model,
        AdmittedRequest { target, caller }: AdmittedRequest,
        head: &'r Parts,
        body: B,
    ) -> impl Future<Output = Result<Self, Error>> + use<'r, B>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        async move {
            let scope = target.scope();
            let is_meta = matches!(head.method, Method::OPTIONS | Method::TRACE);
            let is_form = matches!(target, Target::Form(..) | Target::SignIn);
            let mut wanted = match &target {
                _ if is_form => ResponsePreferences::of_page(head),
                Target::Collection(_) | Target::Member(..) => ResponsePreferences::parse(head),
                Target::Home if !is_meta => ResponsePreferences::of_home(head)?,
                _ => ResponsePreferences::PLAIN,
            };
            let state = if is_meta { None } else { tag_reading(&target) };
            let readable = readable(model, &target, &caller);
            let reader = ActionReader { model, caller: &caller, head, wanted: &mut wanted };
            let kind = match target {
                Target::Redirect(to) if head.method != Method::TRACE => redirect(to, &head.method),
                _ if is_meta && head.method == Method::TRACE => {
                    ActionKind::Trace(trace::message(head)?)
                }
                target if is_meta => ActionKind::Describe(target),
                Target::Collection(chain) => reader.collection(chain, body).await?,
                Target::Member(chain, id) => reader.member(chain, id, body).await?,
                Target::Custom(shape, values) => {
                    let body = content::whole(head, body, model.limits()).await?;
                    ActionKind::Custom(Box::new(Call { shape, values, body }))
                }
                Target::Form(chain, id) => {
                    refuse_any(head.uri.query())?;
                    form_of(chain, id)
                }
                target => system(&target, head)?,
            };
            wanted.fields = wanted.fields.take().or(readable);
            match &kind {
                // A response to a posted array has no `Location`. Without the members in the body,
                // the client would not learn their ids.
                ActionKind::Create { many: true, .. } => {
                    wanted.content.take_if(|content| *content == ReturnPreference::Minimal);
                }
                kind if kind.is_document() => wanted.codings = Codings::of(&head.headers),
                _ => {}
            }
            let mut preconditions = match state {
                Some(state) => {
                    let form = head.method.is_safe().then(|| kind.form(model, &wanted, &caller));
                    let codings = || {
                        if exports(&kind, &wanted) {
                            wanted.codings.always()
                        } else {
                            wanted.codings
                        }
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
            let page = (wanted.format == Format::Html)
                .then(|| Box::new(PageContext { is_form, ..PageContext::of(model, head) }));
            Ok(Self {
                page,
                preconditions,
                deferred: left,
                preferences: wanted,
                scope,
                ..Self::of(caller, kind)
            })
        }
    }

    /// The hash of the password that the caller sets for its own account, if the action does that.
    pub(crate) fn own_password(&self, model: &Model) -> Option<&str> {
        let account = self.caller.account()?;
        let ActionKind::Write { chain, id, change, .. } = &self.kind else { return None };
        let accounts = model.accounts.as_ref().filter(|one| one.resource == chain.resource)?;
        let set = change.columns.iter().find(|(field, _)| *field == accounts.password);
        match set {
            Some((_, Value::Text(hash))) if *id == account.id => Some(hash),
            _ => None,
        }
    }

    /// Whether the response is an export: a whole collection as a stream. A page in JSON or HTML is
    /// not, and neither is a page with a limit.
    pub fn exports(&self) -> bool {
        exports(&self.kind, &self.preferences)
    }

    /// The content coding of the response. Small content is not compressed unless the client
    /// refuses uncompressed content.
    pub(crate) fn coding(&self, is_small: bool) -> Coding {
        self.preferences.coding(is_small)
    }

    /// The form of the response's validators. For a member it depends on the format and the
    /// selected fields, otherwise only on the format.
    pub(crate) fn form(&self, model: &Model) -> Form {
        self.kind.form(model, &self.preferences, &self.caller).with_labels(self.looked_up)
    }
}

/// How the tags of a request for a target are read. `None` if the target has no validators of the
/// server: those of a custom route are known to its handler alone. Preconditions do not apply to
/// OPTIONS and TRACE (RFC 9110 §13.2.1).
const fn tag_reading(target: &Target) -> Option<TagReading> {
    match target {
        Target::Collection(_)
        | Target::Home
        | Target::OpenApi
        | Target::Docs
        | Target::Problems
        | Target::Problem(_)
        | Target::PageFile(_) => Some(TagReading::Collection),
        Target::Member(..) => Some(TagReading::Member),
        _ => None,
    }
}

/// The fields of a target that the caller may read. `None` if it may read all fields that clients
/// can read.
fn readable(model: &Model, target: &Target, caller: &Caller) -> Option<Arc<[FieldIx]>> {
    let (Target::Collection(chain) | Target::Member(chain, _)) = target else { return None };
    model.readable(caller.rules(model), chain.resource)
}

fn exports(kind: &ActionKind, wanted: &ResponsePreferences) -> bool {
    matches!(kind, ActionKind::List { query, .. } if query.page.is_all)
        && !matches!(wanted.format, Format::Json | Format::Html)
}

/// Returns the action of a redirect. GET and HEAD get the status 301 or 302, which every client
/// knows. Other methods get 308 or 307, with which clients keep the method (RFC 9110 §15.4).
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

/// Returns the action for a form: without an id that of a new member.
pub(crate) fn form_of(chain: Chain, id: Option<Value>) -> ActionKind {
    match id {
        Some(id) => ActionKind::Get { chain, id },
        None => ActionKind::NewForm { chain },
    }
}

fn system(target: &Target, head: &Parts) -> Result<ActionKind, Error> {
    match target {
        Target::Home => return Ok(ActionKind::Home),
        Target::SignIn => return Ok(ActionKind::SignIn { next: sign_in::next(head)? }),
        _ => {}
    }
    refuse_any(head.uri.query())?;
    Ok(match target {
        Target::OpenApi => ActionKind::OpenApi,
        Target::Docs => ActionKind::Docs,
        Target::Watch => ActionKind::Watch,
        Target::Health => ActionKind::Health,
        Target::Ready => ActionKind::Ready,
        Target::Metrics => ActionKind::Metrics,
        Target::PageFile(file) => ActionKind::PageFile(file),
        Target::Problems => ActionKind::Problems(Audience::of(&head.headers)),
        Target::Problem(kind) => {
            ActionKind::Problem { kind: *kind, audience: Audience::of(&head.headers) }
        }
        _ => ActionKind::Home,
    })
}

/// The parser of a request for a collection or a member.
struct ActionReader<'request> {
    model: &'request Model,
    caller: &'request Caller,
    head: &'request Parts,
    /// The preferences of the client, to which the parser adds those of the query string.
    wanted: &'request mut ResponsePreferences,
}

impl<'request> ActionReader<'request> {
    /// The resource as the caller sees it.
    fn resource(&self, chain: &Chain) -> &'request ResourceModel {
        self.model.seen_by(self.caller.rules(self.model), chain.resource)
    }

    /// Reads the body of a write in JSON. The inputs of a form are converted.
    async fn json<B>(
        &self,
        resource: &ResourceModel,
        body: B,
        purpose: FormPurpose,
    ) -> Result<Bytes, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let is_form = form::is_form(self.head);
        if is_form {
            cross_site::check_form(self.model, self.head)?;
        } else if !self.head.headers.contains_key(header::CONTENT_TYPE) {
            cross_site::check_untyped(self.model, self.head)?;
        }
        let content = content::read(self.head, body, self.model.limits()).await?;
        if !is_form {
            return Ok(content);
        }
        form_body::json(resource, &content, purpose)
    }

    async fn collection<B>(self, chain: Chain, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (resource, query) = (self.resource(&chain), self.head.uri.query());
        if self.head.method == Method::POST {
            refuse_any(query)?;
            let key = idempotency_key::parse(&self.head.headers)?;
            let bytes = self.json(resource, body, FormPurpose::Create).await?;
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
        if let Some(redirect) = filter_form::redirect(self.model, self.head, self.wanted.format) {
            self.wanted.format = Format::Html;
            return Ok(redirect);
        }
        let mut query = if self.head.method == Method::QUERY {
            refuse_any(query)?;
            CollectionQuery::parse(
                resource,
                &chain.ids,
                Some(&content::query(self.head, body, self.model.limits()).await?),
            )?
        } else {
            CollectionQuery::parse(resource, &chain.ids, query)?
        };
        self.wanted.fields = query.fields.take();
        self.wanted.choose(query.format);
        Ok(ActionKind::List { query, chain })
    }

    async fn member<B>(self, chain: Chain, id: Value, body: B) -> Result<ActionKind, Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (resource, query) = (self.resource(&chain), self.head.uri.query());
        if self.head.method.is_safe() {
            let (fields, format) = fields::of_member(resource, query)?;
            self.wanted.fields = fields;
            self.wanted.choose(format);
            return Ok(ActionKind::Get { chain, id });
        }
        refuse_any(query)?;
        let complete = match self.head.method {
            Method::DELETE => return Ok(ActionKind::Delete { chain, id }),
            Method::PUT => true,
            _ => false,
        };
        if complete {
            content::refuse_part(self.head)?;
        }
        let purpose = if complete { FormPurpose::Replace } else { FormPurpose::Update };
        let bytes = self.json(resource, body, purpose).await?;
        let is_form = form::is_form(self.head);
        if is_form && !complete && *bytes == *b"{}" {
            // Nothing has changed, so nothing is written.
            return Ok(ActionKind::Get { chain, id });
        }
        if !complete && is_json_patch(&self.head.headers) {
            return Ok(ActionKind::Amend { chain, id, patch: JsonPatch::parse(&bytes)? });
        }
        let (mut change, create) = match complete {
            true => assign::replace(resource, self.caller, &chain, &id, &bytes)?,
            false => (assign::update(resource, self.caller, &chain, &id, &bytes)?, Err(vec![])),
        };
        if is_form {
            // A form has the whole value of a field of type `json`.
            change.merged.clear();
        }
        Ok(ActionKind::Write { chain, id, change, create, complete })
    }
}
