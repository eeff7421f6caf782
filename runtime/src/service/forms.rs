//! Forms that people submit: what their URLs say in place of a head, and their responses, which are
//! redirects, or the form again with what is wrong.

use bytes::Buf;
use http::{HeaderValue, Method, StatusCode, header, request::Parts};

use super::Service;
use crate::{
    base::error::{Error, Kind},
    http::negotiate::Format,
    perform,
    plan::ClientKey,
    reply::Reply,
    request::{
        action::{Action, ActionKind, PageContext, ResponsePreferences, form_of},
        enclosed,
        form::{self, SubmittedForm},
        identify::Claim,
        route::{Scope, Target},
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
    /// Otherwise the form again, if its user can mend it.
    pub(super) async fn answer_form(
        &self,
        client: ClientKey,
        head: &Parts,
        result: Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        let Some(form) = SubmittedForm::of(head) else { return result };
        match result {
            Ok(reply) => Ok(followed(head, form, reply)),
            Err(error) if is_mendable(&error, form) => {
                // If the form cannot be shown, the error that refused it is the answer.
                self.form_again(client, head, form, &error).await.or(Err(error))
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
        let target = Target::find(model, &head.uri)?;
        let is_deletion = head.method == Method::DELETE;
        let kind = match target {
            Target::Collection(chain) => form_of(chain, None),
            Target::Member(chain, id) => form_of(chain, Some(id)),
            _ => ActionKind::SignIn { next: form.next().map(str::to_owned) },
        };
        // A sign-in that fails needs no caller.
        let caller = match kind {
            ActionKind::SignIn { .. } => crate::plan::Caller::Anonymous,
            _ => self.confirm(client, Claim::of(model, head)?, head).await?,
        };
        let context = PageContext::of_refused(model, head, form, error);
        let page = PageContext { is_form: !is_deletion, ..context };
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
        Ok(reply)
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
fn followed(head: &Parts, form: &SubmittedForm, reply: Reply) -> Reply {
    let is_resource = matches!(reply.scope, Some(Scope::Resource(_)));
    if !reply.status.is_success() || form.next().is_none() && !is_resource {
        return reply;
    }
    let field = |name| reply.headers.get(name).cloned();
    let written = || field(header::LOCATION).or_else(|| field(header::CONTENT_LOCATION));
    let location = match form.next() {
        Some(next) => HeaderValue::from_str(next).ok(),
        None if head.method == Method::DELETE => above(head.uri.path()),
        None => written().or_else(|| HeaderValue::from_str(head.uri.path()).ok()),
    };
    let location = location.unwrap_or_else(|| HeaderValue::from_static("/"));
    let mut to = Reply::see(location);
    for cookie in reply.headers.get_all(header::SET_COOKIE) {
        to.headers.append(header::SET_COOKIE, cookie.clone());
    }
    (to.statements, to.scope) = (reply.statements, reply.scope);
    to
}

/// Returns the path of the collection of a member's path.
fn above(path: &str) -> Option<HeaderValue> {
    let (collection, _) = path.rsplit_once('/')?;
    HeaderValue::from_str(collection).ok()
}
