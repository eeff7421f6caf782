//! The parser of a JSON object into one slot for each field. It builds no tree of values, and
//! reports all errors of the body together.

mod object;
mod value;

use std::{borrow::Cow, fmt};

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

pub(super) use self::object::NameSeed;
use self::object::ObjectSeed;
pub(crate) use self::value::admit;
use super::content;
use crate::{
    base::{
        error::{Error, Fault, Kind, text},
        limits,
        secret::Secret,
        work_time,
    },
    model::{FieldIx, FieldModel, ResourceModel, slots::Slots, value::Value},
};

/// A parsed object, with a value for each field that the object contains.
pub(super) struct Object<'model> {
    pub(super) slots: Slots<'model>,
    /// The JSON Pointer to the object in the body.
    pub(super) pointer: String,
    /// The present password beside a new one, if the members are the accounts.
    pub(super) current_password: Option<Secret>,
    /// The fields whose values have the wrong type.
    ill_typed: Vec<FieldIx>,
}

impl<'model> Object<'model> {
    /// Creates an object from a typed call. Values that their fields cannot store are removed and
    /// reported.
    pub(super) fn from_slots(
        mut slots: Slots<'model>,
        pointer: String,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let mut ill_typed = vec![];
        for (ix, field) in slots.resource.indexed() {
            let admitted = slots.get(ix).map_or(Ok(()), |value| admit(field.kind, value));
            if let Err(expected) = admitted {
                slots.remove(ix);
                ill_typed.push(ix);
                let at = format!("{pointer}/{}", escape(&field.name));
                object::push(faults, || {
                    Fault::body(at, "type", text!("must be {expected}.", expected))
                });
            }
        }
        Self { slots, pointer, current_password: None, ill_typed }
    }

    pub(super) const fn resource(&self) -> &'model ResourceModel {
        self.slots.resource
    }

    pub(super) fn get(&self, ix: FieldIx) -> Option<&Value> {
        self.slots.get(ix)
    }

    pub(super) fn take(&mut self, ix: FieldIx) -> Option<Value> {
        self.slots.remove(ix)
    }

    /// Whether the body contains the field, even with a value of the wrong type.
    pub(super) fn names(&self, ix: FieldIx) -> bool {
        self.get(ix).is_some() || self.ill_typed.contains(&ix)
    }

    /// The JSON Pointer to a field of the object.
    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, escape(name))
    }
}

/// Escapes a name for a JSON Pointer (RFC 6901 §3).
pub(super) fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        name.replace('~', "~0").replace('/', "~1").into()
    } else {
        name.into()
    }
}

/// A function that says whether a body may contain a field.
pub(super) type FieldTest = fn(&FieldModel) -> bool;

/// Parses a body that is one object.
pub(super) fn one<'model>(
    resource: &'model ResourceModel,
    known: FieldTest,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<Object<'model>, Error> {
    read(resource, known, bytes, faults)?
        .ok_or_else(|| Error::from_faults(Kind::INVALID_CONTENT, std::mem::take(faults)))
}

/// Parses a body that is one object of changes. If the body is an array, the error explains that a
/// JSON Patch needs its own media type.
pub(super) fn changes<'model>(
    resource: &'model ResourceModel,
    known: FieldTest,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<Object<'model>, Error> {
    read(resource, known, bytes, faults)?.ok_or_else(|| {
        let is_array = bytes.trim_ascii_start().first() == Some(&b'[');
        let hint = || {
            is_array.then(|| {
                text!("For a JSON Patch send `Content-Type: application/json-patch+json`.")
            })
        };
        let faults = std::mem::take(faults).into_iter().map(|fault| fault.hint(hint())).collect();
        Error::from_faults(Kind::INVALID_CONTENT, faults)
    })
}

/// Parses a body; `None` if it is not an object.
fn read<'model>(
    resource: &'model ResourceModel,
    known: FieldTest,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<Option<Object<'model>>, Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let seed = ObjectSeed { resource, known, pointer: String::new(), faults };
    let slots = seed.deserialize(&mut reader).map_err(|error| malformed(&error))?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(slots)
}

/// Parses a body that is an object or an array of objects. Also returns whether it is an array.
pub(super) fn read_many<'model>(
    resource: &'model ResourceModel,
    known: FieldTest,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<(Vec<Object<'model>>, bool), Error> {
    if bytes.trim_ascii_start().first() != Some(&b'[') {
        return Ok((vec![one(resource, known, bytes, faults)?], false));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let slots = reader_seq(&mut reader, ArrayVisitor { resource, known, faults })?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok((slots, true))
}

fn reader_seq<'de, V: Visitor<'de>>(
    reader: &mut serde_json::Deserializer<serde_json::de::SliceRead<'de>>,
    visitor: V,
) -> Result<V::Value, Error> {
    reader.deserialize_seq(visitor).map_err(|error| malformed(&error))
}

/// The error of a body that is not JSON, or whose parser has ended because the time was over.
pub(super) fn malformed(error: &serde_json::Error) -> Error {
    if let Err(late) = content::check_time() {
        return late;
    }
    let (early, error) = (error.is_eof(), error.to_string());
    let detail = match early {
        true => text!("The body ends too early: {error}.", error),
        false => text!("The body is not JSON: {error}.", error),
    };
    Error::new(Kind::MALFORMED_BODY, detail)
}

struct ArrayVisitor<'model, 'faults> {
    resource: &'model ResourceModel,
    known: FieldTest,
    faults: &'faults mut Vec<Fault>,
}

impl<'de, 'model> Visitor<'de> for ArrayVisitor<'model, '_> {
    type Value = Vec<Object<'model>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let Self { resource, known, faults } = self;
        let mut members = vec![];
        for at in 0..limits::ARRAY_MEMBERS_MAX {
            if work_time::is_over() {
                return Err(de::Error::custom("the time is over"));
            }
            let seed = ObjectSeed { resource, known, pointer: format!("/{at}"), faults };
            match array.next_element_seed(seed)? {
                Some(slots) => members.extend(slots),
                None if at == 0 => {
                    faults.push(Fault::body(
                        "",
                        "min_items",
                        text!("The array must have at least one element."),
                    ));
                    return Ok(members);
                }
                None => return Ok(members),
            }
        }
        if array.next_element::<IgnoredAny>()?.is_some() {
            let detail = text!(
                "The array must have at most {most} elements.",
                most = limits::ARRAY_MEMBERS_MAX
            );
            faults.push(Fault::body("", "max_items", detail));
            while array.next_element::<IgnoredAny>()?.is_some() {}
        }
        Ok(members)
    }
}
