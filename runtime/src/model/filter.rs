//! [`Filter`]: a filter without the values with which it compares fields. It determines the SQL
//! text of a statement.

use super::{FieldIx, Op, SortKey};

/// A tree of tests, which compare a field with values. Each test is true or false for every member,
/// unlike in SQL.
///
/// For a member without a value, only `Ne`, `NotIn` and `Null` are true. So `Not` matches exactly
/// the members that its operand does not match. The values of the tests are stored separately, in
/// the order of the tests from left to right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// Members that match all filters of the list. An empty list matches every member.
    All(Vec<Self>),
    /// Members that match any filter of the list. An empty list matches no member.
    Any(Vec<Self>),
    /// Members that do not match the filter.
    Not(Box<Self>),
    /// A test of one field.
    Test {
        /// The field that is tested.
        field: FieldIx,
        /// The operator of the test.
        op: Op,
    },
}

impl Filter {
    /// The filter that matches every member.
    pub const EVERY: Self = Self::All(Vec::new());

    /// Whether the filter is [`EVERY`](Self::EVERY), which matches every member.
    #[must_use]
    pub fn is_every(&self) -> bool {
        matches!(self, Self::All(of) if of.is_empty())
    }

    /// Whether all members that match the filter have the same value in a field.
    pub(crate) fn fixes(&self, field: FieldIx) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(|part| part.fixes(field)),
            Self::Test { field: tested, op } => *tested == field && matches!(op, Op::Eq | Op::Null),
            Self::Any(_) | Self::Not(_) => false,
        }
    }

    /// Whether a key of a sort order decides about the order of the members that match the filter.
    /// A key whose field has the same value in all of them does not. The id is unique, so keys
    /// after it have no effect.
    pub(crate) fn leaves_open(&self, sort: &[SortKey], at: usize) -> bool {
        let is_id = |key: &SortKey| key.field == FieldIx::ID;
        let is_after_id = sort[..at].iter().any(is_id);
        !is_after_id && (is_id(&sort[at]) || !self.fixes(sort[at].field))
    }
}
