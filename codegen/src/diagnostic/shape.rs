//! The shapes of values, as messages name them. Help is chosen by these constants.

/// A text.
pub(crate) const TEXT: &str = "text";

/// A number.
pub(crate) const NUMBER: &str = "a number";

/// A flag, as the shape of a found value.
pub(crate) const BOOLEAN: &str = "a boolean";

/// A flag, as an expected shape.
pub(crate) const FLAG: &str = "`true` or `false`";

/// A flag, or keys that say more.
pub(crate) const FLAG_OR_MAPPING: &str = "`true`, `false` or a mapping";

/// A list.
pub(crate) const LIST: &str = "a list";

/// A list whose items are lists.
pub(crate) const LIST_OF_LISTS: &str = "a list of lists";
