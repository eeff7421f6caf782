//! The tests of the runtime from outside, in one binary, since linking is what takes time.

#![expect(clippy::unwrap_used, reason = "a test that fails panics, in its helpers too")]

#[path = "../../tests/support/twin.rs"]
mod twin;

mod sql {
    mod plans;
    mod text;
}

mod store {
    mod batch;
    mod bed;
    mod open;
    mod read;
    mod refusals;
    mod revisions;
    mod threads;
    mod write;
}

mod typed {
    mod zoo;
}
