//! The tests of the runtime from outside, in one binary, since linking is what takes time.

#[path = "../../tests/support/twin.rs"]
mod twin;

mod sql {
    mod plans;
    mod text;
}

mod store {
    mod bed;
    mod batch;
    mod open;
    mod read;
    mod refusals;
    mod revisions;
    mod threads;
    mod write;
}
