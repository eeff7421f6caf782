//! [`Form`]: how the entity tag of a representation is spelled and read.

use http::HeaderValue;

use super::{Tag, declaration};
use crate::{
    base::hash::StableHasher,
    http::negotiate::{Coding, Codings, Format},
    model::{FieldIx, Model, RelatedRequest, RuleSet},
};

/// The form of a representation in an entity tag: the format, and a hash for a member. The number
/// and the content coding are not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    format: Format,
    /// The hash of the declaration and of what is shown of a member. `None` for a collection,
    /// because the number of its tag includes them.
    look: Option<u64>,
    /// The state of the tables whose rows the member passes besides its own. `None` for a member
    /// that passes none.
    passed: Option<u64>,
}

impl Form {
    /// Returns the form of a member whose tag has these digits.
    #[cfg(test)]
    pub(crate) const fn of_look(format: Format, digits: u32) -> Self {
        Self { format, look: Some((digits as u64) << 32), passed: None }
    }

    /// Returns the form of a member with the requested fields. `None` stands for all fields.
    pub(crate) fn member(model: &Model, format: Format, fields: Option<&[FieldIx]>) -> Self {
        let declaration = declaration(model, format);
        let shown = fields.map_or(declaration, |fields| {
            let hash = StableHasher::new().number(declaration);
            fields.iter().fold(hash, |hash, field| hash.number(field.0.into())).finish()
        });
        Self { format, look: Some(shown), passed: None }
    }

    /// Returns the form of a member with these related rows, or with other rows that are passed.
    /// Their state is not known yet.
    pub(crate) fn passing(self, related: Option<&RelatedRequest>) -> Self {
        let look = self.look.map(|look| {
            let hash = StableHasher::new().number(look);
            let Some(RelatedRequest { selections, values }) = related else { return hash.finish() };
            let hash = selections.add_to(hash);
            values.iter().fold(hash, |hash, value| hash.text(&format!("{value:?}"))).finish()
        });
        Self { look, passed: Some(0), ..self }
    }

    /// Returns the form with this state of the tables whose rows are passed, if there are any.
    pub(crate) fn of_passed(self, state: u64) -> Self {
        Self { passed: self.passed.map(|_| state), ..self }
    }

    /// Returns the form for callers with these access rules, and with this number of their pages.
    pub(crate) fn of_reader(self, rules: RuleSet, reader: u64) -> Self {
        let look = self.look.map(|look| {
            let hash = StableHasher::new().number(look >> 32);
            hash.number(rules.number().into()).number(reader).finish()
        });
        Self { look, ..self }
    }

    /// Returns the form of a collection.
    pub(crate) const fn collection(format: Format) -> Self {
        Self { format, look: None, passed: None }
    }

    /// Returns the entity tag of a state in this form and content coding.
    pub(crate) fn tag(self, number: u64, coding: Coding) -> HeaderValue {
        HeaderValue::from_bytes(self.text(number, coding).as_bytes())
            .expect("an entity tag contains only visible ASCII characters")
    }

    /// Formats the tag as text. It does not use `format!`, because almost every response has a tag.
    fn text(self, number: u64, coding: Coding) -> TagText {
        let mut to = TagText { bytes: [0; TAG_BYTES_MAX], length: 0 };
        to.push("\"");
        match self.look {
            Some(_) => to.push(itoa::Buffer::new().format(number)),
            None => to.push_hex(number, 16),
        }
        to.push("-");
        to.push(self.format.word());
        match (self.look, self.passed) {
            (None, _) => {}
            (Some(look), None) => to.push_dashed_hex(look >> 32, 8),
            (Some(look), Some(passed)) => to.push_dashed_hex(look ^ passed, 16),
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
    pub(super) fn read(self, tag: &str, codings: Codings) -> Option<Tag> {
        let mut parts = tag.split('-');
        let digits = parts.next()?;
        let number = match self.look {
            Some(_) => digits.parse().ok()?,
            None => u64::from_str_radix(digits, 16).ok()?,
        };
        let passed = match (self.look, self.passed) {
            (Some(look), Some(_)) => Some(look ^ u64::from_str_radix(parts.nth(1)?, 16).ok()?),
            _ => None,
        };
        let form = Self { passed, ..self };
        let is = |coding: &Coding| form.text(number, *coding).as_str().trim_matches('"') == tag;
        let mut accepted = Coding::ALL.iter().copied().filter(|coding| codings.accepts(*coding));
        let coding = accepted.find(is)?;
        Some(Tag { number, passed, coding })
    }
}

/// The maximum length of the text of a tag, in bytes. The longest has 51.
const TAG_BYTES_MAX: usize = 56;

/// The text of a tag, stored without allocation. The longest text is
/// `"18446744073709551615-ndjson-c0ffee00c0ffee00-gzip"`.
#[derive(Clone, Copy, Debug)]
struct TagText {
    bytes: [u8; TAG_BYTES_MAX],
    length: usize,
}

impl TagText {
    fn push(&mut self, text: &str) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text.as_bytes());
        self.length += text.len();
    }

    fn push_dashed_hex(&mut self, number: u64, digits: usize) {
        self.push("-");
        self.push_hex(number, digits);
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
