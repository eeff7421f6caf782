//! The error responses for requests that the store refuses. Their texts name the resources and ids
//! in the request.

mod conflicts;

use http::{HeaderValue, header};

use self::conflicts::conflicts;
use crate::{
    base::{
        error::{Error, Fault, Kind, Text, excerpt, quoted, text},
        limits,
    },
    model::{Chain, FieldIx, Model, ResourceIx, ResourceModel, Role, def::FieldMode, value::Value},
    plan::{Caller, EarlyEnd, Preconditions, Refusal, Restriction, Tags},
    request::{
        action::{Action, ActionKind, too_large},
        identify::challenged,
    },
};

/// The value of `Retry-After` in seconds, for a patch that conflicted with other writes too often.
const RETRY_SECONDS: u16 = 1;

pub(crate) fn error(model: &Model, action: &Action, refusal: Refusal) -> Error {
    let Some((chain, id)) = subject(&action.kind) else {
        return Error::internal("the store refused an action that cannot be refused");
    };
    let resource = model.seen(action.caller.rules(model)).resource(chain.resource);
    match refusal {
        // An anonymous caller learns nothing about a member that it may not change.
        Refusal::Missing { .. } | Refusal::Forbidden
            if needs_credentials(model, action, &refusal) =>
        {
            challenged(model, text!("This needs credentials, or the member does not exist."))
        }
        Refusal::Missing { link } => match &action.kind {
            ActionKind::Write { create: Err(faults), .. }
                if !faults.is_empty() && usize::from(link) == chain.ids.len() =>
            {
                Error::from_faults(Kind::INVALID_CONTENT, faults.clone())
            }
            ActionKind::Write { complete: true, .. } if usize::from(link) == chain.ids.len() => {
                not_created(model, chain, id)
            }
            _ => not_found(missing(model, chain, id, link.into())),
        },
        Refusal::Forbidden => forbidden(resource, &action.kind),
        Refusal::Precondition => precondition_failed(model, action),
        Refusal::Overtaken => overtaken(),
        Refusal::Reused => {
            let detail = text!(
                "This `Idempotency-Key` was already used for a request with another body; use a new key."
            );
            Error::new(Kind::IDEMPOTENCY_KEY_REUSED, detail)
        }
        Refusal::Unconditional => unconditional(resource, id.is_some()),
        Refusal::TooLarge => too_large(model.limits()),
        Refusal::TooMuch => too_much(),
        Refusal::Echoes(fields) => echoes(resource, &fields),
        Refusal::Conflicts(all) => conflicts(model, &action.kind, resource, &all),
        Refusal::Restricted(by) => restricted(model, resource, &by),
    }
}

/// Whether the caller of a write is anonymous and could see more as somebody else. Of what is read,
/// only the form of a change is forbidden.
fn needs_credentials(model: &Model, action: &Action, refusal: &Refusal) -> bool {
    let is_read = matches!(
        action.kind,
        ActionKind::Get { .. } | ActionKind::List { .. } | ActionKind::NewForm { .. }
    );
    let is_write = !is_read || *refusal == Refusal::Forbidden;
    is_write && action.caller == Caller::Anonymous && model.accounts.is_some()
}

/// Returns the error (403) for a write that an access rule forbids.
fn forbidden(resource: &ResourceModel, kind: &ActionKind) -> Error {
    let name = resource.def.name;
    let detail = match kind {
        ActionKind::Create { .. } => text!("You may not create `{name}` with these values.", name),
        ActionKind::Delete { .. } => text!("You may not delete this `{name}`.", name),
        ActionKind::DeleteMany { .. } => {
            text!("You may not delete all of these members of `{name}`; none was deleted.", name)
        }
        _ => text!("You may not change this `{name}`, or not to these values.", name),
    };
    Error::new(Kind::FORBIDDEN, detail)
}

/// Returns the chain of a request (the resource, and the ids of its ancestors). Also returns the id
/// of the member if the URL names a member.
fn subject(kind: &ActionKind) -> Option<(&Chain, Option<&Value>)> {
    match kind {
        ActionKind::Get { chain, id }
        | ActionKind::Write { chain, id, .. }
        | ActionKind::Amend { chain, id, .. }
        | ActionKind::Delete { chain, id } => Some((chain, Some(id))),
        ActionKind::List { chain, .. }
        | ActionKind::NewForm { chain }
        | ActionKind::Create { chain, .. }
        | ActionKind::DeleteMany { chain, .. } => Some((chain, None)),
        _ => None,
    }
}

/// Returns the error (412) for a precondition that does not hold.
pub(super) fn failed() -> Error {
    let detail = text!("The current representation does not match the precondition.");
    Error::new(Kind::PRECONDITION_FAILED, detail)
}

/// Returns the error (412) for a write whose precondition does not hold. The text names the member
/// if the reason is certain.
fn precondition_failed(model: &Model, action: &Action) -> Error {
    let (ActionKind::Write { chain, id, .. }
    | ActionKind::Amend { chain, id, .. }
    | ActionKind::Delete { chain, id }) = &action.kind
    else {
        return collection_changed(&action.preconditions);
    };
    let resource = &model[chain.resource];
    let (name, id) = (resource.def.name, excerpt(&id.spell(resource[FieldIx::ID].kind)));
    let conditions = &action.preconditions;
    let detail = match (&conditions.if_match, &conditions.if_none_match) {
        (Some(Tags::Listed(tags)), None) if !tags.is_empty() => {
            text!(
                "`{name}` `{id}` has changed since the `ETag` in `If-Match`; GET it again.",
                name,
                id
            )
        }
        (None, Some(Tags::Any)) => text!("`{name}` `{id}` exists already.", name, id),
        // A tag that this server has not made never belonged to the member. If there are several
        // preconditions, any of them may have failed.
        _ => return failed(),
    };
    Error::new(Kind::PRECONDITION_FAILED, detail)
}

/// Returns the error (412) for a write to a collection whose precondition does not hold.
fn collection_changed(conditions: &Preconditions) -> Error {
    match (&conditions.if_match, &conditions.if_none_match) {
        (Some(Tags::Listed(tags)), None) if !tags.is_empty() => {
            let detail =
                text!("The collection has changed since the `ETag` in `If-Match`; GET it again.");
            Error::new(Kind::PRECONDITION_FAILED, detail)
        }
        _ => failed(),
    }
}

/// Returns the error for a posted array if the response would be too large.
fn too_much() -> Error {
    let detail = text!(
        "The created members are together larger than {most} MiB; send them in several arrays.",
        most = limits::PAGE_BYTES_MAX / MIB,
    );
    Error::new(Kind::INVALID_CONTENT, detail)
}

/// Returns the error for a page that is too large. A client that pages by number must choose a
/// smaller `per_page` itself, because the page size determines which members a page has.
pub(super) fn page_too_large(per_page: u32, early: EarlyEnd) -> Error {
    let detail = text!(
        "A page of {per_page} of these members is larger than {most} MiB; use `per_page={fits}`, or `limit`, which ends a page early.",
        per_page,
        most = limits::PAGE_BYTES_MAX / MIB,
        fits = early.fits,
    );
    Error::from_faults(Kind::INVALID_PARAMETER, vec![Fault::parameter("per_page", "range", detail)])
}

const MIB: usize = 1024 * 1024;

/// Returns the error (503) for a patch that conflicted with another write in each attempt.
pub(crate) fn overtaken() -> Error {
    let detail = text!("Other writes changed the member during each attempt to apply the patch.");
    Error::unavailable(detail, RETRY_SECONDS)
}

/// Returns the error (428) for a change without a precondition. No cache may store the response
/// (RFC 6585 §3).
fn unconditional(resource: &ResourceModel, member: bool) -> Error {
    let name = resource.def.name;
    let detail = match resource.def.takes_ids() {
        _ if !member => text!(
            "A change of a `{name}` needs `If-Match`: GET the collection with the same query, and send its `ETag`.",
            name,
        ),
        true => text!(
            "A change of a `{name}` needs `If-Match`: GET the member, and send its `ETag`. To create one, send `If-None-Match: *`.",
            name,
        ),
        false => text!(
            "A change of a `{name}` needs `If-Match`: GET the member, and send its `ETag`.",
            name,
        ),
    };
    Error::new(Kind::PRECONDITION_REQUIRED, detail)
        .with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

fn not_found(detail: Text) -> Error {
    Error::new(Kind::NOT_FOUND, detail)
}

/// Returns the error (404) for a PUT to a member that does not exist, if the server assigns the
/// ids.
fn not_created(model: &Model, chain: &Chain, id: Option<&Value>) -> Error {
    let sentence = missing(model, chain, id, chain.ids.len());
    not_found(text!("{sentence} PUT creates a member only if clients choose the ids.", sentence))
}

/// Returns the sentence that names the member or ancestor in the URL that does not exist.
fn missing(model: &Model, chain: &Chain, id: Option<&Value>, link: usize) -> Text {
    let mut line: Vec<ResourceIx> = model.ancestors(chain.resource).take(chain.ids.len()).collect();
    line.reverse();
    line.push(chain.resource);
    let ids: Vec<&Value> = chain.ids.iter().chain(id).collect();
    let name = |at: usize| model[line[at]].def.name;
    let spelled = |at: usize| ids[at].spell(model[line[at]][FieldIx::ID].kind);
    let link = link.min(ids.len().saturating_sub(1));
    match link {
        _ if ids.is_empty() => text!("This URL does not exist."),
        0 => text!("There is no {name} `{id}`.", name = name(0), id = spelled(0)),
        at => text!(
            "There is no {name} `{id}` under {above} `{above_id}`.",
            name = name(at),
            id = spelled(at),
            above = name(at - 1),
            above_id = spelled(at - 1),
        ),
    }
}

fn echoes(resource: &ResourceModel, fields: &[FieldIx]) -> Error {
    let fault = |ix: &FieldIx| {
        let field = &resource[*ix];
        let name = &field.name;
        let once = field.role == Role::Parent || field.mode == FieldMode::CreateOnly;
        let detail = match once {
            true => text!(
                "`{name}` can only be set when the member is created, and the sent value differs from the stored one.",
                name
            ),
            false => text!(
                "`{name}` is read-only, and the sent value differs from the stored one.",
                name
            ),
        };
        let hint = match field.role {
            Role::Parent => text!(
                "Omit the field, or send the stored value; a member can move to another parent only if the schema says `movable: true`."
            ),
            _ => text!("Omit the field, or send the stored value."),
        };
        Fault::body(format!("/{name}"), "read_only", detail).hint(Some(hint))
    };
    Error::from_faults(Kind::INVALID_CONTENT, fields.iter().map(fault).collect())
}

/// Returns the error for a deletion that references prevent. The references point to the member, or
/// to members that would be deleted with it.
fn restricted(model: &Model, resource: &ResourceModel, by: &[Restriction]) -> Error {
    let name = resource.def.name;
    let names = collections(model, by.iter().map(|one| one.by));
    let through = collections(model, by.iter().filter_map(|one| one.through));
    let detail = match (&*names, &*through) {
        ("", _) => text!(
            "Other members still refer to members that would be deleted with this `{name}`; delete or change them first.",
            name,
        ),
        (_, "") => text!(
            "Members of {names} still refer to this `{name}`; delete or change them first.",
            names,
            name,
        ),
        _ => text!(
            "Members of {names} still refer to members of {through}, which would be deleted with this `{name}`; delete or change them first.",
            names,
            through,
            name,
        ),
    };
    Error::new(Kind::STILL_REFERENCED, detail)
}

/// Returns the names of the resources' collections, each once, in backquotes.
fn collections(model: &Model, of: impl Iterator<Item = ResourceIx>) -> String {
    let mut names = vec![];
    for name in of.map(|ix| model[ix].def.collection) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    quoted(names)
}
