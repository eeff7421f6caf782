//! [`Field`]: a field of a resource, from which programs build conditions and orders.

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
/// A member without a value in the field is unequal to every value. The only tests that match such
/// a member are [`ne`](Self::ne), [`none_of`](Self::none_of) and [`is_null`](Self::is_null).
///
/// Values are compared exactly and never rounded. Stored times have no nanoseconds, so no member is
/// equal to a time with nanoseconds. A decimal with more digits than the field has is an error, as
/// in an HTTP request.
pub struct Field<R, T> {
    ix: FieldIx,
    of: PhantomData<fn() -> (R, T)>,
}

impl<R, T> Field<R, T> {
    /// Creates the field at a position. The order is: the id, the parent's id if there is a parent,
    /// the declared fields, the creation time, the time of the last change.
    #[must_use]
    pub const fn new(at: u16) -> Self {
        Self { ix: FieldIx(at), of: PhantomData }
    }

    /// The position of the field in its resource.
    #[must_use]
    pub const fn ix(self) -> FieldIx {
        self.ix
    }
}

impl<R: Resource, T: FieldType> Field<R, T> {
    /// Matches members whose value is equal to `value`.
    pub fn eq(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Eq, [value])
    }

    /// Matches members whose value is not equal to `value`, and members without a value.
    pub fn ne(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Ne, [value])
    }

    /// Matches members whose value is less than `value`.
    pub fn lt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lt, [value])
    }

    /// Matches members whose value is less than or equal to `value`.
    pub fn le(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lte, [value])
    }

    /// Matches members whose value is greater than `value`.
    pub fn gt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gt, [value])
    }

    /// Matches members whose value is greater than or equal to `value`.
    pub fn ge(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gte, [value])
    }

    /// Matches members whose value is between `from` and `to`, both included.
    pub fn between(self, from: impl Into<T>, to: impl Into<T>) -> Condition<R> {
        self.test::<T>(Op::Between, [from.into(), to.into()])
    }

    /// Matches members whose value is in the list. An empty list matches no member.
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::In(0), values)
    }

    /// Matches members whose value is not in the list, and members without a value.
    pub fn none_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::NotIn(0), values)
    }

    /// Matches members without a value in this field.
    #[must_use]
    pub fn is_null(self) -> Condition<R> {
        self.test::<T>(Op::Null, [])
    }

    /// Matches members with any value in this field.
    #[must_use]
    pub fn is_not_null(self) -> Condition<R> {
        self.test::<T>(Op::NotNull, [])
    }

    /// Matches members whose text contains `part`. A field that is not text is a compile error.
    pub fn contains(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::Contains, part.into())
    }

    /// Matches members whose text begins with `part`. A field that is not text is a compile error.
    pub fn starts_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::StartsWith, part.into())
    }

    /// Matches members whose text ends with `part`. A field that is not text is a compile error.
    pub fn ends_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::EndsWith, part.into())
    }

    /// Sorts members by this field in ascending order. Members without a value come last.
    #[must_use]
    pub const fn asc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: false })
    }

    /// Sorts members by this field in descending order. Members without a value come last.
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
