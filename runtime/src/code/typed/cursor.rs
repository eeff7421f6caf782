//! A place in an order: after the last member of a page.

use std::{fmt, marker::PhantomData};

use crate::{
    model::{ResourceModel, SortKey, predicate::Predicate, value::Value},
    request::action::{self, query_of_cursors},
};

/// The place after the last member of a page, by the values that its order looks at.
///
/// It belongs to the filter and the order of the query that the page came from, and holds while
/// members come and go: those that are there all the time are seen exactly once.
pub struct Cursor<T> {
    tree: Predicate,
    sort: Vec<SortKey>,
    place: action::OrderPosition,
    of: PhantomData<fn() -> T>,
}

impl<T> Cursor<T> {
    /// The place of a row in the order of a query.
    pub(super) fn of_row(tree: &Predicate, sort: &[SortKey], row: &[Value]) -> Self {
        let values = sort.iter().map(|key| row[usize::from(key.field.0)].clone()).collect();
        Self::read(tree.clone(), sort.to_vec(), action::OrderPosition::at(values))
    }

    /// A place that a query string has said, in the order of its query.
    pub(super) const fn read(
        tree: Predicate,
        sort: Vec<SortKey>,
        place: action::OrderPosition,
    ) -> Self {
        Self { tree, sort, place, of: PhantomData }
    }

    /// Whether it comes from a query of this filter and this order.
    pub(super) fn belongs(&self, tree: &Predicate, sort: &[SortKey]) -> bool {
        self.tree == *tree && self.sort == sort
    }

    /// The place in the order.
    pub(super) const fn place(&self) -> &action::OrderPosition {
        &self.place
    }

    /// The keys with the values that this place has.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&SortKey, &Value)> {
        self.sort.iter().zip(&self.place.values)
    }

    /// How a query string says it, if it can.
    pub(super) fn spell(&self, resource: &ResourceModel) -> Option<String> {
        let of = query_of_cursors(resource, &[], &self.tree, &self.sort);
        self.place.spell(resource, &self.sort, of)
    }
}

impl<T> Clone for Cursor<T> {
    fn clone(&self) -> Self {
        Self::read(self.tree.clone(), self.sort.clone(), self.place.clone())
    }
}

impl<T> PartialEq for Cursor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.belongs(&other.tree, &other.sort) && self.place == other.place
    }
}

impl<T> fmt::Debug for Cursor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cursor").field(&self.place.values).finish()
    }
}
