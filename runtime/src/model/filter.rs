//! Filters without their values: they determine the SQL text of a statement.

use super::{FieldIx, Op};

/// A tree of tests, each true or false for every member.
///
/// A member without a value matches `Ne`, `NotIn` and `Null`, and no other test; so `Not` is the
/// exact complement. The values of the tests are stored separately, in the order of a walk from
/// left to right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// All of these. An empty list matches every member.
    All(Vec<Self>),
    /// Any of these. An empty list matches no member.
    Any(Vec<Self>),
    /// The complement.
    Not(Box<Self>),
    /// One test of one field.
    Test {
        /// The field.
        field: FieldIx,
        /// The test.
        op: Op,
    },
}

impl Filter {
    /// Every member.
    pub const EVERY: Self = Self::All(Vec::new());

    /// Whether the filter matches every member.
    #[must_use]
    pub fn is_every(&self) -> bool {
        matches!(self, Self::All(of) if of.is_empty())
    }
}
