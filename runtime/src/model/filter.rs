//! [`Filter`]: a filter without the values with which it compares fields. It determines the SQL
//! text of a statement.

use super::{ConditionTree, FieldIx, Op, SortKey, TestSubject};

/// A condition without the values of its tests. They are stored separately, in the order of the
/// tests from left to right.
pub type Filter = ConditionTree<()>;

impl Filter {
    /// Creates a test of one field.
    #[must_use]
    pub const fn test(field: FieldIx, op: Op) -> Self {
        Self::Test { subject: TestSubject::Field(field), op, values: () }
    }

    /// The number of values with which it compares fields.
    pub(crate) fn value_count(&self) -> usize {
        let mut count = 0;
        self.each_value(&mut |op, ()| count += op.map_or(1, Op::arity));
        count
    }

    /// Whether all members that match the filter have the same value in a field.
    pub(crate) fn fixes(&self, field: FieldIx) -> bool {
        match self {
            Self::All(parts) => parts.iter().any(|part| part.fixes(field)),
            one => one
                .own_test()
                .is_some_and(|(tested, op)| tested == field && matches!(op, Op::Eq | Op::Null)),
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
