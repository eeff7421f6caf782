//! The sources of a response: the data that the response is made from. A cached response is valid
//! while its sources are unchanged.

use std::sync::Arc;

use super::{
    CollectionState,
    validator::{self, Identity},
};
use crate::{
    http::http_date::Second,
    model::{Model, Place, ResourceIx},
};

/// The declaration, the query and the tables that a response is made from.
///
/// The validators of a response, the key of the callers that share it, and the directives for HTTP
/// caches are made from its sources alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// A hash of all inputs outside the database: the declaration, the query, the ids of the
    /// ancestors and the response key of the caller.
    pub seed: u64,
    /// The resource, the number of its ancestors in the URL, and the access rules. The response is
    /// made from the tables of the resource and the ancestors, and the tables that the rules read.
    pub place: Place,
    /// The resources whose rows are passed for the caller besides, sorted. The response is made
    /// from their tables, and the tables that the rules for their rows read. `None` if there are
    /// none.
    pub passed: Option<Arc<[ResourceIx]>>,
}

/// The state of sources in one snapshot. Two equal states mean that nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcesState {
    /// The sources whose state this is.
    pub sources: Sources,
    /// A hash of the seed, the identity of the database and the revisions of the tables.
    pub number: u64,
}

impl Sources {
    /// Returns the sources of the rows of a place, for a state that is compared with no other.
    pub(crate) const fn of(place: Place) -> Self {
        Self { seed: 0, place, passed: None }
    }

    /// Returns the tables that the response is made from: those that the place depends on, and then
    /// those that the rows depend on which are passed besides.
    pub(crate) fn tables<'m>(&'m self, model: &'m Model) -> impl Iterator<Item = ResourceIx> {
        let passed = self.passed.as_deref().unwrap_or_default();
        model.tables(self.place).chain(model.passed_tables(self.place.rules, passed))
    }

    /// Returns the state of the tables, from the revision and the change time of each of
    /// [`tables`](Self::tables).
    pub(crate) fn state(
        &self,
        model: &Model,
        identity: &Identity,
        tables: impl Iterator<Item = (u64, Second)>,
    ) -> CollectionState {
        let of_place =
            self.passed.as_ref().map_or(usize::MAX, |_| model.tables(self.place).count());
        validator::collection(self.seed, identity, of_place, tables)
    }
}
