//! Snapshot tests of an API: its routes, its tables, and requests with their responses as text.
//!
//! Run the tests with `cargo test --example snapshot_test`. `cargo insta review` shows what
//! changed.

use std::io::{Write, stdout};

use nouns::{
    Model,
    codegen::{Schema, read_yaml},
    interpret::api_def,
    snapshot::Recorder,
};

fn schema() -> Schema {
    let text = include_str!("../schemas/zoo.yaml");
    read_yaml("schemas/zoo.yaml", text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn model() -> Model {
    Model::link(api_def(&schema())).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Prints a request and its response.
pub(crate) fn main() -> std::io::Result<()> {
    let zoos = Recorder::new(model());
    write!(
        stdout(),
        "{}",
        zoos.exchange("POST /zoos", r#"{ "name": "City Zoo", "city": "Leipzig" }"#)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use nouns::snapshot::{routes, rust, sql};

    #[test]
    fn the_interface_is_the_one_we_know() {
        insta::assert_snapshot!("routes", routes(&model()));
        insta::assert_snapshot!("tables", sql(&model()));
        insta::assert_snapshot!("rust", rust(&schema()));
    }

    #[test]
    fn an_animal_is_kept() {
        let zoos = Recorder::new(model());
        let _zoo = zoos.exchange("POST /zoos", r#"{ "name": "City Zoo" }"#);
        let _type = zoos.exchange("POST /animal_types", r#"{ "name": "elephant" }"#);
        let bella = r#"{ "name": "Bella", "animal_type_id": 1, "weight_kg": 2750 }"#;
        insta::assert_snapshot!("new_animal", zoos.exchange("POST /zoos/1/animals", bella));
        insta::assert_snapshot!("no_animal", zoos.exchange("GET /zoos/1/animals/7", ""));
        let changed = zoos
            .exchange("PATCH /zoos/1/animals/1\nif-match: \"0-json-0\"", r#"{ "weight_kg": 1 }"#);
        insta::assert_snapshot!("stale_change", changed);
    }
}
