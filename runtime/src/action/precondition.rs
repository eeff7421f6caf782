//! Preconditions: `If-Match` and `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).

use http::{HeaderMap, HeaderName, header};

use crate::{
    error::{Error, Kind},
    model::Model,
    plan::Tags,
    validator::{Reading, number},
};

/// The preconditions of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preconditions {
    /// `If-Match`.
    pub if_match: Option<Tags>,
    /// `If-None-Match`.
    pub if_none_match: Option<Tags>,
}

impl Preconditions {
    /// Reads the preconditions of a request for a member or a collection.
    ///
    /// # Errors
    /// 400 for a field that is not a list of entity tags: to ignore it could lose an update.
    pub(super) fn parse(model: &Model, headers: &HeaderMap, member: bool) -> Result<Self, Error> {
        let (state, shown) = match member {
            true => (Reading::Revision, Reading::Shown(model)),
            false => (Reading::Collection, Reading::Collection),
        };
        Ok(Self {
            if_match: tags(headers, &header::IF_MATCH, state, false)?,
            if_none_match: tags(headers, &header::IF_NONE_MATCH, shown, true)?,
        })
    }
}

/// The tags of a field; weak ones count only where they may (RFC 9110 §8.8.3.2).
fn tags(
    headers: &HeaderMap,
    name: &HeaderName,
    reading: Reading<'_>,
    weak: bool,
) -> Result<Option<Tags>, Error> {
    let mut listed = None;
    for value in headers.get_all(name) {
        let broken =
            || Error::new(Kind::MALFORMED_REQUEST, format!("`{name}` is not a list of entity tags."));
        let text = value.to_str().map_err(|_| broken())?;
        if text.trim() == "*" {
            return Ok(Some(Tags::Any));
        }
        let tags = list(text).ok_or_else(broken)?;
        let comparable = tags.into_iter().filter(|(is_weak, _)| weak || !is_weak);
        listed.get_or_insert_with(Vec::new).extend(comparable.filter_map(|(_, tag)| number(tag, reading)));
    }
    Ok(listed.map(Tags::Listed))
}

/// The weakness and the opaque part of each tag of a list (RFC 9110 §8.8.3).
fn list(text: &str) -> Option<Vec<(bool, &str)>> {
    let mut tags = vec![];
    let mut rest = text.trim_start_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let weak = rest.strip_prefix("W/");
        let (tag, after) = weak.unwrap_or(rest).strip_prefix('"')?.split_once('"')?;
        tags.push((weak.is_some(), tag));
        let after = after.trim_start_matches([' ', '\t']);
        if !after.is_empty() && !after.starts_with(',') {
            return None;
        }
        rest = after.trim_start_matches([' ', '\t', ',']);
    }
    (!tags.is_empty()).then_some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, weak: bool) -> Option<Tags> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, text.parse().unwrap());
        tags(&headers, &header::IF_MATCH, Reading::Revision, weak).ok().flatten()
    }

    #[test]
    fn lists_are_read_and_weak_tags_never_match_strongly() {
        assert_eq!(parsed("*", false), Some(Tags::Any));
        let list = "\"1-json-0\" , \"x,y\",, \"22-json-c0ffee00\"";
        assert_eq!(parsed(list, false), Some(Tags::Listed(vec![1, 22])));
        assert_eq!(parsed("W/\"1-json-0\"", false), Some(Tags::Listed(vec![])));
        assert_eq!(parsed("W/\"1-json-0\"", true), Some(Tags::Listed(vec![1])));
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for broken in ["1-json", "\"1-json", "\"a\" \"b\"", "", ","] {
            assert_eq!(parsed(broken, false), None, "{broken:?}");
        }
    }
}
