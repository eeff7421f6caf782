//! [`Id`]: the id of a member, with its resource as a type argument. So a program cannot use the id
//! of a zoo as the id of an animal.

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

use crate::model::{
    def::{FieldKind, IdKind},
    value::Value,
};

/// The Rust types of ids: `i64`, [`Uuid`] or `String`.
pub trait Key: Clone + fmt::Debug + fmt::Display + Ord + Hash + Send + Sync + 'static {
    /// The kind of the id in a declaration.
    const KIND: IdKind;

    /// Converts the key to its stored value.
    fn store(self) -> Value;

    /// Converts a stored value to a key; `None` if the value has another type.
    fn load(value: Value) -> Option<Self>;
}

impl Key for i64 {
    const KIND: IdKind = IdKind::Integer;

    fn store(self) -> Value {
        Value::Integer(self)
    }

    fn load(value: Value) -> Option<Self> {
        if let Value::Integer(id) = value { Some(id) } else { None }
    }
}

impl Key for Uuid {
    const KIND: IdKind = IdKind::Uuid;

    fn store(self) -> Value {
        Value::Text(self.hyphenated().to_string())
    }

    fn load(value: Value) -> Option<Self> {
        if let Value::Text(id) = value { Self::try_parse(&id).ok() } else { None }
    }
}

impl Key for String {
    const KIND: IdKind = IdKind::String;

    fn store(self) -> Value {
        Value::Text(self)
    }

    fn load(value: Value) -> Option<Self> {
        if let Value::Text(id) = value { Some(id) } else { None }
    }
}

/// A type that declares a resource, with the name of the resource and the type of its ids. The
/// derive implements this trait even for a struct with errors, so that an error is not reported
/// twice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Resource)]` above `{Self}`, or use another type"
)]
pub trait HasId {
    /// The name of the resource, such as `animal_type`.
    const RESOURCE: &'static str;
    /// The Rust type of the resource's ids.
    type Key: Key;
}

/// The id of a member of the resource `R`.
pub struct Id<R: HasId>(R::Key);

impl<R: HasId> Id<R> {
    /// Creates an id from its key.
    pub const fn new(key: R::Key) -> Self {
        Self(key)
    }

    /// The key of the id: a number, a UUID or a string.
    pub const fn key(&self) -> &R::Key {
        &self.0
    }

    /// Returns the key of the id by value.
    pub fn into_key(self) -> R::Key {
        self.0
    }
}

impl<R: HasId> Clone for Id<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: HasId<Key: Copy>> Copy for Id<R> {}

impl<R: HasId> fmt::Debug for Id<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?})", R::RESOURCE, self.0)
    }
}

impl<R: HasId> fmt::Display for Id<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<R: HasId> PartialEq for Id<R> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<R: HasId> Eq for Id<R> {}

impl<R: HasId> PartialOrd for Id<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R: HasId> Ord for Id<R> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<R: HasId> Hash for Id<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<R: HasId<Key: FromStr>> FromStr for Id<R> {
    type Err = <R::Key as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// Serializes the id as its key: a JSON number or a JSON string.
impl<R: HasId> Serialize for Id<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.clone().store() {
            Value::Integer(id) => serializer.serialize_i64(id),
            Value::Text(id) => serializer.serialize_str(&id),
            Value::Null | Value::Number(_) | Value::Password(_) => serializer.serialize_unit(),
        }
    }
}

impl<'de, R: HasId> Deserialize<'de> for Id<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = match R::Key::KIND {
            IdKind::Integer => Value::Integer(i64::deserialize(deserializer)?),
            IdKind::Uuid | IdKind::String => Value::Text(String::deserialize(deserializer)?),
        };
        let key = R::Key::load(value);
        key.map(Self)
            .ok_or_else(|| D::Error::custom(format!("this is not an id of `{}`", R::RESOURCE)))
    }
}

/// The id of a member's parent, which may be optional or absent.
pub trait ParentId: Clone + fmt::Debug + Send + Sync + 'static {
    /// Converts the parent's id to its stored value; `None` if there is no parent.
    fn store(self) -> Option<Value>;

    /// Converts a stored value to the parent's id. Returns `None` if the value does not fit the
    /// type.
    fn load(value: Option<Value>) -> Option<Self>;
}

/// The type of the parent's id in a resource that is not nested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoParent;

impl ParentId for NoParent {
    fn store(self) -> Option<Value> {
        None
    }

    fn load(_: Option<Value>) -> Option<Self> {
        Some(Self)
    }
}

impl<R: HasId + 'static> ParentId for Id<R> {
    fn store(self) -> Option<Value> {
        Some(self.0.store())
    }

    fn load(value: Option<Value>) -> Option<Self> {
        R::Key::load(value?).map(Self)
    }
}

/// The id of a parent, or `None` for a member without a parent.
impl<R: HasId + 'static> ParentId for Option<Id<R>> {
    fn store(self) -> Option<Value> {
        self.map(|id| id.0.store())
    }

    fn load(value: Option<Value>) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(None),
            Some(value) => R::Key::load(value).map(|key| Some(Id(key))),
        }
    }
}

/// The kind of a field that holds an id of this kind.
pub(crate) const fn kind(id: IdKind) -> FieldKind {
    match id {
        IdKind::Integer => FieldKind::Integer,
        IdKind::Uuid => FieldKind::Uuid,
        IdKind::String => FieldKind::String,
    }
}
