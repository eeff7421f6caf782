//! Mistakes that the derives refuse: one in each file of `tests/ui`, with the expected messages
//! beside it.
//!
//! `TRYBUILD=overwrite` rewrites the expected messages.

#[test]
fn each_mistake_is_told_once_at_its_place() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
