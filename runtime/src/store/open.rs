//! Why a database is not opened.

use std::{fmt, path::Path};

use super::{Difference, Location};

/// Why a database is not opened.
#[derive(Debug)]
pub enum OpenError {
    /// It was made for another declaration; all differences can be applied, and it was not asked
    /// for.
    Pending(Vec<Difference>),
    /// It was made for another declaration, and these differences cannot be applied.
    Refused(Vec<Difference>),
    /// The file cannot be used: one sentence, which begins in lower case to follow `error: `.
    Unusable {
        /// What is wrong, and what would repair it.
        sentence: String,
        /// What the database said.
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl OpenError {
    /// A file that cannot be used for a reason that follows its name.
    pub(super) fn unusable(path: &Path, reason: impl fmt::Display) -> Self {
        Self::Unusable {
            sentence: format!("the database `{}` {reason}.", path.display()),
            cause: None,
        }
    }

    /// A database that no engine opens.
    pub(super) fn no_engine(database: &Location) -> Self {
        let sentence = format!(
            "the database `{database}` cannot be opened: there is SQLite alone so far; give the name of a file."
        );
        Self::Unusable { sentence, cause: None }
    }

    /// The same with what the database said.
    #[must_use]
    pub(super) fn because(self, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        match self {
            Self::Unusable { sentence, .. } => Self::Unusable { sentence, cause: Some(why.into()) },
            other => other,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending(differences) => {
                writeln!(
                    f,
                    "the database was made for another declaration; these changes lead to this one:"
                )?;
                differences
                    .iter()
                    .try_for_each(|each| writeln!(f, "- {} {}", each.description, each.reason))
            }
            Self::Refused(differences) => {
                writeln!(
                    f,
                    "the database was made for another declaration, and cannot be changed to this one:"
                )?;
                differences.iter().try_for_each(|each| writeln!(f, "- {each}"))
            }
            Self::Unusable { sentence, .. } => f.write_str(sentence),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable { cause: Some(cause), .. } => Some(&**cause),
            _ => None,
        }
    }
}
