//! Hints for invalid parameters: what the client probably meant, in the spelling of this server.

use super::{foreign, parameter::Parameter};
use crate::{
    base::{
        error::{Text, text},
        nearest::did_you_mean,
    },
    model::{FieldModel, Op, ResourceModel},
};

/// A hint for a parameter that is neither a field nor a known parameter, if another API has such a
/// parameter. Spelling mistakes get their hint elsewhere.
pub(super) fn parameter(resource: &ResourceModel, name: &str, of: &Parameter<'_>) -> Option<Text> {
    if let Some(ours) = foreign::parameter(name) {
        return Some(did_you_mean(ours));
    }
    if let Some(field) = referring(resource, name) {
        return no_value(field, of).or_else(|| Some(did_you_mean(&field.name)));
    }
    if let Some((step, _)) = name.split_once('.')
        && referring(resource, step).is_some()
    {
        let resource = resource.def.name;
        return Some(text!(
            "A query names fields of `{resource}` itself; only access rules follow references.",
            resource
        ));
    }
    let (name, op) = name.rsplit_once("__")?;
    let field =
        resource.field(name).map(|ix| &resource[ix]).or_else(|| referring(resource, name))?;
    let op_here = Op::from_name(op).or_else(|| foreign::operator(op))?;
    let meant = format!("{}[{}]", field.name, op_here.name());
    (is_filter(field) && op_here.fits(field.kind)).then(|| with_case(field, op, &meant))
}

/// The reference field that the client named without `_id`: `author_id` for `author`.
fn referring<'model>(resource: &'model ResourceModel, name: &str) -> Option<&'model FieldModel> {
    let refers = |field: &&FieldModel| {
        let reference = field.def.and_then(|def| def.reference);
        let alias = reference.is_some_and(|reference| reference.alias == name);
        let bare = field.name.strip_suffix("_id").or_else(|| field.name.strip_suffix("Id"));
        is_filter(field) && field.target.is_some() && (alias || bare == Some(name))
    };
    resource.fields.iter().find(refers)
}

fn is_filter(field: &FieldModel) -> bool {
    field.visible() && field.filterable
}

/// A hint for an operator of another API.
pub(super) fn operator(field: &FieldModel, op: &str, value: &str) -> Option<Text> {
    let ours = foreign::operator(op)?;
    if ours == Op::Eq && foreign::is_null(value) && !field.required {
        return Some(did_you_mean("null"));
    }
    ours.fits(field.kind).then(|| with_case(field, op, ours.name()))
}

/// Adds a note about the case of letters if the other API's operator ignores it.
fn with_case(field: &FieldModel, op: &str, meant: &str) -> Text {
    let near = did_you_mean(meant);
    match (foreign::ignores_case(op), field.ignore_case) {
        (false, _) => near,
        (true, true) => text!("{near} For this field it ignores the case of ASCII letters.", near),
        (true, false) => {
            text!("{near} It is case-sensitive, unless the schema says `ignore_case: true`.", near)
        }
    }
}

/// A hint for a value that the field cannot have, if the value means null in another API.
pub(super) fn no_value(field: &FieldModel, of: &Parameter<'_>) -> Option<Text> {
    let (name, brackets) = of.parts();
    let negated = brackets.last().is_some_and(|op| *op == "ne");
    let plain = negated || brackets.last().is_none_or(|last| *last == "eq" || name == "filter");
    (plain && foreign::is_null(&of.value) && !field.required).then(|| {
        let long = if name == "filter" {
            format!("filter[{}]", field.name)
        } else {
            field.name.to_string()
        };
        did_you_mean(&format!("{long}[null]={}", !negated))
    })
}
