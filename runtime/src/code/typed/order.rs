//! [`Order`] and [`IntoOrder`]: the keys of a sort order.

use std::marker::PhantomData;

use crate::model::SortKey;

/// A key of a sort order: a field and a direction. In both directions, members without a value in
/// the field come last. [`Field::asc`](super::Field::asc) and [`Field::desc`](super::Field::desc)
/// return it.
pub struct Order<R> {
    key: SortKey,
    of: PhantomData<fn() -> R>,
}

impl<R> Order<R> {
    pub(super) const fn new(key: SortKey) -> Self {
        Self { key, of: PhantomData }
    }
}

impl<R> Clone for Order<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Order<R> {}

/// One sort key or several, the most significant first: an [`Order`], or a tuple, an array or a
/// vector of orders.
pub trait IntoOrder<R> {
    /// Converts the value to sort keys.
    fn into_keys(self) -> Vec<SortKey>;
}

impl<R> IntoOrder<R> for Order<R> {
    fn into_keys(self) -> Vec<SortKey> {
        vec![self.key]
    }
}

impl<R, const N: usize> IntoOrder<R> for [Order<R>; N] {
    fn into_keys(self) -> Vec<SortKey> {
        self.map(|order| order.key).to_vec()
    }
}

impl<R> IntoOrder<R> for Vec<Order<R>> {
    fn into_keys(self) -> Vec<SortKey> {
        self.into_iter().map(|order| order.key).collect()
    }
}

impl<R> IntoOrder<R> for (Order<R>, Order<R>) {
    fn into_keys(self) -> Vec<SortKey> {
        vec![self.0.key, self.1.key]
    }
}

impl<R> IntoOrder<R> for (Order<R>, Order<R>, Order<R>) {
    fn into_keys(self) -> Vec<SortKey> {
        vec![self.0.key, self.1.key, self.2.key]
    }
}
