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
/// Conditions with the same meaning are equal, even if they were built differently. This includes
/// the condition of a filter in a URL. A condition is either true or false for each member, unlike
/// in SQL. So `!` selects exactly the members that the condition does not match.
pub struct Condition<R> {
    pub(super) tree: Predicate,
    of: PhantomData<fn() -> R>,
}

impl<R> Condition<R> {
    pub(super) const fn new(tree: Predicate) -> Self {
        Self { tree, of: PhantomData }
    }
}

impl<R> BitAnd for Condition<R> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self::new(Predicate::all([self.tree, other.tree]))
    }
}

impl<R> BitOr for Condition<R> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self::new(Predicate::any([self.tree, other.tree]))
    }
}

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
