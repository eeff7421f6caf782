//! [`JsonObject`]: a JSON object whose members keep their order, so that the document reads well and
//! its text is the same each time.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// A JSON object, in the order in which members are added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JsonObject(Vec<(Cow<'static, str>, JsonNode)>);

/// A JSON value of the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonNode {
    /// A value that contains no object whose order matters.
    Json(Json),
    /// An object.
    Object(JsonObject),
    /// An array.
    Array(Vec<JsonNode>),
}

impl JsonObject {
    pub(super) const fn new() -> Self {
        Self(vec![])
    }

    /// Adds a member, which the object does not have yet.
    pub(super) fn with(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<JsonNode>,
    ) -> Self {
        self.push(name, value);
        self
    }

    /// Adds a member, which the object does not have yet. It is not searched for, so that large
    /// objects are made in a time that grows with their members.
    pub(super) fn push(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<JsonNode>) {
        self.0.push((name.into(), value.into()));
    }

    /// Adds a member if there is a value.
    pub(super) fn with_some(
        self,
        name: impl Into<Cow<'static, str>>,
        value: Option<impl Into<JsonNode>>,
    ) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a member, or replaces its value.
    pub(super) fn set(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<JsonNode>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&JsonNode> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &JsonNode)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    pub(super) fn into_members(self) -> impl Iterator<Item = (Cow<'static, str>, JsonNode)> {
        self.0.into_iter()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for JsonNode {
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
        $(impl From<$kind> for JsonNode {
            fn from(value: $kind) -> Self {
                Self::Json(value.into())
            }
        })*
    };
}

from_json!(&str, String, bool, u16, u32, u64, i32, i64, usize, Json, Vec<Json>, Vec<&str>, &[&str]);

impl From<JsonObject> for JsonNode {
    fn from(object: JsonObject) -> Self {
        Self::Object(object)
    }
}

impl From<Vec<JsonObject>> for JsonNode {
    fn from(items: Vec<JsonObject>) -> Self {
        Self::Array(items.into_iter().map(Self::Object).collect())
    }
}

impl<K: Into<Cow<'static, str>>, V: Into<JsonNode>> FromIterator<(K, V)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        members.into_iter().fold(Self::new(), |object, (name, value)| object.with(name, value))
    }
}

/// A reference to a component of the document.
pub(super) fn component(kind: &str, name: &str) -> JsonObject {
    JsonObject::new().with("$ref", format!("#/components/{kind}/{name}"))
}
