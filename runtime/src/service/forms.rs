//! Forms that people submit: what their URLs say in place of a head, and their responses, which are
//! redirects, or the form again with what is wrong.

use std::{pin::pin, time::Instant};

use bytes::Buf;
use http::{HeaderValue, Method, StatusCode, header, request::Parts};

use super::{Service, deadline};
use crate::{
    base::{
        error::{Error, Kind, text},
        unwind::catch_unwind,
    },
    http::negotiate::Format,
    model::{Chain, Model, def::Operation, value::Value},
    perform,
    plan::{Caller, ClientKey},
    reply::Reply,
    request::{
        access,
        action::{Action, ActionKind, PageContext, ResponsePreferences, form_of},
        enclosed,
        form::{self, SubmittedForm},
        identify::Claim,
        route::{Scope, Target, missing},
    },
};

impl Service {
    /// Reads what the URL and the body of a request say in place of its head: a session, and the
    /// method of a form.
    pub(super) async fn open<B>(&self, head: &mut Parts, body: B) -> Result<(), Error>
    where
        B: http_body::Body<Data: Buf>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
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
            Ok(reply) => Ok(followed(model, head, form, reply)),
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
        let mut action =
            Action { client, preferences, page: Some(Box::new(page)), ..Action::of(caller, kind) };
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

/// Returns the redirect after a form: to the page that it names, or to the member that it has
/// written (303, RFC 9110 §15.4.4).
fn followed(model: &Model, head: &Parts, form: &SubmittedForm, reply: Reply) -> Reply {
    if !reply.status.is_success() {
        return reply;
    }
    let location = match (form.next(), reply.scope) {
        (Some(next), _) => HeaderValue::from_str(next).ok(),
        (None, Some(Scope::Resource(resource))) => {
            let methods = model[resource].def.methods;
            let has_pages = [Operation::Get, Operation::List].map(|one| methods.contains(one));
            after(model, head, &reply, has_pages)
        }
        (None, _) => return reply,
    };
    let home = || HeaderValue::from_str(&model.urls.link("/")).ok();
    let Some(location) = location.or_else(home) else { return reply };
    let mut to = Reply::see(location);
    for cookie in reply.headers.get_all(header::SET_COOKIE) {
        to.headers.append(header::SET_COOKIE, cookie.clone());
    }
    (to.statements, to.scope) = (reply.statements, reply.scope);
    to
}

/// Returns the URL of the page to show after a write: that of the member, or else that of the
/// collection. Returns `None` if there is neither.
fn after(
    model: &Model,
    head: &Parts,
    reply: &Reply,
    [has_members, has_collection]: [bool; 2],
) -> Option<HeaderValue> {
    let here = model.urls.external(&head.uri);
    let collection = match head.method {
        Method::POST => &*here,
        _ => here.rsplit_once('/')?.0,
    };
    if head.method == Method::DELETE || !has_members {
        return HeaderValue::from_str(collection).ok().filter(|_| has_collection);
    }
    let field = |name| reply.headers.get(name).cloned();
    let written = field(header::LOCATION).or_else(|| field(header::CONTENT_LOCATION));
    written.or_else(|| HeaderValue::from_str(&here).ok())
}
