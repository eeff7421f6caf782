//! The words for the shapes of values in messages. Help texts are chosen by these constants.

/// The words for a text in messages.
pub(crate) const TEXT: &str = "text";

/// The words for a number in messages.
pub(crate) const NUMBER: &str = "a number";

/// The words for a boolean that was found, in messages.
pub(crate) const BOOLEAN: &str = "a boolean";

/// The words for a boolean that is expected, in messages.
pub(crate) const FLAG: &str = "`true` or `false`";

/// The words for an expected boolean or mapping, in messages.
pub(crate) const FLAG_OR_MAPPING: &str = "`true`, `false` or a mapping";

/// The words for a list in messages.
pub(crate) const LIST: &str = "a list";

/// The words for a list whose items are lists, in messages.
pub(crate) const LIST_OF_LISTS: &str = "a list of lists";
