//! Look-ups: small reads that a web page adds to the read of its action. They find choices, counts
//! and the labels of ancestors. A page leaves out what cannot be found in the time of a worker.

use std::borrow::Cow;

use crate::model::{FieldIx, ResourceIx, value::Value};

/// The number of members at which a web page stops counting. A larger number says no more to
/// people, and takes longer than a page may.
pub(crate) const PAGE_COUNT_MAX: u32 = 10_000;

/// The maximum length of a label on a web page, in characters. People recognize a member by fewer.
pub(crate) const LABEL_CHARACTERS_MAX: usize = 120;

/// The maximum number of members that a web page offers as choices of a reference. People search
/// in longer lists.
pub(crate) const PAGE_CHOICES_MAX: u32 = 50;

/// The maximum size of the texts that one look-up of a web page reads, in bytes. Labels are short
/// texts.
pub(crate) const PAGE_LOOKUP_BYTES_MAX: usize = 64 * 1024;

/// The rows of a look-up. Each row has as many values as its statement has columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LookupRows {
    /// The rows that were found.
    pub rows: Vec<Vec<Value>>,
    /// Whether these are all rows. If not, the time or the bytes of the look-up were used up.
    pub is_complete: bool,
}

/// A number of members. Counting stops at a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedCount {
    /// The number of members, or the limit if there are more.
    pub members: u32,
    /// Whether there are more members than the limit.
    pub has_more: bool,
}

/// The members that a reference may be set to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundChoices {
    /// The first members in the order of their labels: the id and the label of each, as text.
    pub members: Vec<(String, Option<String>)>,
    /// Whether there may be further members.
    pub has_more: bool,
}

/// The most frequent values of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTally {
    /// The field.
    pub field: FieldIx,
    /// The most frequent values, the most frequent first.
    pub values: Vec<TalliedValue>,
}

/// A value of a field, with the number of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TalliedValue {
    /// The value as text.
    pub value: String,
    /// The label of the member that the value refers to, if it has one.
    pub label: Option<String>,
    /// The number of members with the value.
    pub count: BoundedCount,
}

/// All that the look-ups of a page have found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundLookups {
    /// The label of each ancestor in the URL that has one, outermost first.
    pub(crate) ancestors: Vec<Option<String>>,
    /// The frequent values of fields, in the order of the fields.
    pub(crate) tallies: Vec<FieldTally>,
    /// The choices of references, by their targets.
    pub(crate) choices: Vec<(ResourceIx, FoundChoices)>,
    /// The number of members in the collections of resources.
    pub(crate) counts: Vec<(ResourceIx, BoundedCount)>,
    /// Whether something was left out.
    pub(crate) is_partial: bool,
}

impl FoundLookups {
    /// Returns the label of the ancestor at this position in the URL, if it was found. The
    /// outermost ancestor is at 0.
    pub(crate) fn ancestor(&self, at: usize) -> Option<&str> {
        self.ancestors.get(at)?.as_deref()
    }

    /// Returns the choices of references to a resource, if they were found.
    pub(crate) fn choices(&self, target: ResourceIx) -> Option<&FoundChoices> {
        self.choices.iter().find(|(resource, _)| *resource == target).map(|(_, found)| found)
    }

    /// Returns the number of members of a resource, if they were counted.
    pub(crate) fn count(&self, resource: ResourceIx) -> Option<BoundedCount> {
        self.counts.iter().find(|(other, _)| *other == resource).map(|(_, count)| *count)
    }
}

/// Returns the beginning of a label, with `…` if it has more characters.
pub(crate) fn label_of(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LABEL_CHARACTERS_MAX) {
        Some((end, _)) => [&text[..end], "…"].concat().into(),
        None => text.into(),
    }
}

impl BoundedCount {
    /// The count of a statement that counts one member more than the limit.
    pub(crate) fn of(counted: i64, limit: u32) -> Self {
        let counted = u32::try_from(counted).unwrap_or(u32::MAX);
        Self { members: counted.min(limit), has_more: counted > limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_stops_at_its_limit() {
        let count = |members, has_more| BoundedCount { members, has_more };
        assert_eq!(BoundedCount::of(0, 10), count(0, false));
        assert_eq!(BoundedCount::of(10, 10), count(10, false));
        assert_eq!(BoundedCount::of(11, 10), count(10, true));
        assert_eq!(BoundedCount::of(i64::MAX, 10), count(10, true));
    }

    #[test]
    fn a_long_label_is_cut() {
        let fits = "ä".repeat(LABEL_CHARACTERS_MAX);
        assert_eq!(label_of(&fits), fits);
        assert_eq!(label_of(&[&*fits, "x"].concat()), [&*fits, "…"].concat());
    }
}
