//! `Serialize` and `Deserialize` for the structs of new members and of patches.
//!
//! Their form is that of request bodies, with the declared names. The macros of `api/v1` implement
//! the traits with these functions.

mod value;

use std::{borrow::Cow, fmt};

pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde::{
    de::{Error as _, MapAccess, Visitor},
    ser::{Error as _, SerializeMap as _},
};

use self::value::{MemberSeed, MemberValue};
use super::{
    resource::{Resource, SlotRecord},
    typed::linked,
};
use crate::{
    base::error::excerpt,
    model::{
        FieldModel, ResourceModel, Role, def::FieldMode, field_type::choice, slots::Slots,
        value::Value,
    },
};

/// The kind of struct that is serialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireForm {
    /// The values of a new member, as in the body of POST.
    New,
    /// A change, as in the body of PATCH. Absent fields keep their values.
    Patch,
}

impl WireForm {
    /// Whether a client may write the field.
    fn may_write(self, field: &FieldModel) -> bool {
        match (field.mode, self) {
            (FieldMode::ReadWrite | FieldMode::WriteOnly, _) => true,
            (FieldMode::CreateOnly, Self::New) => field.role != Role::Parent,
            _ => false,
        }
    }

    /// Whether a struct without the field is an error.
    fn needs(self, resource: &ResourceModel, field: &FieldModel) -> bool {
        let is_needed = match field.role {
            Role::Id => !resource.def.optional_id,
            Role::Declared => field.required && field.default.is_none(),
            Role::Parent | Role::CreatedAt | Role::UpdatedAt => false,
        };
        self == Self::New && is_needed
    }
}

/// Serializes a struct as a map of the fields that have a value and that a client may write.
///
/// # Errors
/// A value has no form in JSON, or the serializer fails.
pub fn serialize<R: Resource, T: SlotRecord, S: Serializer>(
    record: T,
    form: WireForm,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let resource = linked::<R>().map_err(|_| S::Error::custom(undeclared::<R>()))?;
    let mut slots = Slots::new(resource);
    record.write(&mut slots);
    write(&slots, form, serializer)
}

fn write<S: Serializer>(
    slots: &Slots<'_>,
    form: WireForm,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let fields = slots.resource.indexed().filter(|(_, field)| form.may_write(field));
    let members: Vec<(&FieldModel, &Value)> =
        fields.filter_map(|(ix, field)| Some((field, slots.get(ix)?))).collect();
    let mut map = serializer.serialize_map(Some(members.len()))?;
    for (field, value) in members {
        map.serialize_entry(&*field.name, &MemberValue { field, value })?;
    }
    map.end()
}

/// Deserializes a struct from a map. Only fields that a client may write are accepted.
///
/// # Errors
/// A field is unknown, missing, or may not be written by clients; or a value does not fit its
/// field.
pub fn deserialize<'de, R: Resource, T: SlotRecord, D: Deserializer<'de>>(
    form: WireForm,
    deserializer: D,
) -> Result<T, D::Error> {
    let resource = linked::<R>().map_err(|_| D::Error::custom(undeclared::<R>()))?;
    let mut slots = deserializer.deserialize_map(RecordVisitor { resource, form })?;
    T::read(&mut slots).map_err(|error| D::Error::custom(misfit(resource, &error.field)))
}

fn undeclared<R: Resource>() -> String {
    let name = R::RESOURCE;
    format!("the declaration of `{name}` has mistakes, which `Api::build` reports")
}

/// The message for a value that the Rust type of its field cannot hold.
fn misfit(resource: &ResourceModel, name: &str) -> String {
    let field = resource.fields.iter().find(|field| &*field.name == name);
    match field.and_then(|field| field.def).map(|def| def.choices) {
        None | Some([]) => format!("the value of `{name}` does not fit its Rust type"),
        Some(choices) => format!("`{name}` must be one of {}", choice::listed(choices)),
    }
}

/// A visitor of a map that has a value for some fields of a resource.
struct RecordVisitor {
    resource: &'static ResourceModel,
    form: WireForm,
}

impl RecordVisitor {
    /// The message for a member that the struct does not have, or that a client may not write.
    fn refusal(&self, name: &str) -> String {
        let writable = |field: &&FieldModel| self.form.may_write(field);
        let allowed: Vec<_> = self.resource.fields.iter().filter(writable).collect();
        let allowed = match allowed.as_slice() {
            [] => "no field is allowed".to_owned(),
            fields => {
                let names: Vec<_> =
                    fields.iter().map(|field| format!("`{}`", field.name)).collect();
                format!("allowed: {}", names.join(", "))
            }
        };
        let field = self.resource.fields.iter().find(|field| *field.name == *name);
        let reason = match field.map(|field| (field.mode, self.form)) {
            None | Some((FieldMode::Hidden, _)) => "is not a field of",
            // Only the parent is neither read-only nor a field of a new member.
            Some((FieldMode::CreateOnly, WireForm::New)) => "comes from the URL, not from",
            Some((FieldMode::CreateOnly, WireForm::Patch)) => "cannot be changed in",
            Some(_) => "is read-only in",
        };
        format!("`{}` {reason} `{}`; {allowed}", excerpt(name), self.resource.def.name)
    }
}

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Slots<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.resource.def.name;
        match self.form {
            WireForm::New => write!(f, "the values of a new `{name}`"),
            WireForm::Patch => write!(f, "a change of one `{name}`"),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut slots = Slots::new(self.resource);
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let writable = self.resource.field(&name).map(|ix| (ix, &self.resource[ix]));
            let Some((ix, field)) = writable.filter(|(_, field)| self.form.may_write(field)) else {
                return Err(A::Error::custom(self.refusal(&name)));
            };
            if slots.get(ix).is_some() {
                return Err(A::Error::duplicate_field(&field.name));
            }
            // The position in the input, if the message has one, stays at the end of the message.
            let value = map.next_value_seed(MemberSeed { field });
            slots.set(ix, value.map_err(|error| A::Error::custom(format!("`{name}`: {error}")))?);
        }
        let is_missing = |(ix, field): &(_, &'static FieldModel)| {
            let form = self.form;
            form.may_write(field) && form.needs(self.resource, field) && slots.get(*ix).is_none()
        };
        match self.resource.indexed().find(is_missing) {
            Some((_, field)) => Err(A::Error::missing_field(&field.name)),
            None => Ok(slots),
        }
    }
}
