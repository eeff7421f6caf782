//! Tests of what only the PostgreSQL engine has. They are ignored without a cluster, which
//! `tests/with_postgres` starts.

mod batches;
mod engines;
mod histories;
mod lanes;
mod large_indexes;
mod nodes;
mod others;
mod preconditions;
mod reads;
mod slots;

use nouns::Location;

use crate::database::{self, TestDatabase};

/// Creates a database beside that of the other tests. `other` is a database of these.
fn own_database(other: &TestDatabase, name: &str) -> Location {
    other.run(&format!("DROP DATABASE IF EXISTS {name}"));
    other.run(&format!("CREATE DATABASE {name}"));
    Location::from(database::url(&format!("dbname={name}")))
}
