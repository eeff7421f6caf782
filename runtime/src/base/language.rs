//! What texts are called in each language: our own words, English by nature, and the tables of the
//! others.

mod german;

/// A language that texts have been written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English, for all who wish nothing else that there is.
    #[default]
    English,
    /// German.
    German,
}

/// An English text, and the same in another language.
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

    /// One of our texts, or the template of one, in this language.
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
