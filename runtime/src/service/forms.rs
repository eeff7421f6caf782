//! Forms that people submit: what their URLs say in place of a head, and their responses, which are
//! redirects, or the form again with what is wrong.

use std::{pin::pin, time::Instant};

use http::{HeaderValue, Method, StatusCode, Uri, header, request::Parts};

use super::{Service, deadline};
use crate::{
    base::{
        error::{Error, Kind, text},
        unwind::catch_unwind,
    },
    http::{arriving::RequestBody, negotiate::Format},
    model::{Chain, Model, RuleSet, def::Operation, value::Value},
    perform,
    plan::{Caller, ClientKey},
    reply::{Reply, form_address, sign_in_address},
    request::{
        access,
        action::{Action, ActionKind, CREATED, PageContext, ResponsePreferences, form_of},
        enclosed,
        form::{self, SubmittedForm},
        identify::Claim,
        route::{Scope, Target, has_sessions, missing},
    },
};

impl Service {
    /// Reads what the URL and the body of a request say in place of its head: a session, and the
    /// method of a form.
    pub(super) async fn open(&self, head: &mut Parts, body: RequestBody<'_>) -> Result<(), Error> {
        if self.0.may_enclose {
            Box::pin(enclosed::take(&self.0.model, head, body)).await?;
        }
        form::open(&self.0.model, head)
    }

    /// Returns the response to a form after its request: a redirect if the request was successful.
    /// Otherwise the form again, if its user can mend it. If the form cannot be shown, the error
    /// that refused it is the answer.
    pub(super) async fn answer_form(
        &self,
        client: ClientKey,
        (head, begun): (&Parts, Instant),
        result: Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        let Some(form) = SubmittedForm::of(head) else { return result };
        let model = &self.0.model;
        match result {
            Ok(reply) => {
                let page = {
                    let page = pin!(self.page_after(client, (head, form), &reply));
                    let page = deadline::keep(model.limits(), &Method::GET, begun, page);
                    catch_unwind(pin!(page)).await.unwrap_or(None)
                };
                Ok(followed(model, form, page, reply))
            }
            Err(error) if is_mendable(&error, form) => {
                let again = {
                    let again = pin!(self.form_again(client, head, form, &error));
                    let again = deadline::keep(model.limits(), &Method::GET, begun, again);
                    catch_unwind(pin!(again)).await
                };
                again.or(Err(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the page to show after a form has written a resource; `None` for another form, and
    /// if its user may see no page of the resource.
    async fn page_after(
        &self,
        client: ClientKey,
        (head, form): (&Parts, &SubmittedForm),
        reply: &Reply,
    ) -> Result<Option<HeaderValue>, Error> {
        let model = &self.0.model;
        let (None, Some(Scope::Resource(resource)), true) =
            (form.next(), reply.scope, reply.status.is_success())
        else {
            return Ok(None);
        };
        let (Target::Collection(chain) | Target::Member(chain, _)) =
            Target::find(model, &head.uri)?
        else {
            return Ok(None);
        };
        // The write may have ended the session of its caller, who is then another one from now on.
        let caller = match Claim::of(model, head) {
            Ok(claim) => self.confirm(client, claim, head).await.unwrap_or(Caller::Anonymous),
            Err(_) => Caller::Anonymous,
        };
        let pages = WrittenPages::of(model, head, reply);
        if let Some(member) = &pages.member
            && self.sees(client, &caller, member, head).await
        {
            return Ok(HeaderValue::from_str(member).ok());
        }
        let is_new = head.method == Method::POST;
        let is_account = model.accounts.as_ref().is_some_and(|one| one.resource == resource);
        if caller == Caller::Anonymous && is_account && has_sessions(model) {
            let next = pages.member.filter(|_| !is_new);
            let form = sign_in_address(model, next.as_deref().unwrap_or(&model.urls.link("/")));
            let created = if is_new { ["&", CREATED].concat() } else { String::new() };
            return Ok(HeaderValue::from_str(&[form, created].concat()).ok());
        }
        let collection = Target::Collection(chain.clone());
        let is_listed = model[chain.resource].def.methods.contains(Operation::List)
            && access::may(model, &collection, &caller, &Method::GET);
        let page = match pages.collection.filter(|_| is_listed) {
            Some(collection) => collection,
            None if is_new => [&form_address(model, &chain, None), "?", CREATED].concat(),
            None => return Ok(None),
        };
        Ok(HeaderValue::from_str(&page).ok())
    }

    /// Whether a caller may see the page of a member, whose URL is one that clients use.
    async fn sees(&self, client: ClientKey, caller: &Caller, url: &str, head: &Parts) -> bool {
        let (model, store) = (&self.0.model, &self.0.store);
        let [whole, link] = [model.urls.location(""), model.urls.link("")];
        let path = url.strip_prefix(&*whole).or_else(|| url.strip_prefix(&*link));
        let uri = path.and_then(|path| model.urls.local(path).parse::<Uri>().ok());
        let target = uri.and_then(|uri| Target::find(model, &uri).ok());
        let Some(Target::Member(chain, id)) = target else { return false };
        let target = Target::Member(chain.clone(), id.clone());
        if access::admit(model, target, caller, &Method::GET).is_err() {
            return false;
        }
        let rules = caller.rules(model);
        if rules == RuleSet::NONE {
            return true;
        }
        let fields = model.readable(rules, chain.resource);
        let preferences = ResponsePreferences { fields, ..ResponsePreferences::PLAIN };
        let kind = ActionKind::Get { chain, id };
        let mut action = Action { client, preferences, ..Action::of(caller.clone(), kind) };
        match perform::answer(store, &mut action, head).await {
            Ok(result) => Reply::render(model, &action, result).is_ok(),
            Err(_) => false,
        }
    }

    async fn form_again(
        &self,
        client: ClientKey,
        head: &Parts,
        form: &SubmittedForm,
        error: &Error,
    ) -> Result<Reply, Error> {
        let (model, store) = (&self.0.model, &self.0.store);
        let (kind, caller) = match shown(model, head)? {
            // A sign-in that fails needs no caller.
            None => {
                (ActionKind::SignIn { next: form.next().map(str::to_owned) }, Caller::Anonymous)
            }
            Some((chain, id)) => {
                let caller = self.confirm(client, Claim::of(model, head)?, head).await?;
                let target = match (&id, head.method == Method::DELETE) {
                    (Some(id), true) => Target::Member(chain.clone(), id.clone()),
                    _ => Target::Form(chain.clone(), id.clone()),
                };
                access::admit(model, target, &caller, &Method::GET)?;
                (form_of(chain, id), caller)
            }
        };
        let context = PageContext::of_refused(model, head, form, error);
        let page = PageContext { is_form: head.method != Method::DELETE, ..context };
        let mut preferences = ResponsePreferences::PLAIN;
        if let ActionKind::Get { chain, .. } = &kind {
            preferences.fields = model.readable(caller.rules(model), chain.resource);
        }
        preferences.choose(Some(Format::Html));
        let action = Action::of_page(model, (kind, caller), page, preferences);
        let mut action = Action { client, ..action };
        let result = perform::answer(store, &mut action, head).await?;
        let mut reply = Reply::render(model, &action, result)?;
        reply.status = error.status();
        reply.make_unstored();
        reply.add_fields_of(model, error, true);
        Ok(reply)
    }
}

/// Returns what the form of a request is about: a collection, or a member that a GET gives. Returns
/// `None` if it is about a sign-in.
///
/// # Errors
/// 404 for a request that is not that of a form.
fn shown(model: &Model, head: &Parts) -> Result<Option<(Chain, Option<Value>)>, Error> {
    match Target::find(model, &head.uri)? {
        Target::Collection(chain) => Ok(Some((chain, None))),
        Target::Member(chain, id) if model[chain.resource].def.methods.contains(Operation::Get) => {
            Ok(Some((chain, Some(id))))
        }
        _ if model.urls.below(head.uri.path()) == Some("/sessions") => Ok(None),
        _ => Err(missing(text!("There is no such form."))),
    }
}

/// Whether the user of a form can mend what is wrong.
fn is_mendable(error: &Error, form: &SubmittedForm) -> bool {
    let is_sign_in = form.next().is_some() && error.kind() == Kind::UNAUTHENTICATED;
    is_sign_in
        || error.kind() == Kind::FORBIDDEN
        || [
            StatusCode::BAD_REQUEST,
            StatusCode::CONFLICT,
            StatusCode::PRECONDITION_FAILED,
            StatusCode::UNPROCESSABLE_ENTITY,
        ]
        .contains(&error.status())
}

/// Returns the redirect after a form: to the page that it names, or to that of what it has written,
/// or else to the home page (303, RFC 9110 §15.4.4).
fn followed(model: &Model, form: &SubmittedForm, page: Option<HeaderValue>, reply: Reply) -> Reply {
    let is_of_resource = matches!(reply.scope, Some(Scope::Resource(_)));
    if !reply.status.is_success() || form.next().is_none() && !is_of_resource {
        return reply;
    }
    let page = form.next().map_or(page, |next| HeaderValue::from_str(next).ok());
    let home = || HeaderValue::from_str(&model.urls.link("/")).ok();
    let Some(location) = page.or_else(home) else { return reply };
    let mut to = Reply::see(location);
    for cookie in reply.headers.get_all(header::SET_COOKIE) {
        to.headers.append(header::SET_COOKIE, cookie.clone());
    }
    (to.statements, to.scope) = (reply.statements, reply.scope);
    to
}

/// The URLs of the pages that show what a write has done.
struct WrittenPages {
    /// The page of the member; `None` after a deletion.
    member: Option<String>,
    /// The page of its collection.
    collection: Option<String>,
}

impl WrittenPages {
    fn of(model: &Model, head: &Parts, reply: &Reply) -> Self {
        let here = model.urls.external(&head.uri);
        let collection = match head.method {
            Method::POST => Some(here.to_string()),
            _ => here.rsplit_once('/').map(|(collection, _)| collection.to_owned()),
        };
        let field = |name| Some(reply.headers.get(name)?.to_str().ok()?.to_owned());
        let written = || field(header::LOCATION).or_else(|| field(header::CONTENT_LOCATION));
        let member = match head.method {
            Method::DELETE => None,
            Method::POST => written(),
            _ => written().or_else(|| Some(here.to_string())),
        };
        Self { member, collection }
    }
}
