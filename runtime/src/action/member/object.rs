//! One object of a body, member by member.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{
    Known, Object,
    value::{ValueSeed, Wrong},
};
use crate::{
    def::FieldKind,
    error::{Fault, excerpt},
    limits,
    model::Resource,
    nearest::nearest,
    slots::Slots,
    value::Expected,
};

/// An object of a resource; what is none is passed over, and said.
pub(super) struct ObjectSeed<'model, 'faults> {
    pub(super) resource: &'model Resource,
    pub(super) known: Known,
    /// Where the object stands in the body.
    pub(super) pointer: String,
    pub(super) faults: &'faults mut Vec<Fault>,
}

impl ObjectSeed<'_, '_> {
    /// What is no object has no slots, but a fault.
    fn refuse<T, E>(self, found: &str) -> Result<Option<T>, E> {
        push(self.faults, || Fault::body(self.pointer, "type", format!("must be an object, not {found}.")));
        Ok(None)
    }
}

impl<'de, 'model> DeserializeSeed<'de> for ObjectSeed<'model, '_> {
    type Value = Option<Object<'model>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 'model> Visitor<'de> for ObjectSeed<'model, '_> {
    type Value = Option<Object<'model>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        self.refuse("null")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        self.refuse("a boolean")
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        self.refuse("a number")
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        self.refuse("a number")
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        self.refuse("a number")
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        self.refuse("a string")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        self.refuse("an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Self { resource, known, pointer, faults } = self;
        let mut object = Object { slots: Slots::new(resource), pointer, ill_typed: vec![] };
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let Some(ix) = resource.field(&name).filter(|ix| known(&resource[*ix])) else {
                map.next_value::<IgnoredAny>()?;
                push(faults, || unknown(&object, known, &name));
                continue;
            };
            let twice = object.names(ix);
            match map.next_value_seed(ValueSeed(resource[ix].kind))? {
                Ok(value) => object.slots.set(ix, value),
                Err(wrong) => {
                    object.ill_typed.push(ix);
                    push(faults, || ill_typed(object.at(&name), &wrong));
                }
            }
            if twice {
                let detail = || format!("`{name}` stands here twice.");
                push(faults, || Fault::body(object.at(&name), "duplicate", detail()));
            }
        }
        Ok(Some(object))
    }
}

/// Adds a fault, which is not even made where the list is full: a body can have thousands.
pub(super) fn push(faults: &mut Vec<Fault>, fault: impl FnOnce() -> Fault) {
    if faults.len() < limits::FAULTS_MAX {
        faults.push(fault());
    }
}

fn unknown(object: &Object<'_>, known: Known, name: &str) -> Fault {
    let resource = object.resource();
    let names = resource.fields.iter().filter(|field| known(field)).map(|field| &*field.name);
    let hint = nearest(name, names).map(|near| format!("Did you mean `{near}`?"));
    let shown = excerpt(name);
    let detail = format!("`{}` has no field `{shown}`.", resource.def.name);
    Fault::body(object.at(&shown), "unknown", detail).hint(hint)
}

fn ill_typed(pointer: String, wrong: &Wrong) -> Fault {
    let spelled_bare = [FieldKind::Integer, FieldKind::Number, FieldKind::Boolean].map(Expected::Kind);
    let quoted = matches!(wrong.found, "a number") && !spelled_bare.contains(&wrong.expected);
    let hint = quoted.then_some("Write it as a JSON string, in quotes.");
    let spelled = match wrong.found {
        "" => String::new(),
        found => format!(", not {found}"),
    };
    Fault::body(pointer, "type", format!("must be {}{spelled}.", wrong.expected)).hint(hint)
}

/// The name of a member, borrowed where it has no escapes.
struct NameSeed;

impl<'de> DeserializeSeed<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(name.into())
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(name.to_owned().into())
    }
}
