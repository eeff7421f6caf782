//! Preconditions of requests: entity tags and dates (RFC 9110 §13.1).

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{ActionKind, ResponsePreferences};
use crate::{
    base::error::{Error, Kind, text},
    http::{
        http_date::Second,
        negotiate::{Coding, Format},
        single::only,
    },
    model::{Model, def::Precondition},
    plan::{
        Preconditions, Tag, Tags,
        validator::{Form, TagReading},
    },
};

/// The preconditions of a read that can be checked only when the response is known. The reason is
/// that its entity tag contains the content coding, which depends on the size of the content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeferredPreconditions {
    /// The tags of `If-Match`. The response must have one of them, including its content coding.
    if_match: Option<Vec<Tag>>,
    /// The condition under which the representation is sent; `None` if it is always sent.
    freshness: Option<FreshnessCondition>,
}

impl DeferredPreconditions {
    /// Whether a response with this tag satisfies `If-Match`. `None` is a response without a tag.
    pub(crate) fn admits(&self, form: impl FnOnce() -> Form, tag: Option<&HeaderValue>) -> bool {
        let Some(shown) = &self.if_match else { return true };
        let form = form();
        let spelled = |known: &Tag| {
            form.of_passed(known.passed.unwrap_or_default()).tag(known.number, known.coding)
        };
        tag.is_some_and(|tag| shown.iter().any(|known| spelled(known) == tag))
    }

    /// Whether a representation that last changed at this time must be sent, and not a 304.
    pub(crate) fn is_new(&self, modified: Option<Second>) -> bool {
        self.freshness.is_none_or(|news| news.has(modified))
    }
}

/// The condition under which the client needs the representation. Otherwise the response is a 304
/// (Not Modified).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FreshnessCondition {
    /// The client never needs the representation: `If-None-Match: *` says that the client has one.
    Nothing,
    /// The client needs a representation that changed after this time (`If-Modified-Since`).
    Since(Second),
}

impl FreshnessCondition {
    /// Whether a representation that last changed at this time must be sent.
    fn has(self, modified: Option<Second>) -> bool {
        match self {
            Self::Nothing => false,
            Self::Since(since) => modified.is_none_or(|modified| modified > since),
        }
    }
}

impl Preconditions {
    /// Removes and returns the preconditions that are checked when the response is known. The store
    /// still checks the revisions in `If-Match`; the content codings in it are checked later.
    pub(super) fn leave(&mut self, wanted: &ResponsePreferences) -> DeferredPreconditions {
        let shown = match &self.if_match {
            Some(Tags::Listed(tags)) if wanted.format != Format::Html => Some(tags.clone()),
            _ => None,
        };
        // A page changes with the program, too, whose time is not known.
        self.if_modified_since.take_if(|_| wanted.format == Format::Html);
        DeferredPreconditions { if_match: shown, freshness: self.take_freshness(wanted) }
    }

    fn take_freshness(&mut self, wanted: &ResponsePreferences) -> Option<FreshnessCondition> {
        if self.if_none_match.take_if(|tags| *tags == Tags::Any).is_some() {
            return Some(FreshnessCondition::Nothing);
        }
        let may_be_coded = || wanted.coding(false) != Coding::Identity;
        self.if_modified_since.take_if(|_| may_be_coded()).map(FreshnessCondition::Since)
    }

    /// Parses the preconditions of a request. `state` says how to read tags for a write; `shown`
    /// says how to read tags for a read, and is `None` for a write.
    ///
    /// # Errors
    /// 400 for a field that is not a list of entity tags. To ignore it could cause a lost update.
    pub(super) fn parse(
        headers: &HeaderMap,
        state: TagReading,
        shown: Option<TagReading>,
    ) -> Result<Self, Error> {
        let reading = shown.unwrap_or(state);
        let if_match = tags(headers, &header::IF_MATCH, reading, false)?;
        let if_none_match = tags(headers, &header::IF_NONE_MATCH, reading, true)?;
        let by_date = |name, is_asked: bool| if is_asked { date(headers, &name) } else { None };
        Ok(Self {
            if_unmodified_since: by_date(header::IF_UNMODIFIED_SINCE, if_match.is_none()),
            if_modified_since: by_date(
                header::IF_MODIFIED_SINCE,
                shown.is_some() && if_none_match.is_none(),
            )
            .filter(|since| *since <= Second::now()),
            if_match,
            if_none_match,
            ..Self::default()
        })
    }

    /// Whether the resource requires a precondition on changes and the request has none.
    pub(super) fn are_lacking(&self, model: &Model, kind: &ActionKind) -> bool {
        let (chain, creates) = match kind {
            // PUT with `If-None-Match: *` can only create, so it cannot overwrite a change.
            ActionKind::Write { chain, complete, .. } => {
                (chain, *complete && self.if_none_match == Some(Tags::Any))
            }
            ActionKind::Amend { chain, .. }
            | ActionKind::Delete { chain, .. }
            | ActionKind::DeleteMany { chain, .. } => (chain, false),
            _ => return false,
        };
        let required = model[chain.resource].def.precondition == Precondition::Required;
        // A date is not sufficient, because two changes in one second have the same date (RFC 9110
        // §8.8.2.2).
        let says = self.if_match.is_some() || creates;
        required && !says
    }
}

/// Parses a date. An invalid date is ignored (RFC 9110 §13.1.3, §13.1.4).
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<Second> {
    only(headers, name)?.to_str().ok().and_then(|text| Second::parse(text, Second::now()))
}

/// Parses the tags of a field; `None` if the field is absent. Weak tags are dropped unless `weak`
/// is true (RFC 9110 §8.8.3.2). An empty list matches no representation.
fn tags(
    headers: &HeaderMap,
    name: &HeaderName,
    reading: TagReading,
    weak: bool,
) -> Result<Option<Tags>, Error> {
    let mut listed = None;
    for value in headers.get_all(name) {
        let broken = || {
            Error::new(
                Kind::MALFORMED_REQUEST,
                text!(
                    "`{name}` is not a list of entity tags. A tag has double quotes, as in the field `ETag`.",
                    name = name.as_str()
                ),
            )
        };
        // A tag may contain bytes beyond ASCII (RFC 9110 §8.8.3). The server's own tags contain
        // only ASCII.
        let text = String::from_utf8_lossy(value.as_bytes());
        if text.trim() == "*" {
            // `*` in a list with tags is a syntax error. It must not match like a single `*`.
            let is_alone = headers.get_all(name).iter().nth(1).is_none();
            return if is_alone { Ok(Some(Tags::Any)) } else { Err(broken()) };
        }
        let tags = list(&text).ok_or_else(broken)?;
        let comparable = tags.into_iter().filter(|(is_weak, _)| weak || !is_weak);
        listed
            .get_or_insert_with(Vec::new)
            .extend(comparable.filter_map(|(_, tag)| reading.read(tag)));
    }
    Ok(listed.map(Tags::Listed))
}

/// Parses a list of entity tags: whether each is weak, and its opaque part (RFC 9110 §8.8.3). Empty
/// elements are ignored (RFC 9110 §5.6.1.2).
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
    Some(tags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, weak: bool) -> Option<Tags> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, text.parse().unwrap());
        tags(&headers, &header::IF_MATCH, TagReading::Member, weak).ok().flatten()
    }

    fn listed(numbers: &[u64]) -> Option<Tags> {
        let tag = |number: &u64| Tag { number: *number, passed: None, coding: Coding::Identity };
        Some(Tags::Listed(numbers.iter().map(tag).collect()))
    }

    /// Conformance 64, 69: weak tags do not match in `If-Match`. Commas within the quotes of a tag
    /// do not separate.
    #[test]
    fn lists_are_read_and_weak_tags_never_match_strongly() {
        assert_eq!(parsed("*", false), Some(Tags::Any));
        let list = "\"1-json-00000000\" , \"x,y\",, \"22-json-c0ffee00\"";
        assert_eq!(parsed(list, false), listed(&[1, 22]));
        assert_eq!(parsed("W/\"1-json-00000000\"", false), listed(&[]));
        assert_eq!(parsed("W/\"1-json-00000000\"", true), listed(&[1]));
    }

    /// Conformance 69: empty list elements are ignored. A list of empty elements matches no
    /// representation.
    #[test]
    fn empty_elements_are_ignored() {
        for empty in ["", ",", " , ,\t", ",,,"] {
            assert_eq!(parsed(empty, false), listed(&[]), "{empty:?}");
        }
        assert_eq!(parsed(",, \"1-json-00000000\" ,", false), listed(&[1]));
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for broken in ["1-json", "\"1-json", "\"a\" \"b\"", "*,", ", a"] {
            assert_eq!(parsed(broken, false), None, "{broken:?}");
        }
    }

    fn dated(fields: &[(&'static str, &str)]) -> Preconditions {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, value.parse().unwrap());
        }
        Preconditions::parse(&headers, TagReading::Member, Some(TagReading::Member)).unwrap()
    }

    /// Conformance 70, 71: dates count only without tags, and only valid dates of the past count.
    #[test]
    fn dates_count_where_no_tags_do_and_only_if_they_are_dates_of_the_past() {
        let (past, future) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Thu, 06 Nov 2994 08:49:37 GMT");
        let both = [("if-modified-since", past), ("if-unmodified-since", past)];
        let read = dated(&both);
        assert_eq!(
            (read.if_modified_since, read.if_unmodified_since),
            (Some(Second(784_111_777)), Some(Second(784_111_777)))
        );
        let with_tags = dated(&[both[0], both[1], ("if-match", "*"), ("if-none-match", "\"a\"")]);
        assert_eq!((with_tags.if_modified_since, with_tags.if_unmodified_since), (None, None));
        for other in [future, "yesterday", ""] {
            assert_eq!(dated(&[("if-modified-since", other)]).if_modified_since, None, "{other}");
        }
        assert!(dated(&[("if-unmodified-since", future)]).if_unmodified_since.is_some());
        assert!(dated(&[("if-unmodified-since", "0")]).is_empty());
        assert!(dated(&[("if-unmodified-since", past), ("if-unmodified-since", past)]).is_empty());
    }
}
