//! [`Member`]: a member of a collection with its revision and its times.

use std::{fmt, ops::Deref};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    base::error::Error,
    code::resource::Resource,
    model::{
        self, Role,
        field_type::FieldType,
        slots::{Slots, UnreadableValue},
        value::Value,
    },
    store::sink::MemberValues,
};

/// The revision of a member: a number that every write of the member increases. `if_match` compares
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A member of a collection: its value, its revision and its times. It derefs to the value.
///
/// It does not implement `Serialize`, because only the declaration says which fields clients may
/// see and what they are called. A handler sends it with
/// [`Answer::member`](crate::custom::Answer::member) or
/// [`Answer::members`](crate::custom::Answer::members):
///
/// ```compile_fail,E0277
/// # mod nouns { pub use http; pub use nouns_runtime::*; }
/// use nouns::{Answer, Error, Member, Resource, http::StatusCode};
///
/// fn leak<R: Resource + serde::Serialize>(member: &Member<R>) -> Result<Answer, Error> {
///     Answer::json(StatusCode::OK, member)
/// }
/// ```
///
/// ```
/// # mod nouns { pub use jiff::Timestamp; pub use nouns_runtime::*; }
/// use nouns::{Member, Revision, Timestamp};
///
/// let at = Timestamp::UNIX_EPOCH;
/// let value = "Bella".to_owned();
/// let name = Member { value, revision: Revision(7), created_at: at, updated_at: at };
/// assert!(name.starts_with("Be"));
/// assert_eq!(name.into_inner(), "Bella");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<T> {
    /// The fields of the member, in the struct that declares the resource.
    pub value: T,
    /// The number of the member's last change.
    pub revision: Revision,
    /// The time at which the member was created.
    pub created_at: Timestamp,
    /// The time of the member's last change.
    pub updated_at: Timestamp,
}

impl<T> Member<T> {
    /// Returns the value without the revision and the times.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Member<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<R: Resource> Member<R> {
    /// Creates a member from a row that has a value for each field of the resource.
    pub(crate) fn of_row(
        resource: &model::ResourceModel,
        MemberValues { revision, values, .. }: MemberValues,
    ) -> Result<Self, Error> {
        let mut slots = Slots::of_row(resource, values);
        let created_at = time(&mut slots, Role::CreatedAt)?;
        let updated_at = time(&mut slots, Role::UpdatedAt)?;
        let value = R::read(&mut slots).map_err(Error::internal)?;
        Ok(Self { value, revision: Revision(revision), created_at, updated_at })
    }
}

/// Reads `created_at` or `updated_at` from a row. The value stays in its slot, because the struct
/// may have the field, too.
fn time(slots: &mut Slots<'_>, role: Role) -> Result<Timestamp, Error> {
    let resource = slots.resource;
    let ix = resource.system(role);
    let stored = slots.get(ix).cloned().unwrap_or(Value::Null);
    let field = &resource[ix];
    Timestamp::from_value(field.kind, stored)
        .ok_or_else(|| Error::internal(UnreadableValue { field: field.name.to_string() }))
}
