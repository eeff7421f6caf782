//! Preconditions: the entity tags of `If-Match` and `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
//!
//! Our tags carry a number: `"17-json"` is revision 17 of a member, `"00c0ffee00c0ffee-json"` a validator of a
//! collection. A tag of any other form is somebody else's and matches nothing.

use http::{HeaderMap, HeaderName, header};

use super::Conditions;
use crate::{
    error::{Error, Kind},
    plan::Tags,
};

/// What follows the number in the tags of JSON representations.
const VARIANT: &str = "-json";

impl Conditions {
    /// Reads the preconditions of a request for a member or a collection.
    ///
    /// # Errors
    /// 400 for a field that is not a list of entity tags: to ignore it could lose an update.
    pub(super) fn parse(headers: &HeaderMap, member: bool) -> Result<Self, Error> {
        Ok(Self {
            if_match: tags(headers, &header::IF_MATCH, member, false)?,
            if_none_match: tags(headers, &header::IF_NONE_MATCH, member, true)?,
        })
    }
}

/// The entity tag of a member in its JSON representation.
pub(crate) fn member_tag(revision: u64) -> String {
    format!("\"{revision}{VARIANT}\"")
}

/// The entity tag of a collection in its JSON representation.
pub(crate) fn collection_tag(validator: u64) -> String {
    format!("\"{validator:016x}{VARIANT}\"")
}

fn tags(headers: &HeaderMap, name: &HeaderName, member: bool, weak: bool) -> Result<Option<Tags>, Error> {
    let mut listed = None;
    for value in headers.get_all(name) {
        let broken = || Error::new(Kind::MALFORMED_REQUEST, format!("`{name}` is not a list of entity tags."));
        let text = value.to_str().map_err(|_| broken())?;
        if text.trim() == "*" {
            return Ok(Some(Tags::Any));
        }
        let tags = list(text).ok_or_else(broken)?;
        let numbers = tags.into_iter().filter(|(is_weak, _)| weak || !is_weak);
        listed.get_or_insert_with(Vec::new).extend(numbers.filter_map(|(_, tag)| number(tag, member)));
    }
    Ok(listed.map(Tags::Listed))
}

/// The weakness and the opaque part of each tag of a list (RFC 9110 §8.8.3).
fn list(text: &str) -> Option<Vec<(bool, &str)>> {
    let mut tags = vec![];
    let mut rest = text.trim_start_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let strong = rest.strip_prefix("W/");
        let (tag, after) = strong.unwrap_or(rest).strip_prefix('"')?.split_once('"')?;
        tags.push((strong.is_some(), tag));
        let after = after.trim_start_matches([' ', '\t']);
        if !after.is_empty() && !after.starts_with(',') {
            return None;
        }
        rest = after.trim_start_matches([' ', '\t', ',']);
    }
    (!tags.is_empty()).then_some(tags)
}

fn number(tag: &str, member: bool) -> Option<u64> {
    let digits = tag.strip_suffix(VARIANT)?;
    let known = if member { digits.parse().ok() } else { u64::from_str_radix(digits, 16).ok() };
    let spelled = |number| if member { member_tag(number) } else { collection_tag(number) };
    known.filter(|number| spelled(*number).trim_matches('"') == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, weak: bool) -> Option<Tags> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, text.parse().unwrap());
        tags(&headers, &header::IF_MATCH, true, weak).ok().flatten()
    }

    #[test]
    fn lists_are_read_and_weak_tags_never_match_strongly() {
        assert_eq!(parsed("*", false), Some(Tags::Any));
        assert_eq!(parsed("\"1-json\" , \"x,y\",, \"22-json\"", false), Some(Tags::Listed(vec![1, 22])));
        assert_eq!(parsed("W/\"1-json\"", false), Some(Tags::Listed(vec![])));
        assert_eq!(parsed("W/\"1-json\"", true), Some(Tags::Listed(vec![1])));
        assert_eq!(parsed("\"01-json\"", true), Some(Tags::Listed(vec![])));
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for broken in ["1-json", "\"1-json", "\"a\" \"b\"", "", ","] {
            assert_eq!(parsed(broken, false), None, "{broken:?}");
        }
    }
}
