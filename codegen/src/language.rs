//! The schema language as data: its levels (the kinds of mappings), their keys, and the meaning,
//! the values and the default of each key.
//!
//! The keys that [`check`](crate::check()) accepts, the JSON Schema and the tables of the
//! documentation are made from it.

mod access;
mod api;
mod auth;
mod field;
mod resource;
mod server;
mod shape;

pub(crate) use self::api::{TITLE, VERSION};
pub use self::{
    access::{ACCESS, FIELD_ACCESS, FIELD_RULE, RULE},
    api::{API, CONTACT, LICENSE},
    auth::{AUTH, JWT, SESSION},
    field::{FIELD, REFERENCES, TYPE},
    resource::{CACHE, DEPRECATED, ID, LIMIT, PARENT, RESOURCE},
    server::{CORS, HSTS, IDEMPOTENCY, KEEP_ALIVE, LIMITS, RATE_LIMIT, SERVER, TIMEOUTS, TLS},
    shape::{ListShape, ReservedNames, TextShape, ValueShape},
};

/// A kind of mapping in a declaration, such as a resource or a field.
#[derive(Debug)]
pub struct Level {
    /// The name of the level in messages.
    pub name: &'static str,
    /// The name of its definition in the JSON Schema. It is empty if the JSON Schema has the
    /// mapping where it is used.
    pub definition: &'static str,
    /// The shapes that a value of this level may have, for messages.
    pub shape: &'static str,
    /// The keys that are supported.
    pub keys: &'static [Key],
    /// The keys that are required.
    pub required: &'static [&'static str],
    /// Whether at least one key must be given.
    pub is_filled: bool,
    /// The keys that are planned. They are refused until they are supported.
    pub later: &'static [&'static str],
}

impl Level {
    const PLAIN: Self = Self {
        name: "",
        definition: "",
        shape: "a mapping",
        keys: &[],
        required: &[],
        is_filled: false,
        later: &[],
    };

    /// The names of the keys that are supported.
    ///
    /// ```
    /// use nouns_codegen::language::LIMIT;
    /// assert_eq!(LIMIT.names().collect::<Vec<_>>(), ["default", "maximum"]);
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }

    /// The key with this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Whether a key is supported.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.key(key).is_some()
    }
}

/// A key of a level.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The meaning of the key, as a sentence.
    pub meaning: &'static str,
    /// The values that it may have, and its default.
    pub value: ValueShape,
}

/// Creates a key of a level.
const fn key(name: &'static str, meaning: &'static str, value: ValueShape) -> Key {
    Key { name, meaning, value }
}

/// Every level.
pub static LEVELS: [&Level; 29] = [
    &DECLARATION,
    &API,
    &CONTACT,
    &LICENSE,
    &SERVER,
    &TLS,
    &HSTS,
    &CORS,
    &IDEMPOTENCY,
    &RATE_LIMIT,
    &KEEP_ALIVE,
    &TIMEOUTS,
    &LIMITS,
    &AUTH,
    &SESSION,
    &JWT,
    &TYPE,
    &RESOURCE,
    &ACCESS,
    &FIELD_ACCESS,
    &RULE,
    &FIELD_RULE,
    &ID,
    &PARENT,
    &LIMIT,
    &CACHE,
    &DEPRECATED,
    &FIELD,
    &REFERENCES,
];

/// The keys at the top level of a declaration.
pub static DECLARATION: Level = Level {
    name: "the declaration",
    keys: &[
        key("nouns", "The version of the schema language.", ValueShape::Version),
        key(
            "api",
            "The title, the version and other properties of the API.",
            ValueShape::Map(&API),
        ),
        key(
            "server",
            "The settings of the server; flags and environment variables override them.",
            ValueShape::Map(&SERVER),
        ),
        key("auth", "The accounts, and how callers sign in.", ValueShape::Map(&AUTH)),
        key(
            "types",
            "Named types, which several fields can share.",
            ValueShape::Named { of: &TYPE, reserved: ReservedNames::Types, is_filled: false },
        ),
        key(
            "resources",
            "The resources, each with a collection.",
            ValueShape::Named { of: &RESOURCE, reserved: ReservedNames::Nothing, is_filled: true },
        ),
    ],
    required: &["nouns", "resources"],
    ..Level::PLAIN
};

/// The types that are planned. They are refused until they are supported.
pub static LATER_TYPES: &[&str] = &["file"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_meaning_is_one_sentence_and_each_key_occurs_once() {
        for level in LEVELS {
            for (at, key) in level.keys.iter().enumerate() {
                let text = key.meaning;
                assert!(text.ends_with('.') && text.matches(". ").count() == 0, "{text}");
                let before = &level.keys[..at];
                assert!(before.iter().all(|other| other.name != key.name), "{}", key.name);
            }
            assert!(level.required.iter().all(|key| level.has(key)), "{}", level.name);
            assert!(!level.later.iter().any(|key| level.has(key)), "{}", level.name);
        }
    }
}
