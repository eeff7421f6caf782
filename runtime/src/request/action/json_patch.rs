//! JSON Patch (RFC 6902): a list of operations on the JSON of a member. The result is converted to
//! a change of fields.

mod apply;
mod operation;

pub(crate) use self::apply::too_large;
use json_patch::PatchOperation;
use serde_json::{Map, Value as Json};

use super::assign::{self, Assignments};
use crate::{
    base::error::{Error, Fault, Kind, text},
    model::{MemberPath, ResourceModel, def::Limit, exact},
    plan::Caller,
};

/// The media type of a JSON Patch.
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";

/// The operations of a JSON Patch, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPatch(Vec<PatchOperation>);

impl JsonPatch {
    /// Parses the operations of a JSON Patch.
    ///
    /// # Errors
    /// 400 for invalid JSON; 422 with all errors in the operations.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        operation::read(bytes).map(Self)
    }

    /// Applies the patch to the JSON of a member, and returns the change of its fields. `None` if
    /// no field changes.
    ///
    /// # Errors
    /// 409 if an operation `test` fails. 422 if the path of an operation does not exist, or if the
    /// result breaks the declaration.
    pub fn change(
        &self,
        resource: &ResourceModel,
        caller: &Caller,
        path: MemberPath<'_>,
        member: &[u8],
    ) -> Result<Option<Assignments>, Error> {
        let member = str::from_utf8(member).map_err(Error::internal)?;
        let before = exact::read(member).map_err(Error::internal)?;
        let mut after = before.clone();
        apply::all(&mut after, &self.0, resource.limits)?;
        let changed = changed(before, after)?;
        if changed.is_empty() {
            return Ok(None);
        }
        let changed = exact::write(&Json::Object(changed));
        if changed.len() > resource.limits.size(Limit::BodyBytes) {
            return Err(too_large(resource.limits));
        }
        let mut change = assign::update(resource, caller, path.chain, path.id, changed.as_bytes())?;
        // An operation sets the whole value of a field, so no JSON object is merged with the stored
        // value.
        change.merged.clear();
        Ok(Some(change))
    }
}

/// Returns the names in a JSON object whose values changed, with the new values. A removed name has
/// the value null.
fn changed(before: Json, after: Json) -> Result<Map<String, Json>, Error> {
    let Json::Object(mut after) = after else {
        let fault =
            Fault::body("", "type", text!("After the operations, the member is not an object."));
        return Err(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]));
    };
    let Json::Object(before) = before else {
        return Err(Error::internal("the stored member is not rendered as a JSON object"));
    };
    for (name, value) in before {
        match after.get(&name) {
            Some(other) if exact::same(&value, other) => drop(after.remove(&name)),
            None if !value.is_null() => drop(after.insert(name, Json::Null)),
            _ => {}
        }
    }
    Ok(after)
}
