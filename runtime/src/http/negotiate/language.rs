//! The negotiation of the language of built-in texts by `Accept-Language` (RFC 9110 §12.5.4, RFC
//! 4647 §3.4).

use http::{HeaderMap, header};

use super::weighted;
use crate::base::language::Language;

impl Language {
    /// Returns the language with this tag, in upper or lower case.
    fn tagged(tag: &str) -> Option<Self> {
        [Self::English, Self::German]
            .into_iter()
            .find(|language| language.tag().eq_ignore_ascii_case(tag))
    }

    /// Looks up a language range. The range loses subtags at its end until it equals the tag of a
    /// language (RFC 4647 §3.4).
    fn of_range(range: &str) -> Option<Self> {
        let mut range = range;
        loop {
            if let Some(found) = Self::tagged(range) {
                return Some(found);
            }
            range = range.rsplit_once('-')?.0;
            // If the new last subtag has one letter, the lookup removes this subtag, too (RFC 4647
            // §3.4).
            if range.len() >= 2 && range.as_bytes()[range.len() - 2] == b'-' {
                range = &range[..range.len() - 2];
            }
        }
    }
}

/// Chooses the supported language with the highest weight, or English if no language matches.
///
/// `*` matches no language, and unsupported languages are ignored. A response in English is better
/// than an error (RFC 9110 §12.5.4). The weight 0 excludes a language only if the range equals its
/// tag.
pub(crate) fn choose_language(headers: &HeaderMap) -> Language {
    if !headers.contains_key(header::ACCEPT_LANGUAGE) {
        return Language::default();
    }
    let mut best = (Language::default(), 0);
    for range in weighted::members(headers, header::ACCEPT_LANGUAGE) {
        let Some(language) = Language::of_range(range.name) else { continue };
        if range.quality > best.1 && !is_excluded(headers, language) {
            best = (language, range.quality);
        }
    }
    best.0
}

fn is_excluded(headers: &HeaderMap, language: Language) -> bool {
    let mut ranges = weighted::members(headers, header::ACCEPT_LANGUAGE);
    ranges.any(|range| range.quality == 0 && Language::tagged(range.name) == Some(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Conformance 98, 99: the lookup of RFC 4647 §3.4, with English as the default.
    #[test]
    fn a_language_is_looked_up() {
        for (field, expected) in [
            ("", "en"),
            ("de", "de"),
            ("DE-ch", "de"),
            ("de-Latn-DE-1996", "de"),
            ("de-x-dialect", "de"),
            ("de-CH-x-a", "de"),
            ("den", "en"),
            ("d", "en"),
            ("fr, de;q=0.2", "de"),
            ("fr", "en"),
            ("*", "en"),
            ("de;q=0", "en"),
            ("de-CH, de;q=0", "en"),
            ("de-CH;q=0, de", "de"),
            ("en;q=0.5, de;q=0.6", "de"),
            ("en-GB, de", "en"),
            ("de, en", "de"),
            ("en;q=0, *", "en"),
            ("-, --, de-", "de"),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, field.parse().unwrap())]);
            assert_eq!(choose_language(&headers).tag(), expected, "{field}");
        }
        assert_eq!(choose_language(&HeaderMap::new()), Language::English);
    }
}
