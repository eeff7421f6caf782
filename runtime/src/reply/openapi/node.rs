//! [`Object`]: a JSON object whose members keep their order, so that the document reads well and
//! its text is the same each time.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// A JSON object, in the order in which members are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Object(Vec<(Cow<'static, str>, Node)>);

/// A JSON value of the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// A value that contains no object whose order matters.
    Json(Json),
    /// An object.
    Object(Object),
    /// An array.
    Array(Vec<Node>),
}

impl Object {
    pub(super) const fn new() -> Self {
        Self(vec![])
    }

    /// Adds a member.
    pub(super) fn with(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Node>,
    ) -> Self {
        self.set(name, value);
        self
    }

    /// Adds a member if there is a value.
    pub(super) fn with_some(
        self,
        name: impl Into<Cow<'static, str>>,
        value: Option<impl Into<Node>>,
    ) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a member, or replaces its value.
    pub(super) fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Node>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    pub(super) fn into_members(self) -> impl Iterator<Item = (Cow<'static, str>, Node)> {
        self.0.into_iter()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
            Self::Array(items) => items.serialize(serializer),
        }
    }
}

macro_rules! from_json {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Node {
            fn from(value: $kind) -> Self {
                Self::Json(value.into())
            }
        })*
    };
}

from_json!(&str, String, bool, u16, u32, u64, i32, i64, usize, Json, Vec<Json>, Vec<&str>, &[&str]);

impl From<Object> for Node {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<Object>> for Node {
    fn from(items: Vec<Object>) -> Self {
        Self::Array(items.into_iter().map(Self::Object).collect())
    }
}

impl<K: Into<Cow<'static, str>>, V: Into<Node>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        members.into_iter().fold(Self::new(), |object, (name, value)| object.with(name, value))
    }
}

/// A reference to a component of the document.
pub(super) fn component(kind: &str, name: &str) -> Object {
    Object::new().with("$ref", format!("#/components/{kind}/{name}"))
}
