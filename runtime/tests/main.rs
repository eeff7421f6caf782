//! The integration tests of the runtime, in one binary, so that the tests link only once.

#![expect(clippy::unwrap_used, reason = "a test that fails panics, in its helpers too")]

#[path = "../../tests/support/database.rs"]
mod database;
#[expect(clippy::print_stdout, reason = "a run prints its seed")]
#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/support/twin.rs"]
mod twin;

mod sql {
    mod growth;
    mod plans;
    mod postgres;
    mod relations;
    pub(crate) mod text;
}

mod store {
    mod batch;
    pub(crate) mod bed;
    mod broken_transactions;
    mod copies;
    mod departures;
    mod open;
    mod read;
    mod refusals;
    mod revisions;
    mod snapshots;
    mod statistics;
    mod stored_rows;
    mod temporary;
    mod threads;
    mod transactions;
    mod unclosed;
    mod write;
}

mod typed {
    pub(crate) mod bed;
    mod calls;
    mod cursors;
    mod exact;
    mod filters;
    mod lookups;
    mod queries;
    pub(crate) mod staff;
    mod threads;
    pub(crate) mod zoo;
}

mod related {
    pub(crate) mod conditions;
    mod dice;
    mod rows;
    mod selections;
    mod tables;
    mod trees;
}

mod rules {
    mod calls;
    mod requests;
}

mod api {
    mod access;
    mod declared;
    mod embedded;
    mod lifecycle;
    mod linked;
    mod nested;
}

mod hooks {
    mod after;
    mod amended;
    mod batch;
    pub(crate) mod bed;
    mod before;
    mod blame;
    mod once;
    pub(crate) mod pen;
    mod places;
    mod races;
    mod replaced;
    mod rewritten;
    mod within;
}

mod routes {
    mod answers;
    mod conflicts;
    mod custom;
    mod requests;
    mod twins;
}
