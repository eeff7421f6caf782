//! Preconditions: the entity tags of `If-Match` and `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
//!
//! Our tags carry a number and a variant: `"17-json-c0ffee00"` is revision 17 of a member in the JSON that this
//! declaration makes of it, `"00c0ffee00c0ffee-json"` a validator of a collection, in which the declaration is mixed
//! already. A tag of any other form is somebody else's and matches nothing.

use http::{HeaderMap, HeaderName, header};

use super::Conditions;
use crate::{
    error::{Error, Kind},
    model::Model,
    plan::Tags,
};

/// How the number in a tag is read.
#[derive(Clone, Copy)]
enum Reading<'model> {
    /// The revision of a member, in whichever variant: a write asks for the state, not for how it was shown.
    Revision,
    /// The revision of a member in exactly the variant that is shown now.
    Shown(&'model Model),
    /// The validator of a collection.
    Collection,
}

impl Conditions {
    /// Reads the preconditions of a request for a member or a collection.
    ///
    /// # Errors
    /// 400 for a field that is not a list of entity tags: to ignore it could lose an update.
    pub(super) fn parse(model: &Model, headers: &HeaderMap, member: bool) -> Result<Self, Error> {
        let (strong, shown) = match member {
            true => (Reading::Revision, Reading::Shown(model)),
            false => (Reading::Collection, Reading::Collection),
        };
        Ok(Self {
            if_match: tags(headers, &header::IF_MATCH, strong, false)?,
            if_none_match: tags(headers, &header::IF_NONE_MATCH, shown, true)?,
        })
    }
}

/// The entity tag of a member in its JSON representation.
pub(crate) fn member_tag(model: &Model, revision: u64) -> String {
    format!("\"{revision}-json-{:08x}\"", model.fingerprint >> 32)
}

/// The entity tag of a collection in its JSON representation.
pub(crate) fn collection_tag(validator: u64) -> String {
    format!("\"{validator:016x}-json\"")
}

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

/// The number in a tag of ours, in the only spelling that we give it.
fn number(tag: &str, reading: Reading<'_>) -> Option<u64> {
    let digits = tag.split('-').next()?;
    let is = |spelled: String| spelled.trim_matches('"') == tag;
    match reading {
        Reading::Collection => {
            u64::from_str_radix(digits, 16).ok().filter(|number| is(collection_tag(*number)))
        }
        Reading::Shown(model) => digits.parse().ok().filter(|number| is(member_tag(model, *number))),
        Reading::Revision => {
            let revision: u64 = digits.parse().ok()?;
            tag.strip_prefix(&format!("{revision}-json-"))?;
            Some(revision)
        }
    }
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
        assert_eq!(parsed("\"01-json-0\", \"1\", \"1-csv-0\"", true), Some(Tags::Listed(vec![])));
    }

    #[test]
    fn a_collection_has_tags_of_one_spelling() {
        let read = |tag| number(tag, Reading::Collection);
        assert_eq!(read("00000000000000ff-json"), Some(255));
        for other in ["ff-json", "00000000000000FF-json", "00000000000000ff", "255-json-0"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for broken in ["1-json", "\"1-json", "\"a\" \"b\"", "", ","] {
            assert_eq!(parsed(broken, false), None, "{broken:?}");
        }
    }
}
