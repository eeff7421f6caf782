//! [`Patch`]: the change of one field, or no change.

/// The effect of a patch on one field.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Patch;
/// let weight: Patch<Option<f64>> = Some(2.5).into();
/// assert_eq!((weight, Patch::<String>::default()), (Patch::Set(Some(2.5)), Patch::Keep));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field does not change.
    #[default]
    Keep,
    /// The field is set to this value.
    Set(T),
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}
