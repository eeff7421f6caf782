//! The response fields of a deprecated resource: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
//! `Link`.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::{civil::Date, tz::TimeZone};

use crate::{base::interner, http::http_date::Second, model::def::DeprecationDef};

/// The header field `Deprecation` (RFC 9745 §2).
pub(crate) const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// The header field `Sunset` (RFC 8594 §3).
pub(crate) const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The header fields of a deprecated resource, created once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Retirement {
    /// A date in the syntax of structured fields, such as `@1688169599` (RFC 9651 §3.3.7).
    deprecation: Option<HeaderValue>,
    sunset: Option<HeaderValue>,
    link: Option<HeaderValue>,
}

impl Retirement {
    /// Creates the fields from the declaration. Each date means 00:00 UTC of that day.
    pub(crate) fn of(def: &DeprecationDef) -> Self {
        let since = def.since.and_then(midnight);
        let sunset = def.sunset.and_then(midnight);
        Self {
            deprecation: since.map(|time| interner::field(&format!("@{}", time.0))),
            sunset: sunset.map(|time| interner::field(&time.to_string())),
            link: def.link.map(|link| links(link, sunset.is_some())),
        }
    }

    /// Adds the fields to a response. The link is added to the existing `Link` fields.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        if let Some(value) = &self.deprecation {
            headers.entry(DEPRECATION).or_insert_with(|| value.clone());
        }
        if let Some(value) = &self.sunset {
            headers.entry(SUNSET).or_insert_with(|| value.clone());
        }
        let Some(link) = &self.link else { return };
        let joined = headers
            .get(header::LINK)
            .map(|before| [before.as_bytes(), link.as_bytes()].join(&b", "[..]));
        let joined = joined.and_then(|joined| HeaderValue::from_bytes(&joined).ok());
        headers.insert(header::LINK, joined.unwrap_or_else(|| link.clone()));
    }
}

/// The time 00:00 UTC of a day.
fn midnight(date: &str) -> Option<Second> {
    let date: Date = date.parse().ok()?;
    let second = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    u64::try_from(second).ok().map(Second)
}

/// The value of `Link` (RFC 9745 §3 and RFC 8594 §6).
fn links(link: &str, sunset: bool) -> HeaderValue {
    let deprecation = format!("<{link}>; rel=\"deprecation\"");
    interner::field(&if sunset {
        format!("{deprecation}, <{link}>; rel=\"sunset\"")
    } else {
        deprecation
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(def: DeprecationDef, link: Option<&'static str>) -> Vec<String> {
        let mut headers = HeaderMap::new();
        headers.extend(link.map(|link| (header::LINK, HeaderValue::from_static(link))));
        Retirement::of(&def).add_headers(&mut headers);
        let text = |(name, value): (&HeaderName, &HeaderValue)| {
            format!("{name}: {}", value.to_str().unwrap())
        };
        headers.iter().map(text).collect()
    }

    #[test]
    fn a_date_is_its_first_moment_in_utc() {
        let def =
            DeprecationDef { since: Some("2023-07-01"), sunset: Some("2026-11-20"), link: None };
        assert_eq!(
            told(def, None),
            ["deprecation: @1688169600", "sunset: Fri, 20 Nov 2026 00:00:00 GMT"]
        );
        assert!(told(DeprecationDef::UNDATED, None).is_empty());
    }

    #[test]
    fn links_stand_beside_those_of_the_page() {
        let link = Some("https://zoo.example/v2");
        let ours = r#"<https://zoo.example/v2>; rel="deprecation""#;
        let def = DeprecationDef { link, ..DeprecationDef::UNDATED };
        assert_eq!(told(def, None), [format!("link: {ours}")]);
        assert_eq!(
            told(def, Some("</zoos>; rel=\"self\"")),
            [format!("link: </zoos>; rel=\"self\", {ours}")]
        );
        let def = DeprecationDef { sunset: Some("2026-11-20"), ..def };
        let sunset = r#"<https://zoo.example/v2>; rel="sunset""#;
        assert_eq!(told(def, None)[1], format!("link: {ours}, {sunset}"));
    }
}
