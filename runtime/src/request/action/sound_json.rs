//! The check of a JSON value that is stored as text: other parsers must read the same from it.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::member::{NameSeed, escape};

/// The reason why other parsers may read something else from a JSON text.
pub(super) enum JsonDefect {
    /// It has a lone surrogate, or a number outside of the range of a double (RFC 8259 §6, §8.2).
    Unsound,
    Duplicate(DuplicateName),
}

/// A name that occurs twice in an object (RFC 8259 §4).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DuplicateName {
    /// The JSON Pointer to the name, from the checked value.
    pub(super) pointer: String,
    pub(super) name: String,
}

/// Checks a valid JSON text.
pub(super) fn check(json: &str) -> Result<(), JsonDefect> {
    let (mut path, mut duplicate) = (vec![], None);
    let seed = JsonSeed { path: &mut path, duplicate: &mut duplicate };
    let result = seed.deserialize(&mut serde_json::Deserializer::from_str(json));
    match (duplicate, result) {
        (Some(found), _) => Err(JsonDefect::Duplicate(found)),
        (None, Err(_)) => Err(JsonDefect::Unsound),
        (None, Ok(())) => Ok(()),
    }
}

/// A step of a path into a value.
enum PathStep<'de> {
    Name(Cow<'de, str>),
    Index(usize),
}

/// A parser that keeps nothing but the path, and the first duplicate name.
struct JsonSeed<'s, 'de> {
    path: &'s mut Vec<PathStep<'de>>,
    duplicate: &'s mut Option<DuplicateName>,
}

impl JsonSeed<'_, '_> {
    fn note_duplicate(&mut self, name: &str) {
        let step = |step: &PathStep<'_>| match step {
            PathStep::Name(name) => format!("/{}", escape(name)),
            PathStep::Index(index) => format!("/{index}"),
        };
        let pointer: String = self.path.iter().map(step).collect();
        let pointer = format!("{pointer}/{}", escape(name));
        *self.duplicate = Some(DuplicateName { pointer, name: name.into() });
    }
}

impl<'de> DeserializeSeed<'de> for JsonSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSeed<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        for index in 0.. {
            self.path.push(PathStep::Index(index));
            let seed = JsonSeed { path: &mut *self.path, duplicate: &mut *self.duplicate };
            let item = array.next_element_seed(seed)?;
            self.path.pop();
            if item.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = object.next_key_seed(NameSeed)? {
            if names.contains(&name) {
                self.note_duplicate(&name);
                return Err(A::Error::custom("a name occurs twice"));
            }
            self.path.push(PathStep::Name(name));
            let seed = JsonSeed { path: &mut *self.path, duplicate: &mut *self.duplicate };
            object.next_value_seed(seed)?;
            if let Some(PathStep::Name(name)) = self.path.pop() {
                names.insert(name);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duplicate(json: &str) -> Option<(String, String)> {
        match check(json) {
            Err(JsonDefect::Duplicate(found)) => Some((found.pointer, found.name)),
            Err(JsonDefect::Unsound) => Some(("unsound".into(), String::new())),
            Ok(()) => None,
        }
    }

    #[test]
    fn the_first_duplicate_name_is_found() {
        let found = |pointer: &str, name: &str| Some((pointer.to_owned(), name.to_owned()));
        assert_eq!(duplicate(r#"{"a":1,"a":2}"#), found("/a", "a"));
        assert_eq!(
            duplicate(r#"[0,{"x":{"a/b":1,"c":[],"a\u002fb":2}}]"#),
            found("/1/x/a~1b", "a/b")
        );
        assert_eq!(duplicate(r#"[{"a":1},{"a":2},{"b":{"a":1}}]"#), None);
        assert_eq!(duplicate(r#"{"a":{"a":1}}"#), None);
        assert_eq!(duplicate("1e999"), found("unsound", ""));
        assert_eq!(duplicate(r#""\ud800""#), found("unsound", ""));
    }
}
