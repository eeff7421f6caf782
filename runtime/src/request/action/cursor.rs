//! Cursors: positions in a sort order, and their text in links. Unlike an offset, a cursor stays
//! valid while members are created and deleted.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    base::{hash::StableHasher, json::write_string, limits},
    model::{
        FieldModel, Op, ResourceModel, SortKey, TestSubject,
        def::FieldKind,
        predicate::Predicate,
        value::{self, Value},
    },
};

/// A position in a sort order, just before or after a member. It has the member's values of the
/// sort keys.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderPosition {
    /// The values of the sort keys. An empty list means the start of the order, or its end for a
    /// page that is read backwards.
    pub values: Vec<Value>,
    /// The number of members to skip after the position that `values` give. It is 0 unless the
    /// values of the wanted member are too long for a link. Then `values` come from an earlier
    /// cursor, or are empty.
    pub skip: i64,
}

/// A hash of the collection, the filter and the sort order that a cursor belongs to.
pub(crate) fn of(
    resource: &ResourceModel,
    chain: &[Value],
    predicate: &Predicate,
    sort: &[SortKey],
) -> u64 {
    let mut hash = StableHasher::new().text(resource.def.name);
    hash = chain.iter().fold(hash, of_value);
    hash = of_tests(resource, hash, predicate);
    hash = predicate.tests().into_iter().flat_map(|(.., values)| values).fold(hash, of_value);
    let key = |hash: StableHasher, key: &SortKey| {
        hash.text(resource[key.field].column).bytes(if key.descending { b"-" } else { b"+" })
    };
    sort.iter().fold(hash, key).finish()
}

fn of_value(hash: StableHasher, value: &Value) -> StableHasher {
    match value {
        // No query compares a password.
        Value::Null | Value::Password(_) => hash.bytes(b"0"),
        Value::Integer(value) => hash.bytes(b"i").number(value.cast_unsigned()),
        Value::Number(value) => hash.bytes(b"n").number(value.to_bits()),
        Value::Text(text) => hash.bytes(b"t").text(text),
    }
}

/// Adds the structure of a predicate to a hash, without the values of its tests. Brackets enclose
/// the parts of `All` and `Any`. A test of a list adds the number of its values.
fn of_tests(resource: &ResourceModel, hash: StableHasher, predicate: &Predicate) -> StableHasher {
    let all = |hash: StableHasher, parts: &[Predicate]| {
        parts.iter().fold(hash, |hash, part| of_tests(resource, hash, part)).bytes(b")")
    };
    match predicate {
        Predicate::All(parts) => all(hash.bytes(b"(&"), parts),
        Predicate::Any(parts) => all(hash.bytes(b"(|"), parts),
        Predicate::Not(part) => of_tests(resource, hash.bytes(b"!"), part),
        // No request can make these yet.
        Predicate::Compared(_) | Predicate::Related(_) | Predicate::Given(_) => {
            hash.text(&format!("{predicate:?}"))
        }
        Predicate::Test { subject, op, .. } => {
            let hash = hash.bytes(b"=");
            let hash = of_subject(resource, hash, subject).text(op.name());
            match op {
                Op::In(count) | Op::NotIn(count) => hash.number((*count).into()),
                op => hash.bytes(if *op == Op::NotNull { b"1" } else { b"0" }),
            }
        }
    }
}

/// Adds what a test compares to a hash.
fn of_subject(
    resource: &ResourceModel,
    hash: StableHasher,
    subject: &TestSubject<Vec<Value>>,
) -> StableHasher {
    match subject {
        TestSubject::Field(field) => hash.text(resource[*field].column),
        // No request can make these yet.
        TestSubject::Path(_) | TestSubject::Count(_) => hash.text(&format!("{subject:?}")),
    }
}

impl OrderPosition {
    /// The start of the order, or its end for a page that is read backwards.
    pub(crate) const END: Self = Self { values: vec![], skip: 0 };

    /// The position of a member with these values of the sort keys.
    pub(crate) const fn at(values: Vec<Value>) -> Self {
        Self { values, skip: 0 }
    }

    /// The position that is this number of members further.
    pub(super) fn further(&self, members: u32) -> Self {
        Self { skip: self.skip.saturating_add(members.into()), values: self.values.clone() }
    }

    /// Returns the text of the cursor for a link. `None` if the text is too long, or if a query
    /// cannot contain one of the values. Such a value can come from another program.
    pub(crate) fn spell(
        &self,
        resource: &ResourceModel,
        sort: &[SortKey],
        of: u64,
    ) -> Option<String> {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        bytes.extend_from_slice(&of.to_le_bytes());
        bytes.push(b'[');
        for (at, (key, value)) in sort.iter().zip(&self.values).enumerate() {
            if at > 0 {
                bytes.push(b',');
            }
            write(&mut bytes, &resource[key.field], value)?;
        }
        bytes.push(b']');
        if self.skip > 0 {
            bytes.extend_from_slice(itoa::Buffer::new().format(self.skip).as_bytes());
        }
        let length = base64::encoded_len(bytes.len(), false)?;
        (length <= limits::CURSOR_BYTES_MAX).then(|| URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// The initial capacity of the buffer for a cursor, in bytes. Most cursors fit into it before they
/// are encoded in Base64.
const USUAL_BYTES: usize = 96;

/// Appends a value so that it is parsed as the same value. `None` if that is impossible, or if the
/// cursor would be too long.
fn write(to: &mut Vec<u8>, field: &FieldModel, value: &Value) -> Option<()> {
    match (field.kind, value) {
        (_, Value::Null) if field.required => return None,
        (_, Value::Null) => to.extend_from_slice(b"null"),
        (_, Value::Text(text)) if text.len() > limits::CURSOR_BYTES_MAX => return None,
        (FieldKind::String, Value::Text(text)) if text.contains('\0') => return None,
        (FieldKind::String, Value::Text(text)) => write_string(to, text),
        (FieldKind::Integer, Value::Integer(value)) => {
            to.push(b'"');
            to.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes());
            to.push(b'"');
        }
        (kind, value) => {
            let text = value.spell(kind);
            if Value::parse(kind, &text).as_ref() != Ok(value) {
                return None;
            }
            write_string(to, &text);
        }
    }
    Some(())
}

/// A decoded cursor. It becomes a position when the sort order of the query is known.
pub(super) struct DecodedCursor {
    of: u64,
    values: Vec<Option<String>>,
    skip: i64,
}

/// The reason why a cursor is invalid.
pub(super) enum CursorError {
    /// The text is not a cursor.
    Form,
    /// The cursor belongs to another collection, filter or order.
    Query,
}

impl DecodedCursor {
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > limits::CURSOR_BYTES_MAX {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (of, rest) = bytes.split_first_chunk()?;
        let (values, skip) = rest.split_at(rest.iter().rposition(|byte| *byte == b']')? + 1);
        let skip = if skip.is_empty() { 0 } else { value::integer(str::from_utf8(skip).ok()?)? };
        let skip = u32::try_from(skip).ok()?;
        Some(Self {
            of: u64::from_le_bytes(*of),
            values: serde_json::from_slice(values).ok()?,
            skip: skip.into(),
        })
    }

    /// Converts the decoded cursor to a position. Its values are parsed like the values of a
    /// filter.
    pub(super) fn cursor(
        self,
        resource: &ResourceModel,
        sort: &[SortKey],
        of: u64,
    ) -> Result<OrderPosition, CursorError> {
        if self.of != of {
            return Err(CursorError::Query);
        }
        if !self.values.is_empty() && self.values.len() != sort.len() {
            return Err(CursorError::Form);
        }
        let keys = sort.iter().zip(self.values);
        let values: Option<_> =
            keys.map(|(key, text)| read(&resource[key.field], text.as_deref())).collect();
        Ok(OrderPosition { values: values.ok_or(CursorError::Form)?, skip: self.skip })
    }
}

fn read(field: &FieldModel, text: Option<&str>) -> Option<Value> {
    match text {
        None => (!field.required).then_some(Value::Null),
        Some(text) => Value::parse(field.kind, text).ok(),
    }
}
