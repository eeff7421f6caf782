//! [`ConditionTree`]: a tree of tests on a row. A filter, a predicate and the condition of an
//! access rule are such trees, and differ in what a test compares with.

use super::{FieldIx, Op, Path};

/// A tree of tests on the rows of a resource. `V` is what a test compares with: nothing in a
/// [`Filter`](super::Filter), values in a [`Predicate`](super::predicate::Predicate), and in a
/// [`RuleTest`](super::rule::RuleTest) also places in the account of the caller, and the time.
///
/// Each test is true or false for every row, unlike in SQL. For a row without a value, only `Ne`,
/// `NotIn` and `Null` are true. So `Not` matches exactly the rows that its operand does not match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConditionTree<V> {
    /// Rows that match all conditions of the list. An empty list matches every row.
    All(Vec<Self>),
    /// Rows that match any condition of the list. An empty list matches no row.
    Any(Vec<Self>),
    /// Rows that do not match the condition.
    Not(Box<Self>),
    /// A test of one value of the row.
    Test {
        /// The value that is tested.
        subject: TestSubject,
        /// The operator of the test.
        op: Op,
        /// The values that it is compared with.
        values: V,
    },
    /// Whether a value is not null: the account of the caller may have none. It is exactly one
    /// value, and only rules have such a test.
    Given(V),
}

/// The value of a row that a test compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TestSubject {
    /// A field of the row itself.
    Field(FieldIx),
    /// A field of a related row. It is null if a reference on the path is null.
    Path(Box<Path>),
}

impl From<FieldIx> for TestSubject {
    fn from(field: FieldIx) -> Self {
        Self::Field(field)
    }
}

impl From<Path> for TestSubject {
    fn from(path: Path) -> Self {
        match path.steps.as_ref() {
            [] => Self::Field(path.field),
            _ => Self::Path(Box::new(path)),
        }
    }
}

impl<V> ConditionTree<V> {
    /// The condition that every row matches.
    pub const EVERY: Self = Self::All(Vec::new());
    /// The condition that no row matches.
    pub const NONE: Self = Self::Any(Vec::new());

    /// Whether the condition is [`EVERY`](Self::EVERY), which every row matches.
    #[must_use]
    pub const fn is_every(&self) -> bool {
        matches!(self, Self::All(of) if of.is_empty())
    }

    /// The parts of a conjunction, or the condition itself if it is no conjunction.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// The field and the operator of a test of the row itself. `None` for any other condition.
    pub(crate) const fn own_test(&self) -> Option<(FieldIx, Op)> {
        match self {
            Self::Test { subject: TestSubject::Field(field), op, .. } => Some((*field, *op)),
            _ => None,
        }
    }
}
