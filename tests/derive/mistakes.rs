//! What the derives refuse: one mistake in a file of `tests/ui`, and beside it what the author is
//! told.
//!
//! `TRYBUILD=overwrite` writes the expected texts anew.

#[test]
fn each_mistake_is_told_once_at_its_place() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
