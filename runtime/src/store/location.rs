//! The locations of databases. A location determines which engine opens the database.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use super::sql::Dialect;

/// The location of a database.
///
/// A text with a scheme is a URL, such as `postgres://…`. Any other text, and every path, is an
/// SQLite file. URLs need the feature `postgres`.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::Location;
/// use std::path::Path;
/// assert_eq!(Location::from("zoo.db"), Location::from(Path::new("zoo.db")));
/// assert_eq!(Location::from("postgres://ada:secret@db/zoo").to_string(), "postgres://…@db/zoo");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// An SQLite file; it is created if it does not exist.
    File(PathBuf),
    /// The URL of a database server. [`fmt::Display`] and [`fmt::Debug`] leave out the user and the
    /// password.
    Url(String),
}

impl Location {
    fn of(text: OsString) -> Self {
        match text.to_str() {
            Some(url) if has_scheme(url) => Self::Url(url.into()),
            _ => Self::File(text.into()),
        }
    }
}

impl Location {
    /// Returns the SQL dialect of the database.
    #[doc(hidden)]
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Url(url) if is_postgres(url) => Dialect::Postgres,
            _ => Dialect::Sqlite,
        }
    }
}

/// Whether a URL is one of PostgreSQL.
pub(super) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// Whether a text begins with a URL scheme and `://` (RFC 3986 §3.1). A single letter before the
/// colon is a Windows drive, not a scheme.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else { return false };
    let mut letters = scheme.chars();
    let is_first = letters.next().is_some_and(|first| first.is_ascii_alphabetic());
    let is_rest = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    is_first && scheme.len() > 1 && letters.all(is_rest)
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = match self {
            Self::File(path) => return path.display().fmt(f),
            Self::Url(url) => url,
        };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let (hidden, shown) = match rest.rsplit_once('@') {
            // The last `@` comes after a `?` or `#`, so the text before it may contain a password
            // at any place. All of this text is hidden.
            Some((before, _)) if before.contains(['?', '#']) => ("…", ""),
            Some((_, shown)) => ("…@", shown),
            None => ("", rest),
        };
        let end = shown.find(['?', '#']).unwrap_or(shown.len());
        write!(f, "{scheme}://{hidden}{}", &shown[..end])
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.into())
    }
}

impl From<&OsStr> for Location {
    fn from(text: &OsStr) -> Self {
        Self::of(text.into())
    }
}

impl From<&String> for Location {
    fn from(text: &String) -> Self {
        Self::of(text.into())
    }
}

impl From<OsString> for Location {
    fn from(text: OsString) -> Self {
        Self::of(text)
    }
}

impl From<String> for Location {
    fn from(text: String) -> Self {
        Self::of(text.into())
    }
}

impl From<&str> for Location {
    fn from(text: &str) -> Self {
        Self::of(text.into())
    }
}

impl From<&Self> for Location {
    fn from(location: &Self) -> Self {
        location.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_makes_a_url_and_nothing_else_does() {
        for file in [
            "zoo.db",
            "./a:b/zoo.db",
            "C:\\zoo.db",
            "c://zoo.db",
            "://zoo",
            "1a://zoo",
            "a b://zoo",
            ":memory:",
            "",
        ] {
            assert_eq!(Location::from(file), Location::File(file.into()), "{file}");
        }
        for url in ["postgres://db/zoo", "postgresql://", "x-y+z.1://h"] {
            assert_eq!(Location::from(url), Location::Url(url.into()), "{url}");
            assert_eq!(
                Location::from(PathBuf::from(url)),
                Location::File(url.into()),
                "a `PathBuf` is always a file, even if it looks like a URL"
            );
        }
    }

    #[test]
    fn nobody_is_told_a_password() {
        for (url, shown) in [
            ("postgres://ada:pa@ss@db:5432/zoo", "postgres://…@db:5432/zoo"),
            ("postgres://ada@db", "postgres://…@db"),
            ("postgres://ada:p/a@db/zoo", "postgres://…@db/zoo"),
            ("postgres://ada:p/a?s#s@db/zoo", "postgres://…"),
            ("postgres://db/zoo?password=secret", "postgres://db/zoo"),
            ("postgres://db/zoo?password=a@b", "postgres://…"),
            ("postgres://db/zoo?user=ada@srv&password=secret", "postgres://…"),
        ] {
            let location = Location::from(url);
            assert_eq!(
                (location.to_string(), format!("{location:?}")),
                (shown.into(), format!("Location({shown})"))
            );
        }
    }
}
