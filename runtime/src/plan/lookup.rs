//! Look-ups: small reads that a web page adds to the read of its action. They find labels, choices
//! and counts. A page leaves out what cannot be found in the time of a worker.

use crate::model::{FieldIx, ResourceIx, value::Value};

/// The number of members at which a web page stops counting. A larger number says no more to
/// people, and takes longer than a page may.
pub(crate) const PAGE_COUNT_MAX: u32 = 10_000;

/// The maximum number of members of a resource whose labels a web page looks up. More do not fit
/// into the time of a worker.
pub(crate) const PAGE_LABELS_MAX: usize = 500;

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
    /// Each value as text, with the number of its members, the most frequent first.
    pub values: Vec<(String, BoundedCount)>,
}

/// All that the look-ups of a page have found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundLookups {
    /// The labels of members: the resource, the id as text and the label, sorted.
    pub(crate) labels: Vec<(ResourceIx, String, String)>,
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
    /// Returns the label of a member, if it was found.
    pub(crate) fn label(&self, resource: ResourceIx, id: &str) -> Option<&str> {
        let key = |one: &(ResourceIx, String, String)| (one.0, &*one.1).cmp(&(resource, id));
        let at = self.labels.binary_search_by(key).ok()?;
        Some(&self.labels[at].2)
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
    fn a_label_is_found_by_its_resource_and_id() {
        let label =
            |resource, id: &str, label: &str| (ResourceIx(resource), id.into(), label.into());
        let labels = vec![label(0, "1", "a"), label(0, "10", "b"), label(1, "1", "c")];
        let found = FoundLookups { labels, ..FoundLookups::default() };
        assert_eq!(found.label(ResourceIx(0), "10"), Some("b"));
        assert_eq!(found.label(ResourceIx(1), "1"), Some("c"));
        assert_eq!(found.label(ResourceIx(1), "10"), None);
    }
}
