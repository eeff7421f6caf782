//! [`FieldType`]: the Rust types that a field can have, built-in and custom.

mod built_in;
pub mod choice;
pub mod password;

use std::fmt::Debug;

use crate::model::{
    def::{FieldKind, TypeDef},
    patch::Patch,
    slots::{Slots, UnreadableValue},
    value::Value,
};

/// A Rust type that a field can have. Use `#[derive(FieldType)]` for a custom type.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{FieldType, def::FieldKind, value::Value};
/// assert_eq!(true.into_value(FieldKind::Boolean), Value::Integer(1));
/// assert_eq!(f64::from_value(FieldKind::Number, Value::Number(2.5)), Some(2.5));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a field",
    label = "not a field type",
    note = "write `#[derive(FieldType)]` above `{Self}`, or use another type"
)]
pub trait FieldType: Clone + Debug + Send + 'static {
    /// The declaration of the type.
    const DEF: &'static TypeDef;

    /// Converts a Rust value to the stored value of a field. The kind of the field contains the
    /// scale of decimals.
    fn into_value(self, kind: FieldKind) -> Value;

    /// Converts a Rust value to a value with which a query compares a field. Unlike a stored value,
    /// it is not rounded to the precision of the store.
    fn into_operand(self, kind: FieldKind) -> Value {
        self.into_value(kind)
    }

    /// Converts a stored value to a Rust value; `None` if the Rust type has no such value.
    fn from_value(kind: FieldKind, value: Value) -> Option<Self>;

    // Generated code calls these methods instead of the methods of `Slots`. If a type does not
    // implement `FieldType`, rustc then finds the same error at the same place several times, and
    // prints it only once.

    #[doc(hidden)]
    fn take(slots: &mut Slots<'_>, at: u16) -> Result<Self, UnreadableValue> {
        slots.take(at)
    }

    #[doc(hidden)]
    fn take_optional(slots: &mut Slots<'_>, at: u16) -> Result<Option<Self>, UnreadableValue> {
        slots.take_optional(at)
    }

    #[doc(hidden)]
    fn take_patch(slots: &mut Slots<'_>, at: u16) -> Result<Patch<Self>, UnreadableValue> {
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
