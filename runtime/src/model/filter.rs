//! Filters without their values: what decides the text of a statement.

use super::{FieldIx, Op};

/// Which members: a tree of tests, each true or false for every member.
///
/// A member without a value passes `Ne`, `NotIn` and `Null`, and no other test; so `Not` is the
/// exact complement. The values of the tests stand beside it, in the order of a walk from left to
/// right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// All of these; of none, every member.
    All(Vec<Self>),
    /// Any of these; of none, no member.
    Any(Vec<Self>),
    /// Not this.
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

    /// Whether it lets every member pass.
    #[must_use]
    pub fn is_every(&self) -> bool {
        matches!(self, Self::All(of) if of.is_empty())
    }
}
