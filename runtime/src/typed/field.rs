//! A field of a resource as a token: what a query tests and sorts by.

use std::marker::PhantomData;

use crate::model::FieldIx;

/// A field of a resource `R` with values of the type `T`.
pub struct Field<R, T> {
    ix: FieldIx,
    of: PhantomData<fn() -> (R, T)>,
}

impl<R, T> Field<R, T> {
    /// The field in this place: the id, the parent's id where there is a parent, the declared fields, the two times.
    #[must_use]
    pub const fn new(at: u16) -> Self {
        Self { ix: FieldIx(at), of: PhantomData }
    }

    /// Its place.
    #[must_use]
    pub const fn ix(self) -> FieldIx {
        self.ix
    }
}

impl<R, T> Clone for Field<R, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, T> Copy for Field<R, T> {}
