//! [`Cursor`]: the position after the last member of a page.

use std::{fmt, marker::PhantomData};

use crate::{
    model::{ResourceModel, SortKey, predicate::Predicate, value::Value},
    request::action::{self, query_of_cursors},
};

/// The position after the last member of a page: the values of that member in the fields by which
/// the query sorts.
///
/// A cursor is only valid for queries with the same filter and order as the query of its page. It
/// stays valid while members are added and deleted. A member that exists from the first page to the
/// last is on exactly one page.
pub struct Cursor<T> {
    tree: Predicate,
    sort: Vec<SortKey>,
    place: action::OrderPosition,
    of: PhantomData<fn() -> T>,
}

impl<T> Cursor<T> {
    /// Creates the position of a row in the order of a query. The row has a value for each field.
    pub(super) fn of_row(tree: &Predicate, sort: &[SortKey], row: &[Value]) -> Self {
        let values = sort.iter().map(|key| row[usize::from(key.field.0)].clone()).collect();
        Self::read(tree.clone(), sort.to_vec(), action::OrderPosition::at(values))
    }

    /// Creates a cursor from a position that was parsed from a query string. `tree` and `sort` are
    /// the filter and order of that query.
    pub(super) const fn read(
        tree: Predicate,
        sort: Vec<SortKey>,
        place: action::OrderPosition,
    ) -> Self {
        Self { tree, sort, place, of: PhantomData }
    }

    /// Whether the cursor comes from a query with this filter and this order.
    pub(super) fn belongs(&self, tree: &Predicate, sort: &[SortKey]) -> bool {
        self.tree == *tree && self.sort == sort
    }

    /// Moves a cursor of the filter `from` to the filter `to`. A cursor of another filter stays as
    /// it is.
    pub(super) fn filtered(self, from: &Predicate, to: &Predicate) -> Self {
        if self.tree == *from { Self { tree: to.clone(), ..self } } else { self }
    }

    /// The position in the sort order after which the next page begins.
    pub(super) const fn place(&self) -> &action::OrderPosition {
        &self.place
    }

    /// The keys of the order, each with its value at this position.
    pub(super) fn keys(&self) -> impl Iterator<Item = (&SortKey, &Value)> {
        self.sort.iter().zip(&self.place.values)
    }

    /// The text of the cursor for a query string; `None` if the cursor is too long.
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
