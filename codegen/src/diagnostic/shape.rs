//! The names of the shapes of values in messages. Help texts are chosen by these constants.

/// The name of a text.
pub(crate) const TEXT: &str = "text";

/// The name of a number.
pub(crate) const NUMBER: &str = "a number";

/// The name of a boolean that was found.
pub(crate) const BOOLEAN: &str = "a boolean";

/// The name of a boolean that is expected.
pub(crate) const FLAG: &str = "`true` or `false`";

/// The name of an expected boolean or mapping.
pub(crate) const FLAG_OR_MAPPING: &str = "`true`, `false` or a mapping";

/// The name of a list.
pub(crate) const LIST: &str = "a list";

/// The name of a list whose items are lists.
pub(crate) const LIST_OF_LISTS: &str = "a list of lists";
