//! What texts are called in each language: our own words, English by nature, and the tables of the others.

mod german;

use crate::http::negotiate::Language;

/// An English text, and the same in another language.
type Entry = (&'static str, &'static str);

impl Language {
    /// One of our texts, or the template of one, in this language.
    pub(crate) fn says(self, english: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::German => find(&german::TABLES, english).unwrap_or(english),
        }
    }
}

fn find(tables: &[&[Entry]], english: &str) -> Option<&'static str> {
    tables.iter().find_map(|table| {
        let at = table.binary_search_by(|(key, _)| (*key).cmp(english)).ok()?;
        Some(table[at].1)
    })
}

#[cfg(test)]
mod tests;
