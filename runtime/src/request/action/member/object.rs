//! The parser of one object in a body.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{
    FieldTest, Object,
    value::{JsonKind, TypeMismatch, ValueDefect, ValueSeed},
};
use crate::{
    base::{
        error::{Fault, excerpt, text},
        limits, nearest,
    },
    model::{
        FieldModel, ResourceModel,
        def::FieldKind,
        slots::Slots,
        value::{ExpectedValue, Value},
    },
};

/// A parser of a resource's object. A value that is not an object is skipped and reported.
pub(super) struct ObjectSeed<'model, 'faults> {
    pub(super) resource: &'model ResourceModel,
    pub(super) known: FieldTest,
    /// The JSON Pointer to the object in the body.
    pub(super) pointer: String,
    pub(super) faults: &'faults mut Vec<Fault>,
}

impl ObjectSeed<'_, '_> {
    /// Reports that the value is not an object.
    fn refuse<T, E>(self, found: JsonKind) -> Result<Option<T>, E> {
        push(self.faults, || {
            Fault::body(self.pointer, "type", text!("must be an object, not {found}.", found))
        });
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
        self.refuse(JsonKind::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        self.refuse(JsonKind::Boolean)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        self.refuse(JsonKind::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        self.refuse(JsonKind::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        self.refuse(JsonKind::Number)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        self.refuse(JsonKind::String)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        self.refuse(JsonKind::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Self { resource, known, pointer, faults } = self;
        let slots = Slots::new(resource);
        let mut object = Object { slots, pointer, current_password: None, ill_typed: vec![] };
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let Some(ix) = resource.field(&name).filter(|ix| known(&resource[*ix])) else {
                if resource.current_password.as_deref() == Some(&*name) {
                    current_password(&mut object, &mut map, &name, faults)?;
                    continue;
                }
                map.next_value::<IgnoredAny>()?;
                push(faults, || unknown(&object, known, &name));
                continue;
            };
            let is_second = object.names(ix);
            match map.next_value_seed(ValueSeed::new(resource, ix))? {
                Ok(value) => object.slots.set(ix, value),
                Err(wrong) => {
                    object.ill_typed.push(ix);
                    push(faults, || defect(&resource[ix], object.at(&name), wrong));
                }
            }
            if is_second {
                push(faults, || twice(&object, &name));
            }
        }
        Ok(Some(object))
    }
}

/// Parses the present password beside a new one.
fn current_password<'de, A: MapAccess<'de>>(
    object: &mut Object<'_>,
    map: &mut A,
    name: &str,
    faults: &mut Vec<Fault>,
) -> Result<(), A::Error> {
    if object.current_password.is_some() {
        push(faults, || twice(object, name));
    }
    match map.next_value_seed(ValueSeed::of(FieldKind::Password))? {
        Ok(Value::Password(password)) => object.current_password = Some(password),
        Ok(_) => {}
        Err(wrong) => {
            let resource = object.resource();
            let mut passwords =
                resource.fields.iter().filter(|field| field.kind == FieldKind::Password);
            let field = passwords.next().expect("accounts have a password");
            push(faults, || defect(field, object.at(name), wrong));
        }
    }
    Ok(())
}

fn twice(object: &Object<'_>, name: &str) -> Fault {
    Fault::body(object.at(name), "duplicate", text!("`{name}` occurs twice.", name))
}

/// Adds an error if the list is not full. The error is built only then, since a body can have
/// thousands of errors.
pub(super) fn push(faults: &mut Vec<Fault>, fault: impl FnOnce() -> Fault) {
    if faults.len() < limits::FAULTS_MAX {
        faults.push(fault());
    }
}

fn unknown(object: &Object<'_>, known: FieldTest, name: &str) -> Fault {
    let resource = object.resource();
    let names = resource.fields.iter().filter(|field| known(field)).map(|field| &*field.name);
    let hint = nearest::hint(name, names);
    let (at, field) = (object.at(&excerpt(name)), excerpt(name));
    let detail = text!("`{resource}` has no field `{field}`.", resource = resource.def.name, field);
    Fault::body(at, "unknown", detail).hint(hint)
}

fn defect(field: &FieldModel, pointer: String, wrong: ValueDefect) -> Fault {
    match wrong {
        ValueDefect::Type(wrong) => ill_typed(field, pointer, &wrong),
        ValueDefect::Duplicate(found) => {
            let detail = text!("`{name}` occurs twice.", name = excerpt(&found.name));
            Fault::body(pointer + &found.pointer, "duplicate", detail)
        }
    }
}

fn ill_typed(field: &FieldModel, pointer: String, wrong: &TypeMismatch) -> Fault {
    let spelled_bare =
        [FieldKind::Integer, FieldKind::Number, FieldKind::Boolean].map(ExpectedValue::Kind);
    let quoted = wrong.found == Some(JsonKind::Number) && !spelled_bare.contains(&wrong.expected);
    let hint = match wrong.expected {
        _ if quoted && field.constraints.choices().is_none() => {
            Some(text!("Write it as a JSON string, in quotes."))
        }
        _ if !wrong.is_quoted => None,
        ExpectedValue::Kind(FieldKind::Boolean) => Some(text!("Write it without quotes.")),
        _ => Some(text!("Write it as a JSON number, without quotes.")),
    };
    let expected = field.described(wrong.expected);
    let detail = match wrong.found {
        None => text!("must be {expected}.", expected),
        Some(found) => text!("must be {expected}, not {found}.", expected, found),
    };
    Fault::body(pointer, "type", detail).hint(hint)
}

/// A parser of a member name. The name is borrowed from the body unless it has escapes.
pub(in crate::request::action) struct NameSeed;

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
