//! What the store refused, in the words of the request.

use crate::{
    action::{Action, ActionKind},
    error::{Error, Fault, Kind},
    model::{FieldIx, Model, Resource, ResourceIx},
    plan::Refusal,
    route::Chain,
    value::Value,
};

pub(super) fn error(model: &Model, action: &Action, refusal: Refusal) -> Error {
    let Some((chain, id)) = subject(&action.kind) else {
        return Error::internal("the store refused what it was not asked");
    };
    let resource = &model[chain.resource];
    match refusal {
        Refusal::Missing { link } => missing(model, chain, id, link.into()),
        Refusal::Precondition => {
            let detail = "The current representation is not the one that the precondition asks for.";
            Error::new(Kind::PRECONDITION_FAILED, detail)
        }
        Refusal::Echoes(fields) => echoes(resource, &fields),
        Refusal::Taken { step, fields } => {
            let together = if fields.len() > 1 { "these values together" } else { "this value" };
            let detail = format!("Another `{}` has {together} already.", resource.def.name);
            on_fields(Kind::ALREADY_EXISTS, "unique", &detail, action, resource, step, &fields)
        }
        Refusal::Dangling { step, fields } => dangling(model, action, resource, step, &fields),
        Refusal::Restricted(by) => restricted(model, resource, &by),
    }
}

/// The chain and the id that a request names.
fn subject(kind: &ActionKind) -> Option<(&Chain, Option<&Value>)> {
    match kind {
        ActionKind::Get { chain, id }
        | ActionKind::Write { chain, id, .. }
        | ActionKind::Delete { chain, id } => Some((chain, Some(id))),
        ActionKind::List { chain, .. }
        | ActionKind::Create { chain, .. }
        | ActionKind::DeleteMany { chain, .. } => Some((chain, None)),
        _ => None,
    }
}

/// Names the segment of the path that leads nowhere.
fn missing(model: &Model, chain: &Chain, id: Option<&Value>, link: usize) -> Error {
    let mut line: Vec<ResourceIx> = model.ancestors(chain.resource).take(chain.ids.len()).collect();
    line.reverse();
    line.push(chain.resource);
    let ids: Vec<&Value> = chain.ids.iter().chain(id).collect();
    let spelled = |at: usize| {
        let resource = &model[line[at]];
        format!("{} `{}`", resource.def.name, ids[at].spell(resource[FieldIx::ID].kind))
    };
    let link = link.min(ids.len().saturating_sub(1));
    let detail = match link {
        _ if ids.is_empty() => "There is nothing here.".to_owned(),
        0 => format!("There is no {}.", spelled(0)),
        at => format!("There is no {} under {}.", spelled(at), spelled(at - 1)),
    };
    Error::new(Kind::NOT_FOUND, detail)
}

fn echoes(resource: &Resource, fields: &[FieldIx]) -> Error {
    let fault = |ix: &FieldIx| {
        let name = &resource[*ix].name;
        let detail = format!("`{name}` is read-only, and its value is another one.");
        Fault::body(format!("/{name}"), "read_only", detail)
            .hint(Some("Leave it out, or repeat what is stored."))
    };
    Error::faults(Kind::INVALID_CONTENT, fields.iter().map(fault).collect())
}

fn dangling(model: &Model, action: &Action, resource: &Resource, step: usize, fields: &[FieldIx]) -> Error {
    let named = |ix: &FieldIx| resource[*ix].target.map(|target| model[target].def.name);
    let targets: Vec<_> = fields.iter().filter_map(named).map(|name| format!("`{name}`")).collect();
    let detail = format!("The {} it points at does not exist.", targets.join(" and "));
    on_fields(Kind::DANGLING_REFERENCE, "reference", &detail, action, resource, step, fields)
}

fn restricted(model: &Model, resource: &Resource, by: &[ResourceIx]) -> Error {
    let names: Vec<_> = by.iter().map(|ix| format!("`{}`", model[*ix].def.collection)).collect();
    let names = if names.is_empty() { "others".into() } else { names.join(", ") };
    let detail = format!(
        "Members of {names} still refer to this `{}`; delete or change them first.",
        resource.def.name
    );
    Error::new(Kind::STILL_REFERENCED, detail)
}

/// One fault a field, each with the pointer to it in the body.
fn on_fields(
    kind: Kind,
    code: &'static str,
    detail: &str,
    action: &Action,
    resource: &Resource,
    step: usize,
    fields: &[FieldIx],
) -> Error {
    let many = matches!(action.kind, ActionKind::Create { many: true, .. });
    let at = if many { format!("/{step}") } else { String::new() };
    let fault = |ix: &FieldIx| Fault::body(format!("{at}/{}", resource[*ix].name), code, detail);
    Error::faults(kind, fields.iter().map(fault).collect())
}
