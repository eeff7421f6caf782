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
mod own_change;
mod page;
mod page_context;
mod parameter;
mod passed;
mod precondition;
mod preferences;
mod query;
mod reader;
mod sign_in;
mod sort;
mod sound_json;
mod trace;

use std::sync::Arc;

use http::{Method, StatusCode, request::Parts};

use self::reader::ActionReader;
pub use self::{
    assign::{Assignments, PutCreation},
    call::Call,
    cursor::OrderPosition,
    json_patch::JsonPatch,
    kind::ActionKind,
    page::{PageRequest, Window},
    page_context::{FormMessage, PageContext, RefusedForm},
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
    form_body::{BEFORE, empty_choice, inputs as form_inputs, is_same},
    json_patch::too_large,
    member::admit,
    own_change::OwnChange,
    page::foreign_cursor,
    page_context::CREATED,
    parameter::{RESERVED, append},
    preferences::unacceptable,
    query::refuse_any,
};
pub use crate::http::prefer::ReturnPreference;
use crate::{
    base::error::Error,
    http::{
        arriving::RequestBody,
        audience::Audience,
        negotiate::{Coding, Codings, Format},
    },
    model::{Chain, FieldIx, Model, ResourceIx, value::Value},
    plan::{
        Caller, ClientKey, Preconditions,
        validator::{Form, TagReading},
    },
    request::{
        access::AdmittedRequest,
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
    /// Whether another thread can handle the request again, from its head alone.
    pub is_movable: bool,
    /// The preconditions that the store checks.
    pub preconditions: Preconditions,
    /// The preconditions that can be checked only when the response is known.
    pub deferred: DeferredPreconditions,
    /// The client's preferences for the response, such as its format.
    pub preferences: ResponsePreferences,
    /// Whether the response to a read will be cached. Then the read also returns the state of its
    /// tables.
    pub is_cached: bool,
    /// The information for a web page, beside the action; `None` for other formats.
    pub page: Option<Box<PageContext>>,
    /// The part of the interface that the URL belongs to. The store does not use it.
    pub scope: Scope,
    /// The resources whose rows the response passes for the caller, besides those of its place,
    /// sorted. `None` if there are none.
    pub passed: Option<Arc<[ResourceIx]>>,
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
            is_movable: false,
            preconditions: Preconditions::default(),
            deferred: DeferredPreconditions::default(),
            preferences: ResponsePreferences::PLAIN,
            is_cached: false,
            page: None,
            scope: Scope::default(),
            passed: None,
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
    pub fn parse<'r>(
        model: &'r Model,
        AdmittedRequest { target, caller }: AdmittedRequest,
        head: &'r Parts,
        body: RequestBody<'r>,
    ) -> impl Future<Output = Result<Self, Error>> + use<'r> {
        async move {
            let scope = target.scope();
            let is_meta = matches!(head.method, Method::OPTIONS | Method::TRACE);
            let is_form = matches!(target, Target::Form(..) | Target::SignIn);
            let mut wanted = wanted(&target, head, is_meta)?;
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
                    refuse_any(head.uri.query().filter(|query| id.is_some() || *query != CREATED))?;
                    form_of(chain, id)
                }
                target => system(&target, head)?,
            };
            wanted.fields = wanted.fields.take().or(readable);
            if !head.method.is_safe() && !caller.may_read() {
                wanted.withhold(&kind);
            }
            match &kind {
                // A response to a posted array has no `Location`. Without the members in the body,
                // the client would not learn their ids.
                ActionKind::Create { many: true, .. } => {
                    wanted.content.take_if(|content| *content == ReturnPreference::Minimal);
                }
                kind if kind.is_document() => wanted.codings = Codings::of(&head.headers),
                _ => {}
            }
            let (page, passed) = page(model, head, (&kind, &caller), &mut wanted, is_form);
            let shown = (&kind, &wanted, passed.is_some());
            let (preconditions, deferred) = preconditions(model, &caller, head, shown, state)?;
            let preferences = wanted;
            let action = Self {
                page,
                passed,
                preconditions,
                deferred,
                preferences,
                scope,
                ..Self::of(caller, kind)
            };
            Ok(action)
        }
    }

    /// The change that the action makes to the account of its caller, and that account.
    pub(crate) fn own_change(&self, model: &Model) -> Option<OwnChange<'_>> {
        let ActionKind::Write { chain, id, change, .. } = &self.kind else { return None };
        let accounts = model.accounts.as_ref().filter(|one| one.resource == chain.resource)?;
        let account = self.caller.account().filter(|account| *id == account.id)?;
        let (login, password) = (accounts.login, accounts.password);
        Some(OwnChange { account, change, login, password })
    }

    /// The hash of the password that the caller sets for its own account, if the action does that.
    pub(crate) fn own_password(&self, model: &Model) -> Option<&str> {
        self.own_change(model)?.password_hash()
    }

    /// Whether the action is the form that changes a member, or that creates one.
    pub(crate) fn is_form(&self) -> bool {
        self.page.as_ref().is_some_and(|page| page.is_form)
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

    /// Returns the action whose response is a web page.
    pub(crate) fn of_page(
        model: &Model,
        (kind, caller): (ActionKind, Caller),
        mut page: PageContext,
        mut preferences: ResponsePreferences,
    ) -> Self {
        page.look_up(model, (&kind, &caller), &mut preferences);
        let passed = passed::passed(model, &kind, preferences.related.as_deref(), Some(&page));
        Self { page: Some(Box::new(page)), passed, preferences, ..Self::of(caller, kind) }
    }

    /// The form of the response's validators. For a member it depends on the format, the selected
    /// fields and the related rows, otherwise only on the format.
    pub(crate) fn form(&self, model: &Model) -> Form {
        self.kind.form(model, (&self.preferences, self.passed.is_some()), &self.caller)
    }
}

/// Returns the preferences of the client. `is_meta` is for OPTIONS and TRACE.
fn wanted(target: &Target, head: &Parts, is_meta: bool) -> Result<ResponsePreferences, Error> {
    Ok(match target {
        Target::Form(..) | Target::SignIn => ResponsePreferences::of_page(head),
        Target::Collection(_) | Target::Member(..) => ResponsePreferences::parse(head),
        Target::Home if !is_meta => ResponsePreferences::of_home(head)?,
        _ => ResponsePreferences::PLAIN,
    })
}

/// Returns what a web page is made of, if the response is one, and the resources whose rows the
/// response passes.
fn page(
    model: &Model,
    head: &Parts,
    (kind, caller): (&ActionKind, &Caller),
    wanted: &mut ResponsePreferences,
    is_form: bool,
) -> (Option<Box<PageContext>>, Option<Arc<[ResourceIx]>>) {
    #[cfg(test)]
    if let Some(related) = head.extensions.get::<crate::model::RelatedRequest>() {
        wanted.related = Some(Box::new(related.clone()));
    }
    let is_page = wanted.format == Format::Html || matches!(kind, ActionKind::Docs);
    let page = is_page.then(|| {
        let mut page = Box::new(PageContext { is_form, ..PageContext::of(model, head) });
        page.look_up(model, (kind, caller), wanted);
        page
    });
    let passed = passed::passed(model, kind, wanted.related.as_deref(), page.as_deref());
    (page, passed)
}

/// Parses the preconditions of a request: those that the store checks, and those that can be
/// checked only when the response is known. What a safe method returns has the tag of its form.
fn preconditions(
    model: &Model,
    caller: &Caller,
    head: &Parts,
    (kind, wanted, passes): (&ActionKind, &ResponsePreferences, bool),
    state: Option<TagReading>,
) -> Result<(Preconditions, DeferredPreconditions), Error> {
    let Some(state) = state else { return Ok(Default::default()) };
    // To read all field names once is faster than to look up each precondition.
    if !head.headers.keys().any(|name| name.as_str().starts_with("if-")) {
        let lacking = Preconditions::default().are_lacking(model, kind);
        return Ok((Preconditions { lacking, ..Preconditions::default() }, Default::default()));
    }
    let form = head.method.is_safe().then(|| kind.form(model, (wanted, passes), caller));
    let codings = || if exports(kind, wanted) { wanted.codings.always() } else { wanted.codings };
    let shown = form.map(|form| TagReading::Shown(form, codings()));
    let mut preconditions = Preconditions::parse(&head.headers, state, shown)?;
    preconditions.lacking = preconditions.are_lacking(model, kind);
    let is_read = matches!(kind, ActionKind::List { .. } | ActionKind::Get { .. });
    let deferred = match is_read || kind.is_document() {
        true => preconditions.leave(wanted),
        false => DeferredPreconditions::default(),
    };
    Ok((preconditions, deferred))
}

/// Returns how the tags of a request for a target are read. `None` if the target has no validators
/// of the server: those of a custom route are known to its handler alone. Preconditions do not
/// apply to OPTIONS and TRACE (RFC 9110 §13.2.1).
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
    let (Target::Collection(chain) | Target::Member(chain, _) | Target::Form(chain, Some(_))) =
        target
    else {
        return None;
    };
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
        Target::PageFile(file) => ActionKind::PageFile(Arc::clone(file)),
        Target::Problems => ActionKind::Problems(Audience::of(head)),
        Target::Problem(kind) => ActionKind::Problem { kind: *kind, audience: Audience::of(head) },
        _ => ActionKind::Home,
    })
}
