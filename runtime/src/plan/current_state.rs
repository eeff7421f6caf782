//! [`CurrentState`]: what preconditions are tested against.

use super::validator::Identity;
use crate::http::http_date::Second;

/// The state of a current representation, in any format and content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentState {
    /// The number in the entity tag: the revision of a member, or the hash of a collection's state,
    /// encrypted with the secret of the database.
    pub tag: u64,
    /// The state of the tables whose rows a member passes, besides its own row, encrypted in the
    /// same way. It is 0 for a member that passes none, and for a collection.
    pub passed: u64,
    /// The time of the last change, or `None` if it is unknown.
    pub modified: Option<Second>,
    /// Whether a change never has an earlier time than another one that was seen before it. If not,
    /// the time alone does not tell whether anything has changed.
    pub is_ordered: bool,
}

/// The state of the tables that a collection is read from, in one snapshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CollectionState {
    /// A hash of the revisions, and of all inputs outside the database. It never leaves the server.
    pub(crate) number: u64,
    /// A hash of the revisions of the tables whose rows are passed besides those of the place. It
    /// is 0 if there are none.
    pub(crate) passed: u64,
    /// The time of the last change.
    pub(crate) modified: Second,
    /// The same as [`CurrentState::is_ordered`].
    pub(crate) is_ordered: bool,
}

impl CurrentState {
    /// Returns the state of a member that passes rows of other tables. `tables` is the state of all
    /// tables of its response.
    pub(crate) fn passing(self, tables: CollectionState, identity: &Identity) -> Self {
        if tables.passed == 0 {
            return self;
        }
        let modified = self.modified.map(|modified| modified.max(tables.modified));
        let (passed, is_ordered) = (identity.cipher.encrypt(tables.passed), tables.is_ordered);
        Self { passed, modified, is_ordered, ..self }
    }
}

impl CollectionState {
    /// Returns the same state, of changes whose times may have another order than their commits.
    #[cfg(feature = "postgres")]
    pub(crate) fn without_order(self) -> Self {
        Self { is_ordered: false, ..self }
    }

    /// Returns what preconditions on the collection are tested against.
    pub(crate) fn current(self, identity: &Identity) -> CurrentState {
        let Self { number, modified, is_ordered, .. } = self;
        let tag = identity.cipher.encrypt(number);
        CurrentState { tag, passed: 0, modified: Some(modified), is_ordered }
    }
}
