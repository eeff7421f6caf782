//! A field of a resource as a token for tests and orders.

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
/// A member without a value is unequal to every value. It matches [`ne`](Self::ne),
/// [`none_of`](Self::none_of) and [`is_null`](Self::is_null), and no other test.
///
/// Values are compared as they are given, never rounded. The store has no times with nanoseconds,
/// so no member is equal to one. A decimal with more digits than the field has is refused, as over
/// HTTP.
pub struct Field<R, T> {
    ix: FieldIx,
    of: PhantomData<fn() -> (R, T)>,
}

impl<R, T> Field<R, T> {
    /// The field at this position: the id, the parent's id if there is a parent, the declared
    /// fields, the two times.
    #[must_use]
    pub const fn new(at: u16) -> Self {
        Self { ix: FieldIx(at), of: PhantomData }
    }

    /// The position of the field.
    #[must_use]
    pub const fn ix(self) -> FieldIx {
        self.ix
    }
}

impl<R: Resource, T: FieldType> Field<R, T> {
    /// Matches members with a value equal to this.
    pub fn eq(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Eq, [value])
    }

    /// Matches members with another value or none.
    pub fn ne(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Ne, [value])
    }

    /// Matches members with a value less than this.
    pub fn lt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lt, [value])
    }

    /// Matches members with a value of at most this.
    pub fn le(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lte, [value])
    }

    /// Matches members with a value greater than this.
    pub fn gt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gt, [value])
    }

    /// Matches members with a value of at least this.
    pub fn ge(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gte, [value])
    }

    /// Matches members with a value from the first to the second, both included.
    pub fn between(self, from: impl Into<T>, to: impl Into<T>) -> Condition<R> {
        self.test::<T>(Op::Between, [from.into(), to.into()])
    }

    /// Matches members with one of these values; an empty list matches no member.
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::In(0), values)
    }

    /// Matches members with none of these values, and members without a value.
    pub fn none_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::NotIn(0), values)
    }

    /// Matches members without a value.
    #[must_use]
    pub fn is_null(self) -> Condition<R> {
        self.test::<T>(Op::Null, [])
    }

    /// Matches members with a value.
    #[must_use]
    pub fn is_not_null(self) -> Condition<R> {
        self.test::<T>(Op::NotNull, [])
    }

    /// Matches text that contains this. A field that is not text is a compile error.
    pub fn contains(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::Contains, part.into())
    }

    /// Matches text that begins with this. A field that is not text is a compile error.
    pub fn starts_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::StartsWith, part.into())
    }

    /// Matches text that ends with this. A field that is not text is a compile error.
    pub fn ends_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::EndsWith, part.into())
    }

    /// Sorts the smallest first; members without a value come last.
    #[must_use]
    pub const fn asc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: false })
    }

    /// Sorts the largest first; members without a value come last.
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
