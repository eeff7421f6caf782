//! Mistakes that the derives reject. Each file has one mistake, and the expected messages in a file
//! beside it.
//!
//! `TRYBUILD=overwrite` rewrites the expected messages.

#[test]
fn each_mistake_is_told_once_at_its_place() {
    trybuild::TestCases::new().compile_fail("*.rs");
}
