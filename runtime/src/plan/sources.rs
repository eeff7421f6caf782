//! What an answer depends on, so that whoever keeps it knows how long it is true.

use crate::model::Place;

/// What an answer depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    /// Stands for everything but the database.
    pub(crate) seed: u64,
    /// The tables: that of the resource, and those of the chain above.
    pub(crate) place: Place,
}
