//! The Rust types of fields: those of the standard library and well-known crates, and custom ones.

mod built_in;
pub mod choice;

use std::fmt::Debug;

use crate::model::{
    def::{FieldKind, TypeDef},
    patch::Patch,
    slots::{Slots, Unreadable},
    value::Value,
};

/// A Rust type that a field can have. `#[derive(FieldType)]` implements it for a custom type.
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
    /// The declaration of the type.
    const DEF: &'static TypeDef;

    /// Converts to the stored value in a field of a kind, which has the scale of decimals.
    fn into_value(self, kind: FieldKind) -> Value;

    /// Converts to the value that a test of a query compares with. It is not rounded to the
    /// precision of the store: a test always compares with the value that was given.
    fn into_operand(self, kind: FieldKind) -> Value {
        self.into_value(kind)
    }

    /// Converts from the stored value; `None` if it is no value of this type.
    fn from_value(kind: FieldKind, value: Value) -> Option<Self>;

    // Generated code calls these, and not `Slots`. For a type that is no field type, rustc then
    // gives the same message at the same place for each call, and prints it once.

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
