//! The macro `schema!` declares the same interface as its schema file.

use crate::twins::{assert_twins, yaml};

/// The zoos of a city.
#[deny(warnings, missing_docs)]
pub mod zoo {
    nouns::schema!("schemas/zoo.yaml");
}

#[test]
fn a_schema_file_is_declared_where_the_macro_stands() {
    assert_twins(zoo::api(), yaml("zoo.yaml", include_str!("../../schemas/zoo.yaml")));
    assert_eq!(zoo::NewZoo::new("Tierpark".into()).city, None);
}
