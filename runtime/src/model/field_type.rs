//! The Rust types of fields: those of the standard library and of well-known crates, and the
//! author's own.

mod built_in;
pub mod choice;

use std::fmt::Debug;

use crate::model::{
    def::{FieldKind, TypeDef},
    patch::Patch,
    slots::{Slots, Unreadable},
    value::Value,
};

/// A Rust type that a field can have; `#[derive(FieldType)]` writes the implementation for an
/// author's own.
///
/// ```
/// use nouns_runtime::{FieldType, def::FieldKind, value::Value};
/// assert_eq!(true.into_value(FieldKind::Boolean), Value::Integer(1));
/// assert_eq!(f64::from_value(FieldKind::Number, Value::Number(2.5)), Some(2.5));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a field",
    label = "not a field type",
    note = "write `#[derive(FieldType)]` above `{Self}`, or use another type"
)]
pub trait FieldType: Clone + Debug + Send + 'static {
    /// What was declared of it.
    const DEF: &'static TypeDef;

    /// The value as the store keeps it in a field of a kind, which has the scale of decimals.
    fn into_value(self, kind: FieldKind) -> Value;

    /// The value as a test of a query compares with it. Where the store keeps less than the type
    /// can hold, it is not fitted: a test never asks for another value than the one that was given.
    fn into_operand(self, kind: FieldKind) -> Value {
        self.into_value(kind)
    }

    /// The value that the store keeps; `None` where it is none of this type.
    fn from_value(kind: FieldKind, value: Value) -> Option<Self>;

    // What expansions call, here rather than on `Slots`: whatever they do with a type that is none
    // of a field, rustc then says of it in the same words at the same place, which it does once.

    #[doc(hidden)]
    fn take(slots: &mut Slots<'_>, at: u16) -> Result<Self, Unreadable> {
        slots.take(at)
    }

    #[doc(hidden)]
    fn take_optional(slots: &mut Slots<'_>, at: u16) -> Result<Option<Self>, Unreadable> {
        slots.take_optional(at)
    }

    #[doc(hidden)]
    fn take_patch(slots: &mut Slots<'_>, at: u16) -> Result<Patch<Self>, Unreadable> {
        slots.take_patch(at)
    }

    #[doc(hidden)]
    fn put(slots: &mut Slots<'_>, at: u16, value: Self) {
        slots.put(at, value);
    }

    #[doc(hidden)]
    fn put_optional(slots: &mut Slots<'_>, at: u16, value: Option<Self>) {
        slots.put_optional(at, value);
    }

    #[doc(hidden)]
    fn put_patch(slots: &mut Slots<'_>, at: u16, patch: Patch<Self>) {
        slots.put_patch(at, patch);
    }
}
