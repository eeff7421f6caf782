//! [`Secret`]: a text that is never printed.

use std::fmt;

/// A text that only its user may know, such as a password. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// The text that is printed in place of a secret.
    pub(crate) const HIDDEN: &'static str = "[hidden]";

    pub(crate) fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the text itself. It must not be logged, nor be part of an error.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::HIDDEN)
    }
}
