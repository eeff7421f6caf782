//! The responses that need no data from the store, such as the home document and redirects.

use http::{HeaderValue, StatusCode, header};

use super::{Reply, browse, describe, openapi, problem, vary};
use crate::{
    base::error::Error,
    http::negotiate::Format,
    model::Model,
    plan::FoundLookups,
    request::action::{Action, ActionKind},
    store::sink::Sink,
};

/// Builds the response to an action that has no plan.
pub(super) fn reply(model: &Model, action: &Action, sink: &Sink) -> Result<Reply, Error> {
    Ok(match &action.kind {
        ActionKind::Redirect { location, status } => {
            let mut reply = Reply::new(*status).with(header::LOCATION, location);
            if action.preferences.format == Format::Html {
                vary(&mut reply.headers, "accept");
            }
            reply
        }
        #[cfg(feature = "docs-page")]
        ActionKind::Docs => browse::docs(model, action)?.validated(model, action)?,
        ActionKind::Watch => browse::watch_state(model),
        ActionKind::PageFile(file) => browse::file(model, action, file)?,
        ActionKind::NewForm { chain } => match sink.found() {
            Some(found) => browse::new(model, action, chain, found)?,
            None => browse::new(model, action, chain, &FoundLookups::default())?,
        },
        ActionKind::SignIn { next } => browse::sign_in(model, action, next.as_deref())?,
        ActionKind::Trace(message) => {
            let mut reply = Reply::json(StatusCode::OK, message.clone().into_bytes());
            reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("message/http"));
            reply
        }
        ActionKind::Describe(target) => {
            describe::target(model, &action.caller, target).compressed(action).0
        }
        ActionKind::Health | ActionKind::Ready => {
            Reply::json(StatusCode::OK, br#"{"status":"ok"}"#.to_vec())
        }
        ActionKind::Problems(audience) => {
            problem::kinds(model, *audience).validated(model, action)?
        }
        ActionKind::Problem { kind, audience } => {
            problem::kind(model, *kind, *audience).validated(model, action)?
        }
        ActionKind::OpenApi => {
            Reply::stored(model, action, &model.openapi, || openapi::compact(model))?
        }
        ActionKind::Home => {
            let home = match sink.found() {
                Some(found) => browse::home(model, action, found)?,
                None => describe::home(model),
            };
            home.varying_by_format(action).validated(model, action)?
        }
        other => {
            return Err(Error::internal(format!(
                "an action that needs the store has no plan: {other:?}"
            )));
        }
    })
}
