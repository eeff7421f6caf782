//! A test that the engines respond alike.

use crate::differences::{engines, run_short};

#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_engines_respond_alike() {
    run_short(&engines());
}
