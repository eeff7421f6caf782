//! The languages of built-in texts. English texts are in the source code; tables have their
//! translations.

mod german;

/// A language in which every built-in text exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, the default.
    #[default]
    English,
    /// German.
    German,
}

/// A pair: an English text, and its translation.
type Translation = (&'static str, &'static str);

impl Language {
    /// The language tag (RFC 5646), as in `Content-Language`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// Translates a built-in text or template; returns the English text if there is no translation.
    pub(crate) fn says(self, english: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::German => find(&german::TABLES, english).unwrap_or(english),
        }
    }
}

fn find(tables: &[&[Translation]], english: &str) -> Option<&'static str> {
    tables.iter().find_map(|table| {
        let at = table.binary_search_by(|(key, _)| (*key).cmp(english)).ok()?;
        Some(table[at].1)
    })
}

#[cfg(test)]
mod tests;
