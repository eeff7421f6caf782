//! [`Condition`]: a condition on members, built of tests of fields.

use std::{
    fmt,
    marker::PhantomData,
    ops::{BitAnd, BitOr, Not},
};

use super::text;
use crate::{code::resource::Resource, model::predicate::Predicate};

/// A condition on the members of a resource: tests of fields, joined with `&`, `|` and `!`.
///
/// The tests are methods of [`Field`](super::Field): `a.weight_kg.ge(2.0) & !a.name.eq("Rex")`. In
/// a URL, different parameters are joined like `&`, and repeated `field=` like `|`. A URL has no
/// other `|`, and no `!` except as the operators `ne`, `nin` and `null`.
///
/// Conditions that differ only in the order of their parts, in repeated parts or in double negation
/// are equal. This includes the condition of a filter in a URL. A condition is either true or false
/// for each member, unlike in SQL. So `!` selects exactly the members that the condition does not
/// match: `!a.weight_kg.lt(2.0)` also matches members without a weight.
pub struct Condition<R> {
    pub(super) tree: Predicate,
    of: PhantomData<fn() -> R>,
}

impl<R> Condition<R> {
    pub(super) const fn new(tree: Predicate) -> Self {
        Self { tree, of: PhantomData }
    }
}

/// Matches members that match both conditions.
impl<R> BitAnd for Condition<R> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self::new(Predicate::all([self.tree, other.tree]))
    }
}

/// Matches members that match at least one of the conditions.
impl<R> BitOr for Condition<R> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::new(Predicate::any([self.tree, other.tree]))
    }
}

/// Matches exactly the members that do not match the condition.
impl<R> Not for Condition<R> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(self.tree.not())
    }
}

impl<R> Clone for Condition<R> {
    fn clone(&self) -> Self {
        Self::new(self.tree.clone())
    }
}

impl<R> PartialEq for Condition<R> {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

/// Prints a readable expression, such as `name eq "Bella" and not (weight_kg lt 2)`.
impl<R: Resource> fmt::Display for Condition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::expression(R::DEF, &self.tree))
    }
}

impl<R: Resource> fmt::Debug for Condition<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({self})")
    }
}
