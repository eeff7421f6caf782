//! A JSON object read into one slot per field: no tree, and all faults of the body at once.

mod value;

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use self::value::{ValueSeed, Wrong};
use crate::{
    def::FieldKind,
    error::{Error, Fault, Kind},
    limits,
    model::{Field, FieldIx, Resource},
    route::nearest,
    value::Value,
};

/// What an object says: a value for each field that it names.
pub(super) struct Slots<'model> {
    pub(super) resource: &'model Resource,
    /// Where the object stands in the body.
    pub(super) pointer: String,
    values: Vec<Option<Value>>,
    /// Fields that were named with a value of the wrong type.
    ill_typed: Vec<FieldIx>,
}

impl Slots<'_> {
    pub(super) fn get(&self, ix: FieldIx) -> Option<&Value> {
        self.values[usize::from(ix.0)].as_ref()
    }

    pub(super) fn take(&mut self, ix: FieldIx) -> Option<Value> {
        self.values[usize::from(ix.0)].take()
    }

    /// Whether the body names a field, with a value of whatever type.
    pub(super) fn names(&self, ix: FieldIx) -> bool {
        self.get(ix).is_some() || self.ill_typed.contains(&ix)
    }

    /// The JSON Pointer to a field of the object.
    pub(super) fn at(&self, name: &str) -> String {
        format!("{}/{}", self.pointer, escape(name))
    }
}

/// A name in a JSON Pointer (RFC 6901 §3).
fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}

/// Which fields a body may name.
pub(super) type Known = fn(&Field) -> bool;

/// Reads one object.
pub(super) fn one<'model>(
    resource: &'model Resource,
    known: Known,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<Slots<'model>, Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let seed = ObjectSeed { resource, known, pointer: String::new(), faults };
    let slots = seed.deserialize(&mut reader).map_err(|error| malformed(&error))?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(slots)
}

/// Reads an array of objects, or one object as an array of one; says which it was.
pub(super) fn many<'model>(
    resource: &'model Resource,
    known: Known,
    bytes: &[u8],
    faults: &mut Vec<Fault>,
) -> Result<(Vec<Slots<'model>>, bool), Error> {
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

fn malformed(error: &serde_json::Error) -> Error {
    if error.is_data() {
        let detail = format!("The body must be a JSON object ({error}).");
        return Error::faults(Kind::INVALID_CONTENT, vec![Fault::body("", "type", detail)]);
    }
    let what = if error.is_eof() { "ends too early" } else { "is not JSON" };
    Error::new(Kind::MALFORMED_BODY, format!("The body {what}: {error}."))
}

struct ArrayVisitor<'model, 'faults> {
    resource: &'model Resource,
    known: Known,
    faults: &'faults mut Vec<Fault>,
}

impl<'de, 'model> Visitor<'de> for ArrayVisitor<'model, '_> {
    type Value = Vec<Slots<'model>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut members = vec![];
        loop {
            let pointer = format!("/{}", members.len());
            let seed =
                ObjectSeed { resource: self.resource, known: self.known, pointer, faults: self.faults };
            match array.next_element_seed(seed)? {
                Some(slots) if members.len() < limits::ARRAY_MEMBERS_MAX => members.push(slots),
                Some(_) => {
                    let detail = format!("An array has at most {} members.", limits::ARRAY_MEMBERS_MAX);
                    self.faults.push(Fault::body("", "max_items", detail));
                    while array.next_element::<IgnoredAny>()?.is_some() {}
                    return Ok(members);
                }
                None => return Ok(members),
            }
        }
    }
}

struct ObjectSeed<'model, 'faults> {
    resource: &'model Resource,
    known: Known,
    pointer: String,
    faults: &'faults mut Vec<Fault>,
}

impl<'de, 'model> DeserializeSeed<'de> for ObjectSeed<'model, '_> {
    type Value = Slots<'model>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, 'model> Visitor<'de> for ObjectSeed<'model, '_> {
    type Value = Slots<'model>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slots<'model>, A::Error> {
        let Self { resource, known, pointer, faults } = self;
        let values = vec![None; resource.fields.len()];
        let mut slots = Slots { resource, pointer, values, ill_typed: vec![] };
        while let Some(name) = map.next_key_seed(NameSeed)? {
            let Some(ix) = resource.field(&name).filter(|ix| known(&resource[*ix])) else {
                map.next_value::<IgnoredAny>()?;
                push(faults, unknown(&slots, known, &name));
                continue;
            };
            let twice = slots.names(ix);
            match map.next_value_seed(ValueSeed(resource[ix].kind))? {
                Ok(value) => slots.values[usize::from(ix.0)] = Some(value),
                Err(wrong) => {
                    slots.ill_typed.push(ix);
                    push(faults, ill_typed(slots.at(&name), &wrong));
                }
            }
            if twice {
                push(faults, Fault::body(slots.at(&name), "duplicate", format!("`{name}` stands here twice.")));
            }
        }
        Ok(slots)
    }
}

fn push(faults: &mut Vec<Fault>, fault: Fault) {
    if faults.len() < limits::FAULTS_MAX {
        faults.push(fault);
    }
}

fn unknown(slots: &Slots<'_>, known: Known, name: &str) -> Fault {
    let resource = slots.resource;
    let names = resource.fields.iter().filter(|field| known(field)).map(|field| &*field.name);
    let hint = nearest(name, names).map(|near| format!("Did you mean `{near}`?"));
    let shown: String = name.chars().take(64).collect();
    let detail = format!("`{}` has no field `{shown}`.", resource.def.name);
    Fault::body(slots.at(&shown), "unknown", detail).hint(hint)
}

fn ill_typed(pointer: String, wrong: &Wrong) -> Fault {
    let quoted = matches!(wrong.found, "a number")
        && !matches!(wrong.expected.0, FieldKind::Integer | FieldKind::Number | FieldKind::Boolean);
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
