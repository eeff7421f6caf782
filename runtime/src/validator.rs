//! Validators (RFC 9110 §8.8): the one place that makes, spells, reads and compares them.
//!
//! A tag carries a number and a variant: `"17-json-c0ffee00"` is revision 17 of a member in the JSON that this
//! declaration makes of it, `"00c0ffee00c0ffee-json"` a collection under one query, in whose number the declaration,
//! the database, the revisions of its tables and the caller are mixed already.

use crate::{
    hash::Stable,
    identify::CallerKey,
    model::{FieldIx, Model},
    plan::{Guard, Tags},
    route::Chain,
};

/// Everything but the database that a page depends on: its links repeat the query as it was given.
pub(crate) fn seed(model: &Model, chain: &Chain, given: &str, caller: CallerKey) -> u64 {
    let mut hash = Stable::new().number(model.fingerprint).number(caller.0).text(given).text(VARIANT);
    for (resource, id) in model.ancestors(chain.resource).zip(chain.ids.iter().rev()) {
        hash = hash.text(&id.spell(model[resource][FieldIx::ID].kind));
    }
    hash.number(chain.resource.0.into()).number(chain.ids.len() as u64).finish()
}

/// The number of a collection, from its seed and what the database says of it.
pub(crate) fn collection(seed: u64, identity: &str, revisions: impl Iterator<Item = u64>) -> u64 {
    revisions.fold(Stable::new().number(seed).text(identity), Stable::number).finish()
}

/// Stands for a validator that there is not: no revision and, but by chance, no collection has this number.
pub(crate) const NO_TAG: u64 = 0;

/// What follows the number of a JSON representation.
const VARIANT: &str = "-json";

/// The entity tag of a member.
pub(crate) fn member_tag(model: &Model, revision: u64) -> String {
    format!("\"{revision}{VARIANT}-{:08x}\"", model.fingerprint >> 32)
}

/// The entity tag of a collection.
pub(crate) fn collection_tag(number: u64) -> String {
    format!("\"{number:016x}{VARIANT}\"")
}

/// How the number in a tag is read.
#[derive(Clone, Copy)]
pub(crate) enum Reading<'model> {
    /// The revision of a member, in whichever variant: a write asks for the state, not for how it was shown.
    Revision,
    /// The revision of a member in exactly the variant that is shown now.
    Shown(&'model Model),
    /// The number of a collection.
    Collection,
}

/// The number in a tag of ours, in the only spelling that we give it; any other tag matches nothing.
pub(crate) fn number(tag: &str, reading: Reading<'_>) -> Option<u64> {
    let digits = tag.split('-').next()?;
    let is = |spelled: String| spelled.trim_matches('"') == tag;
    match reading {
        Reading::Collection => {
            u64::from_str_radix(digits, 16).ok().filter(|number| is(collection_tag(*number)))
        }
        Reading::Shown(model) => digits.parse().ok().filter(|number| is(member_tag(model, *number))),
        Reading::Revision => {
            let revision: u64 = digits.parse().ok()?;
            tag.strip_prefix(&format!("{revision}{VARIANT}-"))?;
            Some(revision)
        }
    }
}

/// What the preconditions of a request say of a current validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They hold.
    Met,
    /// `If-Match` does not hold.
    Changed,
    /// `If-None-Match` does not hold: for a read, nothing has changed.
    Unchanged,
}

impl Guard {
    /// Tests the preconditions in their order (RFC 9110 §13.2.2); `None` is no current representation.
    pub(crate) fn test(&self, current: Option<u64>) -> Verdict {
        let listed = |tags: &Option<Tags>| tags.as_ref().map(|tags| tags.include(current));
        match (listed(&self.if_match), listed(&self.if_none_match)) {
            (Some(false), _) => Verdict::Changed,
            (_, Some(true)) => Verdict::Unchanged,
            _ => Verdict::Met,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_revision_of_a_member_is_read_in_any_variant() {
        let read = |tag| number(tag, Reading::Revision);
        assert_eq!((read("22-json-c0ffee00"), read("22-json-0")), (Some(22), Some(22)));
        for other in ["022-json-0", "22", "22-csv-0", "-1-json-0", ""] {
            assert_eq!(read(other), None, "{other}");
        }
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
    fn if_match_goes_before_if_none_match() {
        let guard = Guard {
            if_match: Some(Tags::Listed(vec![1])),
            if_none_match: Some(Tags::Any),
            ..Guard::default()
        };
        assert_eq!(guard.test(Some(2)), Verdict::Changed);
        assert_eq!(guard.test(Some(1)), Verdict::Unchanged);
        assert_eq!(guard.test(None), Verdict::Changed);
        assert_eq!(Guard::default().test(None), Verdict::Met);
    }
}
