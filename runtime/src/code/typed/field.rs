//! A field of a resource as a token: what a query tests and sorts by.

use std::marker::PhantomData;

use super::{Condition, Order, declared, exact};
use crate::{
    code::resource::Resource,
    model::{
        FieldIx, Op, SortKey, def::FieldKind, field_type::FieldType, predicate::Predicate,
        value::Value,
    },
};

/// A field of a resource `R` with values of the type `T`.
///
/// A member without a value is unequal to every value, so it passes [`ne`](Self::ne),
/// [`none_of`](Self::none_of) and [`is_null`](Self::is_null), and no other test.
///
/// Values are compared as they are given, never rounded: no member is equal to a time with
/// nanoseconds, of which the store keeps none, and the call refuses a decimal with more digits than
/// the field has, as it does over HTTP.
pub struct Field<R, T> {
    ix: FieldIx,
    of: PhantomData<fn() -> (R, T)>,
}

impl<R, T> Field<R, T> {
    /// The field in this place: the id, the parent's id where there is a parent, the declared
    /// fields, the two times.
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

impl<R: Resource, T: FieldType> Field<R, T> {
    /// Equal to a value.
    pub fn eq(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Eq, [value])
    }

    /// Not equal to a value, or without one.
    pub fn ne(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Ne, [value])
    }

    /// Less than a value.
    pub fn lt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lt, [value])
    }

    /// At most a value.
    pub fn le(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lte, [value])
    }

    /// Greater than a value.
    pub fn gt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gt, [value])
    }

    /// At least a value.
    pub fn ge(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gte, [value])
    }

    /// From the first value to the second, both included.
    pub fn between(self, from: impl Into<T>, to: impl Into<T>) -> Condition<R> {
        self.test::<T>(Op::Between, [from.into(), to.into()])
    }

    /// Equal to one of these values; of none, no member is.
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::In(0), values)
    }

    /// Equal to none of these values, or without one.
    pub fn none_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::NotIn(0), values)
    }

    /// Without a value.
    #[must_use]
    pub fn is_null(self) -> Condition<R> {
        self.test::<T>(Op::Null, [])
    }

    /// With a value.
    #[must_use]
    pub fn is_not_null(self) -> Condition<R> {
        self.test::<T>(Op::NotNull, [])
    }

    /// Text with this in it. A field of another kind than text is refused when the program is
    /// compiled.
    pub fn contains(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::Contains, part.into())
    }

    /// Text that begins with this. A field of another kind than text is refused when the program is
    /// compiled.
    pub fn starts_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::StartsWith, part.into())
    }

    /// Text that ends with this. A field of another kind than text is refused when the program is
    /// compiled.
    pub fn ends_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::EndsWith, part.into())
    }

    /// The smallest first; members without a value come last.
    #[must_use]
    pub const fn asc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: false })
    }

    /// The largest first; members without a value come last.
    #[must_use]
    pub const fn desc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: true })
    }

    fn test<V: Into<T>>(self, op: Op, values: impl IntoIterator<Item = V>) -> Condition<R> {
        let kind = declared::kind(R::DEF, self.ix);
        let values = values.into_iter().map(|value| value.into().into_operand(kind)).collect();
        Condition::new(exact::test(self.ix, kind, op, values))
    }

    fn text(self, op: Op, part: String) -> Condition<R> {
        const {
            assert!(
                matches!(T::DEF.kind, FieldKind::String),
                "`contains`, `starts_with` and `ends_with` are only for fields of text"
            );
        }
        Condition::new(Predicate::test(self.ix, op, vec![Value::Text(part)]))
    }
}

impl<R, T> Clone for Field<R, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, T> Copy for Field<R, T> {}
