//! The errors that occur when a database is opened.

use std::{fmt, path::Path};

use super::{Difference, Location, location::is_postgres};

/// The reason why a database was not opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The database was made for another declaration. All these differences can be applied, but
    /// [`apply`](super::StoreOptions::apply) was not set.
    Pending(Vec<Difference>),
    /// The database was made for another declaration, and these differences cannot be applied.
    Refused(Vec<Difference>),
    /// The file cannot be used as a database.
    Unusable {
        /// One sentence about the problem and how to fix it, in lower case, to be printed after
        /// `error: `.
        sentence: String,
        /// The underlying error of SQLite or the operating system, if there is one.
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl OpenError {
    /// Creates the error of a file that cannot be used. The reason continues the sentence after the
    /// file name.
    pub(super) fn unusable(path: &Path, reason: impl fmt::Display) -> Self {
        Self::unusable_at(&path.into(), reason)
    }

    /// Creates the error of a database that cannot be used. The reason continues the sentence after
    /// the location.
    pub(super) fn unusable_at(database: &Location, reason: impl fmt::Display) -> Self {
        Self::Unusable { sentence: format!("the database `{database}` {reason}."), cause: None }
    }

    /// Creates the error of a location that no engine can open.
    pub(super) fn no_engine(database: &Location) -> Self {
        let engines = match database {
            Location::Url(url) if is_postgres(url) && !cfg!(feature = "postgres") => {
                "this program was built without the feature `postgres`; give the path of a file"
            }
            Location::Url(url) if is_postgres(url) => {
                "this works only with an SQLite file so far; give the path of a file"
            }
            _ if cfg!(feature = "postgres") => {
                "it is neither the path of a file nor a URL that begins with `postgres://`"
            }
            _ => "only SQLite is supported so far; give the path of a file",
        };
        Self::unusable_at(database, format!("cannot be opened: {engines}"))
    }

    /// Adds the underlying error of SQLite or the operating system.
    #[must_use]
    pub(super) fn with_source(
        self,
        why: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
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
                    "the schema has changed since the database was made; these changes are not applied yet:"
                )?;
                differences
                    .iter()
                    .try_for_each(|each| writeln!(f, "- {} {}", each.description, each.reason))
            }
            Self::Refused(differences) => {
                writeln!(
                    f,
                    "the schema has changed in ways that cannot be applied to the database:"
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
