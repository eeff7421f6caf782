//! [`ConditionTree`]: a tree of tests on a row. A filter, a predicate and the condition of an
//! access rule are such trees, and differ in what a test compares with.

use super::{FieldIx, Op, Path, RelationIx, ResourceIx, ResourceModel, relation};

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
        subject: TestSubject<V>,
        /// The operator of the test.
        op: Op,
        /// The values that it is compared with.
        values: V,
    },
    /// A test of two values of the row. It is false if either is null.
    Compared(Box<ComparedSubjects<V>>),
    /// Rows with a related row that matches. Its negation matches the rows without one.
    ///
    /// "All related rows match" is "not any that does not match", so it is true if there are none.
    Related(Box<RelatedRows<V>>),
    /// Whether a value is not null: the account of the caller may have none. It is exactly one
    /// value, and only rules have such a test.
    Given(V),
}

/// The value of a row that a test compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TestSubject<V> {
    /// A field of the row itself.
    Field(FieldIx),
    /// A field of a related row. It is null if a reference on the path is null, or, for a filter,
    /// leads to a row that the caller may not read.
    Path(Box<Path>),
    /// The number of related rows that match. It is never null.
    Count(Box<RelatedRows<V>>),
}

/// Two values of a row, and how they must compare. Both are of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComparedSubjects<V> {
    /// The value on the left.
    pub left: TestSubject<V>,
    /// The comparison of the left value with the right one.
    pub comparison: ComparisonOp,
    /// The value on the right.
    pub right: TestSubject<V>,
}

/// A comparison of two values of a row. "Greater" is "less" with the sides exchanged, and "unequal"
/// is the negation of "equal".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparisonOp {
    /// The values are equal.
    Equal,
    /// The left value is less than the right one.
    Less,
    /// The left value is less than the right one, or they are equal.
    LessOrEqual,
}

/// The rows behind a relation to several, and the condition that counts them in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelatedRows<V> {
    /// The relations that lead to the member whose related rows are meant. Each leads to at most
    /// one member. If a reference among them is null, there are no rows.
    pub steps: Box<[RelationIx]>,
    /// The relation of that member to several rows.
    pub relation: RelationIx,
    /// The resource of the rows.
    pub target: ResourceIx,
    /// The condition on a row.
    pub test: ConditionTree<V>,
}

impl<V> From<FieldIx> for TestSubject<V> {
    fn from(field: FieldIx) -> Self {
        Self::Field(field)
    }
}

impl<V> From<Path> for TestSubject<V> {
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

    /// Returns the test that is true exactly when this one is false. `None` if no operator is the
    /// opposite, and for other conditions.
    pub(crate) fn complement(&self) -> Option<Self>
    where
        V: Clone,
    {
        let Self::Test { subject, op, values } = self else { return None };
        let op = op.complement()?;
        Some(Self::Test { subject: subject.clone(), op, values: values.clone() })
    }

    /// Returns the same condition with other values.
    #[doc(hidden)]
    pub fn map<W>(&self, to: &impl Fn(&V) -> W) -> ConditionTree<W> {
        let all = |parts: &[Self]| parts.iter().map(|part| part.map(to)).collect();
        match self {
            Self::All(parts) => ConditionTree::All(all(parts)),
            Self::Any(parts) => ConditionTree::Any(all(parts)),
            Self::Not(part) => ConditionTree::Not(Box::new(part.map(to))),
            Self::Test { subject, op, values } => {
                ConditionTree::Test { subject: subject.map(to), op: *op, values: to(values) }
            }
            Self::Compared(compared) => ConditionTree::Compared(Box::new(ComparedSubjects {
                left: compared.left.map(to),
                comparison: compared.comparison,
                right: compared.right.map(to),
            })),
            Self::Related(rows) => ConditionTree::Related(Box::new(rows.map(to))),
            Self::Given(value) => ConditionTree::Given(to(value)),
        }
    }

    /// Calls a closure with what each test compares with, in the order of the parameters of a
    /// statement. A test of a number of rows comes after the tests of those rows.
    pub(crate) fn each_value<'t>(&'t self, each: &mut impl FnMut(Option<Op>, &'t V)) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.each_value(each));
            }
            Self::Not(part) => part.each_value(each),
            Self::Test { subject, op, values } => {
                subject.each_value(each);
                each(Some(*op), values);
            }
            Self::Compared(compared) => {
                compared.left.each_value(each);
                compared.right.each_value(each);
            }
            Self::Related(rows) => rows.test.each_value(each),
            Self::Given(value) => each(None, value),
        }
    }

    /// Adds the resources whose rows the condition passes, in addition to the row of this resource
    /// that it tests.
    pub(crate) fn add_passed(
        &self,
        resources: &[ResourceModel],
        of: ResourceIx,
        to: &mut Vec<ResourceIx>,
    ) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.add_passed(resources, of, to));
            }
            Self::Not(part) => part.add_passed(resources, of, to),
            Self::Test { subject, .. } => subject.add_passed(resources, of, to),
            Self::Compared(compared) => {
                compared.left.add_passed(resources, of, to);
                compared.right.add_passed(resources, of, to);
            }
            Self::Related(rows) => rows.add_passed(resources, of, to),
            Self::Given(_) => {}
        }
    }
}

impl<V> TestSubject<V> {
    fn map<W>(&self, to: &impl Fn(&V) -> W) -> TestSubject<W> {
        match self {
            Self::Field(field) => TestSubject::Field(*field),
            Self::Path(path) => TestSubject::Path(path.clone()),
            Self::Count(rows) => TestSubject::Count(Box::new(rows.map(to))),
        }
    }

    fn each_value<'t>(&'t self, each: &mut impl FnMut(Option<Op>, &'t V)) {
        if let Self::Count(rows) = self {
            rows.test.each_value(each);
        }
    }

    fn add_passed(&self, resources: &[ResourceModel], of: ResourceIx, to: &mut Vec<ResourceIx>) {
        match self {
            Self::Field(_) => {}
            Self::Path(path) => {
                to.extend(path.references(resources, of).map(|(_, target)| target));
            }
            Self::Count(rows) => rows.add_passed(resources, of, to),
        }
    }
}

impl<V> RelatedRows<V> {
    /// Returns the path to the id of the member whose related rows are meant.
    ///
    /// # Panics
    /// It panics if a step leads to several members.
    pub(crate) fn member(&self, resources: &[ResourceModel], of: ResourceIx) -> Path {
        let end = relation::references(resources, of, &self.steps).last();
        let end = end.map_or(of, |(_, target)| target);
        Path { steps: self.steps.clone(), end, field: FieldIx::ID }
    }

    /// Returns the field of the rows that has the id of that member.
    ///
    /// # Panics
    /// It panics if the relation leads to one member, or to another resource than it says.
    pub(crate) fn field(&self, resources: &[ResourceModel], of: ResourceIx) -> FieldIx {
        let end = self.member(resources, of).end;
        let relation = &resources[usize::from(end.0)][self.relation];
        assert_eq!(relation.target, self.target, "related rows must be those of the relation");
        relation.of_many().unwrap_or_else(|| panic!("`{}` leads to one member", relation.name))
    }

    fn map<W>(&self, to: &impl Fn(&V) -> W) -> RelatedRows<W> {
        let Self { steps, relation, target, test } = self;
        let (steps, relation, target) = (steps.clone(), *relation, *target);
        RelatedRows { steps, relation, target, test: test.map(to) }
    }

    fn add_passed(&self, resources: &[ResourceModel], of: ResourceIx, to: &mut Vec<ResourceIx>) {
        let steps = relation::references(resources, of, &self.steps);
        to.extend(steps.map(|(_, target)| target).chain([self.target]));
        self.test.add_passed(resources, self.target, to);
    }
}
