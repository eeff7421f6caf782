//! [`TemplatesError`]: what is wrong with a directory of templates.

use std::{error::Error, fmt};

/// A fault in a file of a directory of templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    /// The path of the file or of the directory, and the line if the fault has one.
    pub place: String,
    /// The problem, and how to repair it.
    pub says: String,
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.says)
    }
}

/// All that is wrong with a directory of templates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplatesError(pub Vec<TemplateFault>);

impl fmt::Display for TemplatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            let separator = if at > 0 { "\n" } else { "" };
            write!(f, "{separator}error: {fault}")?;
        }
        Ok(())
    }
}

impl Error for TemplatesError {}
