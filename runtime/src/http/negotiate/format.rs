//! The negotiation of a format by `Accept` (RFC 9110 §12.5.1).

use http::{HeaderMap, header};

use super::weighted::{self, Weighted};

/// A format of response content, with its media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One JSON document.
    Json,
    /// One JSON document on each line.
    Ndjson,
    /// A table with a header row (RFC 4180).
    Csv,
    /// A web page.
    Html,
    /// A problem in JSON (RFC 9457).
    Problem,
}

impl Format {
    /// The formats of members and collections. The first format is the default.
    pub const OF_MEMBERS: [Self; 4] = [Self::Json, Self::Ndjson, Self::Csv, Self::Html];

    /// The formats of responses to writes. The first format is the default.
    pub const OF_WRITES: [Self; 3] = [Self::Json, Self::Ndjson, Self::Csv];

    /// The formats of the home document. The first format is the default.
    pub(crate) const OF_HOME: [Self; 2] = [Self::Json, Self::Html];

    /// The media type of the format, as in `Content-Type`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Html => "text/html; charset=utf-8",
            Self::Problem => "application/problem+json",
        }
    }

    /// The name of the format in entity tags.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Problem => "problem",
        }
    }

    /// Returns the format with this name; `None` unless members and collections have the format.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::OF_MEMBERS.into_iter().find(|format| format.word() == word)
    }

    /// The media types in `Accept` that mean this format, without parameters.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["application/json"],
            Self::Ndjson => &["application/x-ndjson", "application/ndjson", "application/jsonl"],
            Self::Csv => &["text/csv"],
            Self::Html => &["text/html"],
            Self::Problem => &["application/problem+json"],
        }
    }

    /// Returns how exactly a media range matches the format; `None` if the range does not match.
    fn exactness(self, range: &Weighted<'_>) -> Option<Exactness> {
        if range.name == "*/*" {
            return Some(Exactness::Any);
        }
        let is = |name: &&str| name.eq_ignore_ascii_case(range.name);
        if self.names().iter().any(is) {
            return self.has(range.parameters).then_some(match range.parameters {
                "" => Exactness::Subtype,
                _ => Exactness::Parameters,
            });
        }
        let kind = range.name.strip_suffix("/*")?;
        let (own, _) = self.names()[0].split_once('/')?;
        own.eq_ignore_ascii_case(kind).then_some(Exactness::Type)
    }

    /// Whether the format has all these media type parameters. Every format matches
    /// `charset=utf-8`, even if its media type has no parameter `charset`.
    fn has(self, parameters: &str) -> bool {
        weighted::parameters(parameters).all(|(name, value)| match self {
            _ if name.eq_ignore_ascii_case("charset") => value.eq_ignore_ascii_case("utf-8"),
            Self::Csv => {
                name.eq_ignore_ascii_case("header") && value.eq_ignore_ascii_case("present")
            }
            _ => false,
        })
    }
}

/// The exactness of the match of a media range: `*/*`, the type alone, the type and subtype, or
/// parameters, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exactness {
    Any,
    Type,
    Subtype,
    Parameters,
}

/// Chooses a format from `offered`: the first format unless the request prefers another one. `None`
/// if the request refuses all of them.
///
/// Each format gets the weight of the range that matches it most exactly. Among equal weights, the
/// format with the more exact match takes precedence, and then the earlier one in `offered`.
pub(crate) fn choose_format(headers: &HeaderMap, offered: &[Format]) -> Option<Format> {
    let first = offered.first().copied();
    let Some(field) = headers.get(header::ACCEPT) else { return first };
    if (field == "*/*" || (field == "application/json" && first == Some(Format::Json)))
        && is_alone(headers)
    {
        return first;
    }
    let mut silent = true;
    let mut found = [None::<RangeMatch>; FORMATS];
    for range in weighted::members(headers, header::ACCEPT) {
        silent = false;
        for (format, wish) in offered.iter().zip(&mut found) {
            let Some(exactness) = format.exactness(&range) else { continue };
            // If two ranges match equally exactly, the higher weight counts, since one of the
            // ranges accepts the format with this weight.
            *wish = (*wish).max(Some(RangeMatch { exactness, quality: range.quality }));
        }
    }
    if silent {
        return first;
    }
    best(offered, &found).or_else(|| {
        // Only the start of a very long list is parsed. The rest may accept any format that the
        // start does not refuse.
        let unnamed =
            offered.iter().zip(&found).find(|(_, wish)| wish.is_none()).map(|(format, _)| *format);
        unnamed.filter(|_| weighted::is_cut(headers, header::ACCEPT))
    })
}

/// The number of variants of [`Format`].
const FORMATS: usize = 5;

/// The most exact match of a format, and its weight in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RangeMatch {
    exactness: Exactness,
    quality: u16,
}

/// Returns the format with the highest weight; the earliest in `offered` among equal formats.
fn best(offered: &[Format], found: &[Option<RangeMatch>]) -> Option<Format> {
    let mut best = None;
    for (format, wish) in offered.iter().zip(found) {
        let Some(wish) = wish.filter(|wish| wish.quality > 0) else { continue };
        let rank = (wish.quality, wish.exactness);
        if best.is_none_or(|(_, least)| rank > least) {
            best = Some((*format, rank));
        }
    }
    best.map(|(format, _)| format)
}

fn is_alone(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT).iter().nth(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Format; 5] =
        [Format::Json, Format::Ndjson, Format::Csv, Format::Html, Format::Problem];

    fn chosen_by(fields: &[&str]) -> Option<Format> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(header::ACCEPT, field.parse().unwrap());
        }
        choose_format(&headers, &ALL)
    }

    /// Conformance 92: the highest weight takes precedence, then the most exact range. Upper and
    /// lower case are equal, and the weight 0 excludes a format.
    #[test]
    fn a_form_is_chosen_by_weight_then_exactness() {
        for (field, expected) in [
            ("application/json;q=0.5, */*;q=0.1", Some(Format::Json)),
            ("application/json;q=0.5, text/csv", Some(Format::Csv)),
            ("APPLICATION/JSON;Q=0.5, Text/Csv", Some(Format::Csv)),
            ("application/json;q=0, */*", Some(Format::Ndjson)),
            ("application/*;q=0, */*;q=0.001", Some(Format::Csv)),
            ("text/*", Some(Format::Csv)),
            ("text/*, text/html", Some(Format::Html)),
            ("*/*, text/html;q=0.9", Some(Format::Json)),
            ("text/csv, application/json", Some(Format::Json)),
            ("application/json;charset=UTF-8", Some(Format::Json)),
            ("application/json;charset=\"utf-8\"", Some(Format::Json)),
            ("application/json;charset=latin1", None),
            ("application/json;indent=2, text/csv;q=0.1", Some(Format::Csv)),
            ("text/csv;header=present;q=0.2, text/csv;q=0.9, text/html;q=0.5", Some(Format::Html)),
            ("text/csv;header=absent", None),
            ("application/ndjson", Some(Format::Ndjson)),
            ("application/jsonl, application/x-ndjson;q=0", Some(Format::Ndjson)),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Some(Format::Html)),
            ("*/*;q=0", None),
            ("image/png", None),
            ("application/jsonx, */json, text", None),
        ] {
            assert_eq!(chosen_by(&[field]), expected, "{field}");
        }
    }

    /// Conformance 93: a list that is too long to be parsed completely may accept any format that
    /// the parsed part does not refuse.
    #[test]
    fn a_list_that_is_cut_refuses_nothing_that_it_does_not_name() {
        let images = "image/png, ".repeat(64);
        assert_eq!(
            chosen_by(&[&images]),
            None,
            "this list is parsed completely, and accepts no offered format"
        );
        assert_eq!(chosen_by(&[&format!("{images}text/csv")]), Some(Format::Json));
        assert_eq!(chosen_by(&[&images, "image/gif"]), Some(Format::Json));
        assert_eq!(chosen_by(&[&format!("application/json;q=0, {images}")]), Some(Format::Ndjson));
        assert_eq!(chosen_by(&[&format!("text/csv;q=0.1, {images}")]), Some(Format::Csv));
        assert_eq!(chosen_by(&[&format!("*/*;q=0, {images}")]), None);
    }

    /// Conformance 92: several `Accept` fields are one list.
    #[test]
    fn several_fields_are_one_list() {
        assert_eq!(chosen_by(&["*/*", "application/json;q=0"]), Some(Format::Ndjson));
        assert_eq!(chosen_by(&["application/json;q=0.1", "text/html"]), Some(Format::Html));
    }

    /// Conformance 93: a client without `Accept`, or with an empty or malformed one, gets the
    /// default format.
    #[test]
    fn without_a_wish_the_first_form_is_given() {
        for fields in [&[][..], &[""], &[" , "], &["*/*"], &["application/json"], &["=;=, \"\""]] {
            assert_eq!(chosen_by(fields), Some(Format::Json), "{fields:?}");
        }
        assert_eq!(choose_format(&HeaderMap::new(), &[]), None);
    }

    #[test]
    fn each_form_is_chosen_by_its_own_type() {
        for format in ALL {
            assert_eq!(chosen_by(&[format.media_type()]), Some(format));
            assert!(format.media_type().contains(format.word()));
        }
    }

    #[test]
    fn a_form_that_is_not_offered_is_not_given() {
        let headers = HeaderMap::from_iter([(header::ACCEPT, "application/json".parse().unwrap())]);
        assert_eq!(choose_format(&headers, &[Format::Csv, Format::Html]), None);
    }
}
