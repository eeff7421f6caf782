//! A cursor: the position after the last member of a page.

use std::{fmt, marker::PhantomData};

use crate::{
    model::{ResourceModel, SortKey, predicate::Predicate, value::Value},
    request::action::{self, query_of_cursors},
};

/// The position after the last member of a page: its values of the keys of the order.
///
/// A cursor belongs to the filter and the order of its page's query. It stays valid while members
/// are added and deleted: those that exist all the time are seen exactly once.
pub struct Cursor<T> {
    tree: Predicate,
    sort: Vec<SortKey>,
    place: action::OrderPosition,
    of: PhantomData<fn() -> T>,
}

impl<T> Cursor<T> {
    /// The position of a row in the order of a query.
    pub(super) fn of_row(tree: &Predicate, sort: &[SortKey], row: &[Value]) -> Self {
        let values = sort.iter().map(|key| row[usize::from(key.field.0)].clone()).collect();
        Self::read(tree.clone(), sort.to_vec(), action::OrderPosition::at(values))
    }

    /// The position that a query string contains, in the order of its query.
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

    /// The position in the order.
    pub(super) const fn place(&self) -> &action::OrderPosition {
        &self.place
    }

    /// The keys with their values at this position.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&SortKey, &Value)> {
        self.sort.iter().zip(&self.place.values)
    }

    /// The text for a query string, if there is one.
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
