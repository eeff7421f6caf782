//! [`Predicate`]: a filter with the values of its tests, in a canonical form.
//!
//! All filters are built by these constructors, from URLs and in Rust. So filters with the same
//! meaning have the same predicate, statement and validator.

pub(crate) mod precise;

use std::cmp::Ordering;

use super::{ConditionTree, Filter, Op, RelatedRows, TestSubject, value::Value};

/// A filter with the values of its tests, in canonical form.
///
/// `Not` is applied only to a test whose operator has no opposite operator. `All` contains no
/// `All`, `Any` contains no `Any`, and neither contains exactly one part. Parts are sorted and
/// distinct.
pub type Predicate = ConditionTree<Vec<Value>>;

/// The value of a row that a test of a predicate compares.
pub(crate) type PredicateSubject = TestSubject<Vec<Value>>;

impl Predicate {
    /// Creates a test. A list with one value becomes an equality or inequality. A test
    /// with an empty list becomes [`NONE`](Self::NONE) or [`EVERY`](Self::EVERY).
    pub(crate) fn test(
        subject: impl Into<PredicateSubject>,
        op: Op,
        mut values: Vec<Value>,
    ) -> Self {
        if matches!(op, Op::In(_) | Op::NotIn(_)) {
            values.sort_by(order_of_values);
            values.dedup();
        }
        let op = match (op, values.len()) {
            (Op::In(_), 0) => return Self::NONE,
            (Op::NotIn(_), 0) => return Self::EVERY,
            (Op::In(_), 1) => Op::Eq,
            (Op::NotIn(_), 1) => Op::Ne,
            (Op::In(_), count) => Op::In(arity(count)),
            (Op::NotIn(_), count) => Op::NotIn(arity(count)),
            (op, _) => op,
        };
        Self::Test { subject: subject.into(), op, values }
    }

    /// Creates a conjunction. Inequalities of the same subject are merged into one `NotIn`.
    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = vec![];
        for part in parts {
            match part {
                Self::All(inner) => all.extend(inner),
                Self::Any(inner) if inner.is_empty() => return Self::NONE,
                other => all.push(other),
            }
        }
        all = merge(all, Op::Ne, Op::NotIn(0));
        settle(&mut all);
        if all.len() == 1 { all.remove(0) } else { Self::All(all) }
    }

    /// Creates a disjunction. Equalities of the same subject are merged into one `In`.
    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut any = vec![];
        for part in parts {
            match part {
                Self::Any(inner) => any.extend(inner),
                Self::All(inner) if inner.is_empty() => return Self::EVERY,
                other => any.push(other),
            }
        }
        any = merge(any, Op::Eq, Op::In(0));
        settle(&mut any);
        if any.len() == 1 { any.remove(0) } else { Self::Any(any) }
    }

    /// Returns the predicate that matches exactly the members that this predicate does not match.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            Self::All(parts) => Self::any(parts.into_iter().map(Self::not)),
            Self::Any(parts) => Self::all(parts.into_iter().map(Self::not)),
            Self::Test { subject, op, values } => match op.complement() {
                Some(op) => Self::Test { subject, op, values },
                None => Self::Not(Box::new(Self::Test { subject, op, values })),
            },
            Self::Compared(_) | Self::Related(_) | Self::Given(_) => Self::Not(Box::new(self)),
        }
    }

    /// All tests with their values, from left to right, without those of related rows.
    pub(crate) fn tests(&self) -> Vec<(&PredicateSubject, Op, &[Value])> {
        match self {
            Self::Test { subject, op, values } => vec![(subject, *op, values)],
            Self::Not(inner) => inner.tests(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::tests).collect(),
            Self::Compared(_) | Self::Related(_) | Self::Given(_) => vec![],
        }
    }

    /// Returns the filter, which determines the SQL text, and the values to bind. The values are in
    /// the order of the tests, from left to right.
    #[doc(hidden)]
    #[must_use]
    pub fn split(&self) -> (Filter, Vec<Value>) {
        let mut values = vec![];
        self.bind(&mut values);
        (self.filter(), values)
    }

    /// Returns the filter, which determines the SQL text.
    pub(crate) fn filter(&self) -> Filter {
        self.map(&|_| ())
    }

    /// Appends the values to bind, in the order of the tests, from left to right.
    pub(crate) fn bind(&self, bound: &mut Vec<Value>) {
        self.each_value(&mut |_, values| bound.extend_from_slice(values));
    }
}

/// Merges tests of the same subject whose operator is `single` or `list` into one test with the
/// operator `list`.
fn merge(parts: Vec<Predicate>, single: Op, list: Op) -> Vec<Predicate> {
    let mut merged: Vec<(PredicateSubject, Vec<Value>)> = vec![];
    let mut rest = vec![];
    for part in parts {
        match part {
            Predicate::Test { subject, op, values } if op == single || same_list(op, list) => {
                match merged.iter_mut().find(|(known, _)| *known == subject) {
                    Some((_, known)) => known.extend(values),
                    None => merged.push((subject, values)),
                }
            }
            other => rest.push(other),
        }
    }
    rest.extend(merged.into_iter().map(|(subject, values)| Predicate::test(subject, list, values)));
    rest
}

const fn same_list(op: Op, list: Op) -> bool {
    matches!((op, list), (Op::In(_), Op::In(_)) | (Op::NotIn(_), Op::NotIn(_)))
}

/// Sorts the parts and removes duplicates.
fn settle(parts: &mut Vec<Predicate>) {
    parts.sort_by(order);
    parts.dedup();
}

fn arity(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// A total order of predicates. Which order it is does not matter: tests by subject, operator and
/// values, and then the other conditions.
fn order(one: &Predicate, other: &Predicate) -> Ordering {
    match (one, other) {
        (
            Predicate::Test { subject, op, values },
            Predicate::Test { subject: other, op: other_op, values: other_values },
        ) => order_of_subjects(subject, other)
            .then_with(|| op.cmp(other_op))
            .then_with(|| order_of_lists(values, other_values, order_of_values)),
        (Predicate::Given(one), Predicate::Given(other)) => {
            order_of_lists(one, other, order_of_values)
        }
        (Predicate::Compared(one), Predicate::Compared(other)) => {
            order_of_subjects(&one.left, &other.left)
                .then_with(|| one.comparison.cmp(&other.comparison))
                .then_with(|| order_of_subjects(&one.right, &other.right))
        }
        (Predicate::Related(one), Predicate::Related(other)) => order_of_rows(one, other),
        (Predicate::Not(one), Predicate::Not(other)) => order(one, other),
        (Predicate::All(one), Predicate::All(other))
        | (Predicate::Any(one), Predicate::Any(other)) => order_of_lists(one, other, order),
        _ => form(one).cmp(&form(other)),
    }
}

fn order_of_subjects(one: &PredicateSubject, other: &PredicateSubject) -> Ordering {
    let form = |subject: &_| match subject {
        TestSubject::Field(_) => 0,
        TestSubject::Path(_) => 1,
        TestSubject::Count(_) => 2,
    };
    match (one, other) {
        (TestSubject::Field(one), TestSubject::Field(other)) => one.cmp(other),
        (TestSubject::Path(one), TestSubject::Path(other)) => one.cmp(other),
        (TestSubject::Count(one), TestSubject::Count(other)) => order_of_rows(one, other),
        _ => form(one).cmp(&form(other)),
    }
}

fn order_of_rows(one: &RelatedRows<Vec<Value>>, other: &RelatedRows<Vec<Value>>) -> Ordering {
    let by_rows = (&one.steps, one.relation).cmp(&(&other.steps, other.relation));
    by_rows.then_with(|| order(&one.test, &other.test))
}

const fn form(tree: &Predicate) -> u8 {
    match tree {
        Predicate::Test { .. } => 0,
        Predicate::Not(_) => 1,
        Predicate::All(_) => 2,
        Predicate::Any(_) => 3,
        Predicate::Given(_) => 4,
        Predicate::Compared(_) => 5,
        Predicate::Related(_) => 6,
    }
}

fn order_of_lists<T>(one: &[T], other: &[T], order: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let decided =
        one.iter().zip(other).map(|(one, other)| order(one, other)).find(|found| found.is_ne());
    decided.unwrap_or_else(|| one.len().cmp(&other.len()))
}

fn order_of_values(one: &Value, other: &Value) -> Ordering {
    let kind = |value: &Value| match value {
        Value::Null => 0,
        Value::Integer(_) => 1,
        Value::Number(_) => 2,
        Value::Text(_) | Value::Password(_) => 3,
    };
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => one.cmp(other),
        (Value::Number(one), Value::Number(other)) => one.total_cmp(other),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        _ => kind(one).cmp(&kind(other)),
    }
}
