//! A JSON object read into one slot per field: no tree, and all faults of the body at once.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    def::FieldKind,
    error::{Error, Fault, Kind},
    limits,
    model::{Field, FieldIx, Resource},
    route::nearest,
    value::{Expected, Value},
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

/// What stood where a value of a kind was expected; `found` is empty where only its form is wrong.
struct Wrong {
    expected: Expected,
    found: &'static str,
}

/// A value of a kind; of the wrong type it is passed over, and said.
struct ValueSeed(FieldKind);

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Result<Value, Wrong>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0 != FieldKind::Json {
            return deserializer.deserialize_any(self);
        }
        let raw: &RawValue = serde::Deserialize::deserialize(deserializer)?;
        Ok(match raw.get() {
            "null" => Ok(Value::Null),
            text if depth(text) > limits::JSON_DEPTH_MAX => Err(self.wrong("one nested deeper than 64 levels")),
            text => Ok(Value::Text(text.into())),
        })
    }
}

impl ValueSeed {
    fn wrong(&self, found: &'static str) -> Wrong {
        Wrong { expected: Expected(self.0), found }
    }
}

/// How deep arrays and objects are nested in a valid JSON text.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Result<Value, Wrong>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Ok(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(match self.0 {
            FieldKind::Boolean => Ok(Value::Integer(value.into())),
            _ => Err(self.wrong("a boolean")),
        })
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(match self.0 {
            FieldKind::Integer => Ok(Value::Integer(value)),
            FieldKind::Number => Ok(Value::Number(value as f64)),
            _ => Err(self.wrong("a number")),
        })
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Self::Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        // Beyond 2^53 a double may already be another number than the one that was written.
        let whole = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
        Ok(match self.0 {
            FieldKind::Integer if whole => Ok(Value::Integer(value as i64)),
            FieldKind::Integer => Err(self.wrong("")),
            FieldKind::Number => Ok(Value::Number(if value == 0.0 { 0.0 } else { value })),
            _ => Err(self.wrong("a number")),
        })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(match self.0 {
            FieldKind::Integer | FieldKind::Number | FieldKind::Boolean => Err(self.wrong("a string")),
            kind => Value::parse(kind, text).map_err(|expected| Wrong { expected, found: "" }),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Err(self.wrong("an array")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Err(self.wrong("an object")))
    }
}
