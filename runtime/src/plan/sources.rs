//! The sources of a response, so a cache knows how long it is valid.

use crate::model::Place;

/// The declaration, query and tables that a response depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    /// A hash of everything but the database: the declaration, the query, the ids of the ancestors,
    /// the caller.
    pub seed: u64,
    /// The tables: that of the resource, and those of its ancestors in the URL.
    pub place: Place,
}

/// The state of sources in one snapshot: equal numbers mean that nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesState {
    /// The sources.
    pub sources: Sources,
    /// A hash of the seed, the database and the revisions of the tables.
    pub number: u64,
}
