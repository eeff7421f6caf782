//! The responses with members that a plan has read or written.

use http::{HeaderValue, StatusCode, header};

use super::{Reply, browse, location};
use crate::{
    base::error::Error,
    http::{
        http_date::Second,
        negotiate::{Coding, Format},
        prefer::ReturnPreference,
    },
    model::{Chain, Model, value::Value},
    plan::{
        FirstResponse,
        validator::{CurrentState, NO_TAG},
    },
    request::action::{Action, ActionKind},
    store::sink::{CellSink, MEMBERS_CLOSING, Sink},
};

/// Returns the entity tag of a member that a page shows. `passed` is the state of the tables whose
/// rows the page passes.
fn tag(
    model: &Model,
    action: &Action,
    written: &[(Value, u64)],
    passed: u64,
) -> Option<HeaderValue> {
    let (_, tag) = written.first().filter(|(_, tag)| *tag != NO_TAG)?;
    Some(action.form(model).of_passed(passed).tag(*tag, Coding::Identity))
}

/// Builds the response with the form that changes a member.
pub(super) fn form(
    model: &Model,
    action: &Action,
    (chain, id): (&Chain, &Value),
    (written, passed): (&[(Value, u64)], u64),
    cells: &CellSink,
) -> Result<Reply, Error> {
    let member = (chain, id, tag(model, action, written, passed));
    let reply = browse::change(model, action, member, cells)?;
    Ok(Reply { scope: Some(action.scope), ..reply })
}

/// Returns what the validators of members are made of, beside their revisions. `None` for a page
/// that leaves something out, as it is not one that a client may keep.
pub(super) fn state(
    sink: &Sink,
    passed: u64,
    modified: Option<Second>,
) -> Option<(u64, Option<Second>)> {
    let is_whole = sink.found().is_none_or(|found| !found.is_partial);
    is_whole.then_some((passed, modified))
}

/// Returns the content: what the sink has rendered, or the page of the member that it has
/// collected.
pub(super) fn content(
    model: &Model,
    action: &Action,
    (written, passed): (&[(Value, u64)], u64),
    sink: Sink,
) -> Result<Vec<u8>, Error> {
    match (&action.kind, sink) {
        (ActionKind::Get { chain, id }, Sink::Cells(cells)) => {
            let member = (chain, id, tag(model, action, written, passed));
            browse::member(model, action, member, &cells)
        }
        (_, sink) => Ok(sink.into_bytes()),
    }
}

/// Builds the response with members that were read or written.
pub(super) fn reply(
    model: &Model,
    action: &Action,
    written: &[(Value, u64)],
    created: bool,
    state: Option<(u64, Option<Second>)>,
    mut content: Vec<u8>,
) -> Reply {
    let many = matches!(action.kind, ActionKind::Create { many: true, .. });
    if many && action.preferences.format == Format::Json && !content.is_empty() {
        content.extend_from_slice(MEMBERS_CLOSING);
    }
    // PUT may have stored other values than the client has sent, so the response has no validator
    // (RFC 9110 §9.3.4). Several members have no common validator.
    let complete = matches!(action.kind, ActionKind::Write { complete: true, .. });
    // A creator that may not read the new member gets its URL alone.
    let is_bare = created && !many && content.is_empty();
    let current = match (written, state) {
        ([(_, tag)], Some((passed, modified)))
            if !(complete || many || is_bare && action.preferences.content.is_none()) =>
        {
            Some(CurrentState { tag: *tag, passed, modified, is_ordered: true })
        }
        _ => None,
    };
    let mut reply =
        Reply::of_members(model, action, content, current).preferred(action.preferences.content);
    if created {
        reply.status = StatusCode::CREATED;
    }
    if is_bare {
        reply.headers.remove(header::CONTENT_TYPE);
    }
    match (&action.kind, written) {
        (
            ActionKind::Create { chain, many: false, .. } | ActionKind::Write { chain, .. },
            [(id, _)],
        ) if created => reply.with(header::LOCATION, &location(model, chain, id)),
        _ => reply,
    }
}

/// Rebuilds the first response to a request with `Idempotency-Key`, for a repeated request. The
/// format is that of the first response, even if the repeated request asks for another format.
pub(super) fn repeated(model: &Model, action: &Action, first: FirstResponse) -> Reply {
    let FirstResponse { written, modified, content: stored } = first;
    let mut wanted = action.preferences.clone();
    let content = match stored {
        Some((format, content)) => {
            wanted.format = format;
            wanted.content.take_if(|content| *content == ReturnPreference::Minimal);
            content
        }
        None => {
            if wanted.content != Some(ReturnPreference::Withheld) {
                wanted.content = Some(ReturnPreference::Minimal);
            }
            vec![]
        }
    };
    let kind = action.kind.clone();
    let as_first = Action { preferences: wanted, ..Action::of(action.caller.clone(), kind) };
    reply(model, &as_first, &written, true, Some((0, modified)), content)
}
