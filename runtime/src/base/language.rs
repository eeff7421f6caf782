//! The languages of texts: English in the source, and tables of translations.

mod german;

/// A language that built-in texts exist in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, the default.
    #[default]
    English,
    /// German.
    German,
}

/// An English text and its translation.
type Translation = (&'static str, &'static str);

impl Language {
    /// The tag in `Content-Language`.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// A built-in text, or its template, in this language.
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
