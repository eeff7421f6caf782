//! A place in an order: after the last member of a page.

use std::{fmt, marker::PhantomData};

use crate::{
    action::Tree,
    model::{FieldIx, Resource, SortKey},
    plan::Op,
    value::Value,
};

/// The place after the last member of a page, by the values that its order looks at.
///
/// It belongs to the filter and the order of the query that the page came from, and holds while members come and go:
/// those that are there all the time are seen exactly once.
pub struct Cursor<T> {
    tree: Tree,
    sort: Vec<SortKey>,
    values: Vec<Value>,
    of: PhantomData<fn() -> T>,
}

impl<T> Cursor<T> {
    /// The place of a row in the order of a query.
    pub(super) fn of_row(tree: &Tree, sort: &[SortKey], row: &[Value]) -> Self {
        let values = sort.iter().map(|key| row[usize::from(key.field.0)].clone()).collect();
        Self { tree: tree.clone(), sort: sort.to_vec(), values, of: PhantomData }
    }

    /// Whether it comes from a query of this filter and this order.
    pub(super) fn belongs(&self, tree: &Tree, sort: &[SortKey]) -> bool {
        self.tree == *tree && self.sort == sort
    }

    /// The keys with the values that this place has.
    pub(super) fn keys(&self) -> impl DoubleEndedIterator<Item = (&SortKey, &Value)> {
        self.sort.iter().zip(&self.values)
    }

    /// The members that come later in the order: those whose first key is later, or the same while the next is later …
    pub(super) fn later(&self, resource: &Resource) -> Tree {
        let later = self.keys().rev().fold(Tree::NONE, |rest, (key, value)| {
            let tied = Tree::all([equal(key.field, value), rest]);
            Tree::any([beyond(resource, *key, value), tied])
        });
        match self.keys().next() {
            Some((key, value)) => Tree::all([bound(resource, *key, value), later]),
            None => later,
        }
    }
}

/// Those with the same value, as the column compares.
fn equal(field: FieldIx, value: &Value) -> Tree {
    match value {
        Value::Null => Tree::test(field, Op::Null, vec![]),
        value => Tree::test(field, Op::Eq, vec![value.clone()]),
    }
}

/// Those that come later by one key; members without a value come last in both directions.
fn beyond(resource: &Resource, key: SortKey, value: &Value) -> Tree {
    if value.is_null() {
        return Tree::NONE;
    }
    let op = if key.descending { Op::Lt } else { Op::Gt };
    let later = Tree::test(key.field, op, vec![value.clone()]);
    if resource[key.field].required {
        return later;
    }
    Tree::any([later, Tree::test(key.field, Op::Null, vec![])])
}

/// What all that come later have in common, said by itself so that an index can begin there.
fn bound(resource: &Resource, key: SortKey, value: &Value) -> Tree {
    if !resource[key.field].required || key.field == FieldIx::ID {
        return Tree::EVERY;
    }
    let op = if key.descending { Op::Lte } else { Op::Gte };
    Tree::test(key.field, op, vec![value.clone()])
}

impl<T> Clone for Cursor<T> {
    fn clone(&self) -> Self {
        let Self { tree, sort, values, of } = self;
        Self { tree: tree.clone(), sort: sort.clone(), values: values.clone(), of: *of }
    }
}

impl<T> PartialEq for Cursor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.belongs(&other.tree, &other.sort) && self.values == other.values
    }
}

impl<T> fmt::Debug for Cursor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cursor").field(&self.values).finish()
    }
}
