//! Validators (RFC 9110 §8.8). This module builds, formats, parses and compares all entity tags.
//!
//! A tag contains a number, a form and a content coding. The tag `"17-json-c0ffee00-gzip"` stands
//! for a revision of a member, as JSON under this declaration, compressed with gzip. The tag
//! `"00c0ffee00c0ffee-csv"` stands for a collection under one query. Its number is a hash of the
//! declaration, the database, the revisions of the tables and the caller. Both numbers are
//! encrypted, so that nobody counts the writes of others. A precondition of a write compares only
//! the number. A precondition on the client's representation compares the whole tag.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use http::HeaderValue;

pub(crate) use super::current_state::CurrentState;
use crate::{
    base::{hash::StableHasher, limits},
    http::{
        http_date::Second,
        negotiate::{Coding, Codings, Format},
    },
    model::{Chain, FieldIx, Model, RuleSet},
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

/// Returns the state of the tables of a collection. `tables` yields the revision and the change
/// time of each table that it is read from. `seed` is the hash of all inputs outside the database.
pub(crate) fn collection(
    seed: u64,
    identity: &Identity,
    tables: impl Iterator<Item = (u64, Second)>,
) -> CollectionState {
    let begun =
        (StableHasher::new().number(seed).text(&identity.database), identity.declared.get());
    let (hash, modified) = tables.fold(begun, |(hash, latest), (revision, changed)| {
        (hash.number(revision), latest.max(changed))
    });
    CollectionState { number: hash.finish(), modified, is_ordered: true }
}

/// Returns the current state of a member, from its revision and the time of its last change.
pub(crate) fn member(revision: u64, identity: &Identity, changed: Option<Second>) -> CurrentState {
    CurrentState {
        tag: identity.cipher.encrypt(revision),
        modified: changed.map(|changed| changed.max(identity.declared.get())),
        is_ordered: true,
    }
}

/// The number that means "no validator". No revision has this number, and the hash of a collection
/// has it only by chance.
pub(crate) const NO_TAG: u64 = 0;

/// The form of a representation in an entity tag: the format, and a hash for a member. The number
/// and the content coding are not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    format: Format,
    /// The hash of the declaration and of the requested fields of a member. `None` for a
    /// collection, because the number of its tag includes them.
    look: Option<u32>,
}

impl Form {
    /// Returns the form of a member with the requested fields. `None` stands for all fields.
    pub(crate) fn member(model: &Model, format: Format, fields: Option<&[FieldIx]>) -> Self {
        let declaration = declaration(model, format);
        let shown = fields.map_or(declaration, |fields| {
            let hash = StableHasher::new().number(declaration);
            fields.iter().fold(hash, |hash, field| hash.number(field.0.into())).finish()
        });
        Self { format, look: Some((shown >> 32) as u32) }
    }

    /// Returns the form for callers with these access rules, and with this number of their pages.
    pub(crate) fn of_reader(self, rules: RuleSet, reader: u64) -> Self {
        let look = self.look.map(|look| {
            let hash = StableHasher::new()
                .number(look.into())
                .number(rules.number().into())
                .number(reader);
            (hash.finish() >> 32) as u32
        });
        Self { look, ..self }
    }

    /// Returns the form of a page with these labels of other members.
    pub(crate) fn with_labels(self, labels: Option<u32>) -> Self {
        let look = self.look.map(|look| look ^ labels.unwrap_or_default());
        Self { look, ..self }
    }

    /// Returns the form of a collection.
    pub(crate) const fn collection(format: Format) -> Self {
        Self { format, look: None }
    }

    /// Returns the entity tag of a state in this form and content coding.
    pub(crate) fn tag(self, number: u64, coding: Coding) -> HeaderValue {
        HeaderValue::from_bytes(self.text(number, coding).as_bytes())
            .expect("an entity tag contains only visible ASCII characters")
    }

    /// Formats the tag as text. It does not use `format!`, because almost every response has a tag.
    fn text(self, number: u64, coding: Coding) -> TagText {
        let mut to = TagText { bytes: [0; 48], length: 0 };
        to.push("\"");
        match self.look {
            Some(_) => to.push(itoa::Buffer::new().format(number)),
            None => to.push_hex(number, 16),
        }
        to.push("-");
        to.push(self.format.word());
        if let Some(look) = self.look {
            to.push("-");
            to.push_hex(look.into(), 8);
        }
        if coding != Coding::Identity {
            to.push("-");
            to.push(coding.word());
        }
        to.push("\"");
        to
    }

    /// Parses a tag that this server has made, in exactly this form and in a content coding that
    /// the client accepts. Returns `None` for any other tag.
    fn read(self, tag: &str, codings: Codings) -> Option<Tag> {
        let digits = tag.split('-').next()?;
        let number = match self.look {
            Some(_) => digits.parse().ok()?,
            None => u64::from_str_radix(digits, 16).ok()?,
        };
        let is = |coding: &Coding| self.text(number, *coding).as_str().trim_matches('"') == tag;
        let mut accepted = Coding::ALL.iter().copied().filter(|coding| codings.accepts(*coding));
        let coding = accepted.find(is)?;
        Some(Tag { number, coding })
    }
}

/// The text of a tag, stored without allocation. The longest text is
/// `"18446744073709551615-ndjson-c0ffee00-gzip"`.
#[derive(Clone, Copy, Debug)]
struct TagText {
    bytes: [u8; 48],
    length: usize,
}

impl TagText {
    fn push(&mut self, text: &str) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text.as_bytes());
        self.length += text.len();
    }

    fn push_hex(&mut self, number: u64, digits: usize) {
        let places = self.bytes[self.length..self.length + digits].iter_mut();
        for (at, place) in places.rev().enumerate() {
            *place = b"0123456789abcdef"[(number >> (4 * at)) as usize & 15];
        }
        self.length += digits;
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("an entity tag contains only ASCII characters")
    }
}

/// An entity tag that this server has made: the number of a state, and the content coding of its
/// representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The revision of a member, or the hash of a collection's state, encrypted.
    pub number: u64,
    /// The content coding of the representation.
    pub coding: Coding,
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
    /// Whether tags are read for the web page of a member.
    pub(crate) const fn is_member_page(self) -> bool {
        matches!(self, Self::Shown(Form { format: Format::Html, look: Some(_) }, _))
    }

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
        parts.next().is_none().then_some(Tag { number, coding: Coding::Identity })
    }
}

/// Whether a text may be the hash in the tag of a member, under any declaration: eight lower-case
/// hexadecimal digits.
fn is_look(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
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
        let tag = |number| Tag { number, coding: Coding::Identity };
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
            Self::Listed(tags) => {
                tags.iter().find(|tag| tag.number == current.tag).map(|tag| tag.coding)
            }
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
