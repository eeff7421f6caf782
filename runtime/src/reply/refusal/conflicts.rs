//! The error response for values of written members that are in conflict with other members.

use crate::{
    base::{
        error::{Error, Fault, Kind, Text, and_more, excerpt, quoted, text},
        limits,
    },
    model::{FieldIx, Model, ResourceModel, def::FieldMode, value::Value},
    plan::{ConflictKind, WriteConflict},
    request::action::ActionKind,
};

/// Returns the error for values that are in conflict with other members. The first conflict decides
/// the kind of the error. The list of single errors has an entry for each field in conflict.
pub(super) fn conflicts(
    model: &Model,
    kind: &ActionKind,
    resource: &ResourceModel,
    all: &[WriteConflict],
) -> Error {
    let faults = |one: &WriteConflict| match one.kind {
        ConflictKind::Taken => taken(kind, resource, one),
        ConflictKind::Dangling => dangling(model, kind, resource, one),
    };
    let Some((first, others)) = all.split_first() else {
        return Error::internal("the store refused a write for no conflict");
    };
    let mut listed = faults(first);
    let of_first = listed.len();
    listed.extend(others.iter().flat_map(faults));
    listed.truncate(limits::FAULTS_MAX);
    if first.kind == ConflictKind::Dangling {
        return Error::from_faults(Kind::DANGLING_REFERENCE, listed);
    }
    let sentence = taken_sentence(resource, &first.fields);
    let detail = match &*element(kind, first.step) {
        "" => sentence,
        element => text!("At `{element}`: {sentence}", element, sentence),
    };
    Error::about(Kind::ALREADY_EXISTS, and_more(detail, listed.len() - of_first), listed)
}

/// Returns the sentence about values of unique fields that another member already has.
fn taken_sentence(resource: &ResourceModel, fields: &[FieldIx]) -> Text {
    let names: Vec<_> = returned(resource, fields).map(|ix| &*resource[ix].name).collect();
    let name = resource.def.name;
    match names.as_slice() {
        [] => {
            text!(
                "Another `{name}` already has the same value in a field that is not returned.",
                name
            )
        }
        [field] => text!("Another `{name}` already has the same `{field}`.", name, field = *field),
        [first @ .., last] => {
            let first = quoted(first);
            text!(
                "Another `{name}` already has the same {first} and `{last}`.",
                name,
                first,
                last = *last
            )
        }
    }
}

/// The fields that representations may contain. The names of others are for nobody.
fn returned<'a>(
    resource: &'a ResourceModel,
    fields: &'a [FieldIx],
) -> impl Iterator<Item = FieldIx> + 'a {
    fields.iter().copied().filter(|ix| resource[*ix].mode != FieldMode::Hidden)
}

/// Returns the single errors for values of unique fields that another member already has: one for
/// each field that may be named. Without such a field, an element of an array is named alone.
fn taken(kind: &ActionKind, resource: &ResourceModel, conflict: &WriteConflict) -> Vec<Fault> {
    let (element, sentence) =
        (element(kind, conflict.step), taken_sentence(resource, &conflict.fields));
    let at = |ix: FieldIx| format!("{element}/{}", resource[ix].name);
    let mut pointers: Vec<_> = returned(resource, &conflict.fields).map(at).collect();
    if pointers.is_empty() && !element.is_empty() {
        pointers.push(element.clone());
    }
    let fault = |pointer| Fault::body(pointer, "unique", sentence.clone());
    pointers.into_iter().map(fault).collect()
}

/// Returns the single errors for references to members that do not exist, one for each reference.
fn dangling(
    model: &Model,
    kind: &ActionKind,
    resource: &ResourceModel,
    WriteConflict { step, fields, .. }: &WriteConflict,
) -> Vec<Fault> {
    let element = element(kind, *step);
    let fault = |ix: &FieldIx| {
        let field = &resource[*ix];
        let (name, target) = (&field.name, field.target.map(|target| model[target].def.name));
        let id = value(kind, *step, *ix).map(|id| excerpt(&id.spell(field.kind)));
        let detail = match (target, id) {
            (Some(target), Some(id)) => {
                text!("`{name}`: there is no {target} `{id}`.", name, target, id)
            }
            (Some(target), None) => text!("`{name}`: there is no {target}.", name, target),
            (None, _) => text!("`{name}`: there is no such member.", name),
        };
        Fault::body(format!("{element}/{}", field.name), "reference", detail)
    };
    fields.iter().map(fault).collect()
}

/// Returns the value that a request sets a field to, or `None` if the request does not set the
/// field.
fn value(kind: &ActionKind, step: usize, field: FieldIx) -> Option<&Value> {
    let assigned = match kind {
        ActionKind::Create { members, .. } => members.get(step)?,
        ActionKind::Write { change, .. } => change,
        _ => return None,
    };
    assigned.columns.iter().find(|(ix, _)| *ix == field).map(|(_, value)| value)
}

/// Returns the JSON Pointer to an element of a body that is an array. It is empty if the body is a
/// single object.
fn element(kind: &ActionKind, step: usize) -> String {
    let many = matches!(kind, ActionKind::Create { many: true, .. });
    if many { format!("/{step}") } else { String::new() }
}
