//! The sources of a response: the data that the response is made from. A cached response is valid
//! while its sources are unchanged.

use crate::model::Place;

/// The declaration, the query and the tables that a response is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    /// A hash of all inputs outside the database: the declaration, the query, the ids of the
    /// ancestors and the response key of the caller.
    pub seed: u64,
    /// The resource, the number of its ancestors in the URL, and the access rules. The response is
    /// made from the tables of the resource and the ancestors, and the tables that the rules read.
    pub place: Place,
}

/// The state of sources in one snapshot. Two equal states mean that nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesState {
    /// The sources whose state this is.
    pub sources: Sources,
    /// A hash of the seed, the identity of the database and the revisions of the tables.
    pub number: u64,
}
