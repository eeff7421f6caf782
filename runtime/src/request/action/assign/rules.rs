//! Checks of the values in a body, and the rules for fields that a body does not have.

use super::super::member::Object;
use crate::{
    base::{
        error::{Fault, text},
        limits,
    },
    model::{
        FieldIx, FieldModel, Role,
        def::{FieldKind, FieldMode},
        value::Value,
    },
};

/// All constraints that a value breaks. The value has the kind of the field.
pub(crate) fn broken(field: &FieldModel, pointer: String, value: &Value) -> Vec<Fault> {
    if value.is_null() {
        let detail = text!("`{name}` is required, so it must not be null.", name = &field.name);
        return field
            .required
            .then(|| Fault::body(pointer, "required", detail))
            .into_iter()
            .collect();
    }
    let mut faults = vec![];
    if field.role == Role::Id {
        faults.extend(wrong_id(pointer.clone(), value));
    }
    let breaches = field.constraints.check(field.kind, field.ignore_case, value).into_iter();
    faults.extend(breaches.map(|breach| Fault::body(pointer.clone(), breach.code, breach.detail)));
    faults
}

/// The error in a value that differs from the value in the URL. `stays` is true if the schema could
/// permit the change with `movable: true`.
pub(super) fn unlike_url(
    object: &Object<'_>,
    ix: FieldIx,
    value: &Value,
    stays: bool,
) -> Option<Fault> {
    let field = &object.resource()[ix];
    let given = object.get(ix).filter(|given| *given != value)?;
    let (name, value) = (&field.name, value.spell(field.kind));
    let detail = text!("`{name}` must be {value}, as in the URL.", name, value);
    let hint = match given {
        // A JSON Patch that replaces the whole document may have removed the value.
        Value::Null => text!("Send the same value as in the URL."),
        _ if stays => {
            text!(
                "Omit the field; a member can move to another parent only if the schema says `movable: true`."
            )
        }
        _ => text!("Omit the field."),
    };
    Some(Fault::body(object.at(name), "read_only", detail).hint(Some(hint)))
}

/// Whether PUT sets a field to its default if the body does not have the field.
pub(super) fn is_replaced(field: &FieldModel) -> bool {
    field.mode == FieldMode::ReadWrite && field.role != Role::Parent
}

/// Whether the server assigns the id of a new member, because the id is optional and the body has
/// none.
pub(super) fn is_left_out(object: &Object<'_>, ix: FieldIx, field: &FieldModel) -> bool {
    let is_said = object.get(ix).map_or_else(|| object.names(ix), |id| !id.is_null());
    field.role == Role::Id && object.resource().def.optional_id && !is_said
}

/// The error in an id that a client chose; `None` if the id is valid.
pub(super) fn wrong_id(pointer: String, id: &Value) -> Option<Fault> {
    let code = match id {
        Value::Integer(..=0) => "minimum",
        Value::Integer(id) if *id > limits::INTEGER_ID_MAX => "maximum",
        Value::Integer(_) => return None,
        id if id.is_id() => return None,
        _ => {
            let expected = text!(
                "a text of 1 to {most} characters without control characters, and not `.` or `..`",
                most = limits::STRING_ID_CHARS_MAX,
            );
            return Some(Fault::body(pointer, "format", text!("must be {expected}.", expected)));
        }
    };
    let detail = text!("must be a whole number from 1 to {most}.", most = limits::INTEGER_ID_MAX);
    Some(Fault::body(pointer, code, detail))
}

/// Whether a value is a JSON object in a field of type `json`.
pub(super) fn is_object(field: &FieldModel, value: &Value) -> bool {
    field.kind == FieldKind::Json && matches!(value, Value::Text(json) if json.starts_with('{'))
}
