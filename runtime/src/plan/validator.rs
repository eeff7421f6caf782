//! Validators (RFC 9110 §8.8). This module builds, formats, parses and compares all entity tags.
//!
//! A tag contains a number, a form and a content coding. The tag `"17-json-c0ffee00-gzip"` stands
//! for a revision of a member, as JSON under this declaration, compressed with gzip. The tag of a
//! member with rows of other tables has 16 digits in place of 8: they stand for the state of these
//! tables, too. The tag `"00c0ffee00c0ffee-csv"` stands for a collection under one query. Its
//! number is a hash of the declaration, the database, the revisions of the tables and the caller.
//! Both numbers are encrypted, so that nobody counts the writes of others. A precondition of a
//! write compares only the number. A precondition on the client's representation compares the whole
//! tag.

mod form;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

pub(crate) use self::form::Form;
pub(crate) use super::current_state::CurrentState;
use crate::{
    base::{hash::StableHasher, limits},
    http::{
        http_date::Second,
        negotiate::{Coding, Codings, Format},
    },
    model::{Chain, FieldIx, Model},
    plan::{CollectionState, ResponseKey, TagCipher},
};

/// The properties of a database that its validators depend on, in addition to the rows.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// A text that differs from that of every other database.
    pub(crate) database: Arc<str>,
    pub(crate) declared: DeclaredTime,
    /// The cipher that hides the revisions in tags.
    pub(crate) cipher: TagCipher,
}

/// The time at which the current declaration was first used. Representations may have changed at
/// this time. Clones share it, because another declaration may come while the database is open.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredTime(Arc<AtomicU64>);

impl DeclaredTime {
    pub(crate) fn new(time: Second) -> Self {
        Self(Arc::new(AtomicU64::new(time.0)))
    }

    fn get(&self) -> Second {
        Second(self.0.load(Ordering::Relaxed))
    }

    /// Takes over the time of another declaration.
    pub(crate) fn set(&self, other: &Self) {
        self.0.store(other.get().0, Ordering::Relaxed);
    }
}

/// Hashes all inputs of a page except the database. The query is hashed as it was sent, because the
/// links of the page repeat it. The limit in bytes is hashed, because it decides where the page
/// ends.
pub(crate) fn seed(
    model: &Model,
    chain: &Chain,
    (given, format): (&str, Format),
    key: &ResponseKey,
) -> u64 {
    let declaration = declaration(model, format);
    let mut hash = StableHasher::new().number(declaration).number(key.number()).text(given);
    for (resource, id) in model.ancestors(chain.resource).zip(chain.ids.iter().rev()) {
        hash = hash.text(&id.spell(model[resource][FieldIx::ID].kind));
    }
    hash = hash.number(chain.resource.0.into()).number(chain.ids.len() as u64);
    hash.number(limits::PAGE_BYTES_MAX as u64).finish()
}

/// The hash of the declaration. For a web page it includes the hash of the templates and the files
/// that the page names, which change with the program, and the state of a watched schema file.
fn declaration(model: &Model, format: Format) -> u64 {
    match format {
        Format::Html => StableHasher::new()
            .number(model.fingerprint)
            .number(model.pages.hash())
            .number(model.watch.number())
            .finish(),
        _ => model.fingerprint,
    }
}

/// Returns the state of the tables of a response. `tables` yields the revision and the change time
/// of each table that its place depends on, and then of each that the rows depend on which are
/// passed besides. `of_place` is the number of the former. `seed` is the hash of all inputs outside
/// the database.
pub(crate) fn collection(
    seed: u64,
    identity: &Identity,
    of_place: usize,
    tables: impl Iterator<Item = (u64, Second)>,
) -> CollectionState {
    let begun =
        (StableHasher::new().number(seed).text(&identity.database), identity.declared.get());
    let mut passed = None;
    let (hash, modified) =
        tables.enumerate().fold(begun, |(hash, latest), (at, (revision, changed))| {
            if at >= of_place {
                passed = Some(passed.unwrap_or(begun.0).number(revision));
            }
            (hash.number(revision), latest.max(changed))
        });
    let passed = passed.map_or(0, StableHasher::finish);
    CollectionState { number: hash.finish(), passed, modified, is_ordered: true }
}

/// Returns the current state of a member, from its revision and the time of its last change.
pub(crate) fn member(revision: u64, identity: &Identity, changed: Option<Second>) -> CurrentState {
    CurrentState {
        tag: identity.cipher.encrypt(revision),
        passed: 0,
        modified: changed.map(|changed| changed.max(identity.declared.get())),
        is_ordered: true,
    }
}

/// The number that means "no validator". No revision has this number, and the hash of a collection
/// has it only by chance.
pub(crate) const NO_TAG: u64 = 0;

/// An entity tag that this server has made: the number of a state, and the content coding of its
/// representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The revision of a member, or the hash of a collection's state, encrypted.
    pub number: u64,
    /// The state of the tables whose rows the member passes besides its own, encrypted. `None`
    /// stands for any.
    pub passed: Option<u64>,
    /// The content coding of the representation.
    pub coding: Coding,
}

impl Tag {
    /// Whether this is a tag of a state.
    fn is_of(self, current: CurrentState) -> bool {
        self.number == current.tag && self.passed.is_none_or(|passed| passed == current.passed)
    }
}

/// The ways to parse the tags of a precondition.
#[derive(Clone, Copy)]
pub(crate) enum TagReading {
    /// The tag of a member in any form. A write depends on the state of the member, not on its
    /// representation.
    Member,
    /// The tag of a collection in any format.
    Collection,
    /// The tag of the current representation, in a content coding that the client accepts.
    Shown(Form, Codings),
}

impl TagReading {
    /// Parses a tag. Returns `None` if this server cannot have made a tag with this spelling. Such
    /// a tag matches no state.
    pub(crate) fn read(self, tag: &str) -> Option<Tag> {
        let (digits, form) = tag.split_once('-')?;
        let number = match self {
            Self::Shown(form, codings) => return form.read(tag, codings),
            Self::Member => {
                digits.parse().ok().filter(|number: &u64| number.to_string() == digits)?
            }
            Self::Collection => u64::from_str_radix(digits, 16)
                .ok()
                .filter(|number| format!("{number:016x}") == digits)?,
        };
        let mut parts = form.split('-');
        Format::from_word(parts.next()?)?;
        if let Self::Member = self {
            parts.next().filter(|look| is_look(look))?;
        }
        if let Some(coding) = parts.next() {
            Coding::ALL.iter().find(|each| **each != Coding::Identity && each.word() == coding)?;
        }
        parts.next().is_none().then_some(Tag { number, passed: None, coding: Coding::Identity })
    }
}

/// Whether a text may be the hash in the tag of a member, under any declaration: 8 or 16 lower-case
/// hexadecimal digits.
fn is_look(text: &str) -> bool {
    matches!(text.len(), 8 | 16)
        && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// The result of testing the preconditions of a request against a current representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The preconditions hold.
    Met,
    /// `If-Match` or `If-Unmodified-Since` does not hold, so the response is 412.
    Changed,
    /// `If-None-Match` or `If-Modified-Since` does not hold, so the response to a read is 304. The
    /// value is the content coding of the client's stored representation.
    Unchanged(Coding),
}

/// The entity tags in a precondition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// `*`, which matches any current representation.
    Any,
    /// The listed tags that this server can have made.
    Listed(Vec<Tag>),
}

/// Collects the tags with these numbers, without a content coding.
impl FromIterator<u64> for Tags {
    fn from_iter<T: IntoIterator<Item = u64>>(numbers: T) -> Self {
        let tag = |number| Tag { number, passed: None, coding: Coding::Identity };
        Self::Listed(numbers.into_iter().map(tag).collect())
    }
}

impl Tags {
    /// Returns the content coding of the tag that matches the current state. Returns `None` if no
    /// tag matches or there is no representation.
    fn find(&self, current: Option<CurrentState>) -> Option<Coding> {
        let current = current?;
        match self {
            Self::Any => Some(Coding::Identity),
            Self::Listed(tags) => tags.iter().find(|tag| tag.is_of(current)).map(|tag| tag.coding),
        }
    }
}

/// The preconditions of a request (RFC 9110 §13.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preconditions {
    /// The tags of `If-Match`, or `None` if the request does not have it.
    pub if_match: Option<Tags>,
    /// The time of `If-Unmodified-Since`. It is ignored if the request has `If-Match`.
    pub if_unmodified_since: Option<Second>,
    /// The tags of `If-None-Match`, or `None` if the request does not have it.
    pub if_none_match: Option<Tags>,
    /// The time of `If-Modified-Since`. It is ignored if the request has `If-None-Match`.
    pub if_modified_since: Option<Second>,
    /// Whether the resource requires a precondition and the request has none (RFC 6585 §3).
    pub lacking: bool,
    /// The tag of the revision that the change is based on, or `None` for any. The member must
    /// still have this revision.
    pub revision: Option<u64>,
}

impl Preconditions {
    /// Whether the request has no preconditions, and needs none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.if_match.is_none()
            && self.if_unmodified_since.is_none()
            && self.if_none_match.is_none()
            && self.if_modified_since.is_none()
            && !self.lacking
            && self.revision.is_none()
    }

    /// The preconditions of a read of content that has no validators. Its tag is not known to any
    /// client, and conditions on the time of its last change are ignored (RFC 9110 §13.1.3 and
    /// §13.1.4).
    pub(crate) fn without_validators(self) -> Self {
        let if_none_match = self.if_none_match.filter(|tags| *tags == Tags::Any);
        Self { if_none_match, if_modified_since: None, if_unmodified_since: None, ..self }
    }

    /// Tests the preconditions in the order of RFC 9110 §13.2.2. `current` is `None` if there is no
    /// current representation.
    pub(crate) fn test(&self, current: Option<CurrentState>) -> Verdict {
        let modified = current.and_then(|current| current.modified);
        let after = |since: Option<Second>| Some(modified? > since?);
        let is_ordered = current.is_none_or(|current| current.is_ordered);
        if self.if_match.as_ref().is_some_and(|tags| tags.find(current).is_none())
            || after(self.if_unmodified_since) == Some(true)
            || !is_ordered && self.if_unmodified_since.is_some()
        {
            return Verdict::Changed;
        }
        if let Some(tags) = &self.if_none_match {
            return tags.find(current).map_or(Verdict::Met, Verdict::Unchanged);
        }
        if is_ordered && after(self.if_modified_since) == Some(false) {
            return Verdict::Unchanged(Coding::Identity);
        }
        Verdict::Met
    }
}

#[cfg(test)]
mod tests;
