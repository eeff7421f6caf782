//! [`Field`]: a field of a resource, from which programs build conditions and orders.

use std::marker::PhantomData;

use super::{Condition, Order, declared};
use crate::{
    code::resource::Resource,
    model::{
        FieldIx, Op, SortKey,
        def::FieldKind,
        field_type::FieldType,
        predicate::{Predicate, precise},
        value::Value,
    },
};

/// A field of a resource `R` with values of the type `T`, from which conditions and orders are
/// built: `animal.weight_kg.lt(10.0)` and `animal.name.asc()`. A field with the type `Option<T>`
/// in the struct is a `Field<R, T>` here.
///
/// **Members without a value.** Such a member is unequal to every value. The only tests that match
/// it are [`ne`](Self::ne), [`none_of`](Self::none_of) and [`is_null`](Self::is_null), and a
/// condition with `!` around another test. Orders have it last in both directions.
///
/// **Case.** Tests of text are case-sensitive. If the field or its type declares `ignore_case`, the
/// letters A to Z compare without case in each test and in orders.
///
/// **Precision.** Values are compared exactly and never rounded. Stored times have whole
/// microseconds, so no member is equal to a time with nanoseconds. A decimal with more digits than
/// the scale of the field is an error, as in an HTTP request.
///
/// **JSON.** A field of JSON can only be tested for null, and has no order. A call with another
/// test fails with 400.
///
/// Each method names the parameter of a URL that has the same meaning.
pub struct Field<R, T> {
    ix: FieldIx,
    of: PhantomData<fn() -> (R, T)>,
}

impl<R, T> Field<R, T> {
    /// Creates the field at a position. The order is: the id, the parent's id if there is a parent,
    /// the declared fields, the creation time, the time of the last change.
    #[must_use]
    #[doc(hidden)]
    pub const fn new(at: u16) -> Self {
        Self { ix: FieldIx(at), of: PhantomData }
    }

    /// The position of the field in its resource.
    #[must_use]
    #[doc(hidden)]
    pub const fn ix(self) -> FieldIx {
        self.ix
    }
}

impl<R: Resource, T: FieldType> Field<R, T> {
    /// Matches members whose value is equal to `value`; never members without a value. In a URL:
    /// `name=Bella`.
    pub fn eq(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Eq, [value])
    }

    /// Matches members whose value is not equal to `value`, and members without a value. In a URL:
    /// `name[ne]=Bella`.
    pub fn ne(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Ne, [value])
    }

    /// Matches members whose value is less than `value`; never members without a value. In a URL:
    /// `weight_kg[lt]=10`.
    pub fn lt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lt, [value])
    }

    /// Matches members whose value is less than or equal to `value`; never members without a value.
    /// In a URL: `weight_kg[lte]=10`.
    pub fn le(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Lte, [value])
    }

    /// Matches members whose value is greater than `value`; never members without a value. In a
    /// URL: `weight_kg[gt]=10`.
    pub fn gt(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gt, [value])
    }

    /// Matches members whose value is greater than or equal to `value`; never members without a
    /// value. In a URL: `weight_kg[gte]=10`.
    pub fn ge(self, value: impl Into<T>) -> Condition<R> {
        self.test(Op::Gte, [value])
    }

    /// Matches members whose value is between `from` and `to`, both included; never members without
    /// a value. If `from` is greater than `to`, no member matches. In a URL:
    /// `weight_kg[between]=2,10`.
    pub fn between(self, from: impl Into<T>, to: impl Into<T>) -> Condition<R> {
        self.test::<T>(Op::Between, [from.into(), to.into()])
    }

    /// Matches members whose value is in the list; never members without a value. An empty list
    /// matches no member. In a URL: `kind[in]=bird,fish`.
    pub fn one_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::In(0), values)
    }

    /// Matches members whose value is not in the list, and members without a value. An empty list
    /// matches every member. In a URL: `kind[nin]=bird,fish`.
    pub fn none_of(self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<R> {
        self.test(Op::NotIn(0), values)
    }

    /// Matches members without a value in this field. In a URL: `born[null]=true`.
    #[must_use]
    pub fn is_null(self) -> Condition<R> {
        self.test::<T>(Op::Null, [])
    }

    /// Matches members with any value in this field. In a URL: `born[null]=false`.
    #[must_use]
    pub fn is_not_null(self) -> Condition<R> {
        self.test::<T>(Op::NotNull, [])
    }

    /// Matches members whose text contains `part`; never members without a value. It is
    /// case-sensitive unless the field declares `ignore_case`. A field that is not text is a
    /// compile error. In a URL: `name[contains]=ell`.
    pub fn contains(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::Contains, part.into())
    }

    /// Matches members whose text begins with `part`; never members without a value. It is
    /// case-sensitive unless the field declares `ignore_case`. A field that is not text is a
    /// compile error. In a URL: `name[starts_with]=Be`.
    pub fn starts_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::StartsWith, part.into())
    }

    /// Matches members whose text ends with `part`; never members without a value. It is
    /// case-sensitive unless the field declares `ignore_case`. A field that is not text is a
    /// compile error. In a URL: `name[ends_with]=la`.
    pub fn ends_with(self, part: impl Into<String>) -> Condition<R> {
        self.text(Op::EndsWith, part.into())
    }

    /// Sorts members by this field in ascending order. Members without a value come last. In a URL:
    /// `sortby=weight_kg`.
    #[must_use]
    pub const fn asc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: false })
    }

    /// Sorts members by this field in descending order. Members without a value come last, too. In
    /// a URL: `sortby=-weight_kg`.
    #[must_use]
    pub const fn desc(self) -> Order<R> {
        Order::new(SortKey { field: self.ix, descending: true })
    }

    fn test<V: Into<T>>(self, op: Op, values: impl IntoIterator<Item = V>) -> Condition<R> {
        let kind = declared::kind(R::DEF, self.ix);
        let values = values.into_iter().map(|value| value.into().into_operand(kind)).collect();
        Condition::new(precise::test(self.ix, kind, op, values))
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
