//! A change of one field: kept as it is, or set.

/// What a patch says of a field.
///
/// ```
/// use nouns_runtime::Patch;
/// let weight: Patch<Option<f64>> = Some(2.5).into();
/// assert_eq!((weight, Patch::<String>::default()), (Patch::Set(Some(2.5)), Patch::Keep));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It becomes this.
    Set(T),
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}
