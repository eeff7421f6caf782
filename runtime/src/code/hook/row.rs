//! The conversion of members from user code to rows, so that they are rendered like stored members.

use crate::{
    code::{resource::Resource, typed::Member},
    model::{self, Role, field_type::FieldType, slots::Slots, value::Value},
    store::behaviour::MemberValues,
};

/// Converts a member to its revision and a value for each field.
pub(crate) fn row_of<R: Resource>(
    resource: &model::ResourceModel,
    member: Member<R>,
) -> MemberValues {
    let mut slots = Slots::new(resource);
    for (role, time) in [(Role::CreatedAt, member.created_at), (Role::UpdatedAt, member.updated_at)]
    {
        let ix = resource.system(role);
        slots.set(ix, time.into_value(resource[ix].kind));
    }
    member.value.write(&mut slots);
    let values =
        resource.indexed().map(|(ix, _)| slots.remove(ix).unwrap_or(Value::Null)).collect();
    MemberValues { revision: member.revision.0, values, related: vec![] }
}
