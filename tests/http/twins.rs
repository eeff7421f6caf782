//! Tests that a schema file and a hand-written `static` yield equal definitions.

use nouns::{__runtime::Model, codegen::read_yaml, interpret::api_def};

#[path = "../support/twin.rs"]
mod twin;

fn from_file() -> &'static nouns::__runtime::def::ApiDef {
    let text = include_str!("../support/twin.yaml");
    api_def(&read_yaml("twin.yaml", text).expect("twin.yaml is a valid schema"))
}

#[test]
fn the_static_equals_what_its_file_says() {
    for (read, written) in from_file().resources.iter().zip(twin::API.resources) {
        assert_eq!(read, written);
    }
    assert_eq!(from_file(), &twin::API);
}

#[test]
fn a_twin_that_differs_is_noticed() {
    let mut other = twin::API;
    other.version = "another";
    assert_ne!(from_file(), &other);
}

#[test]
fn both_link_to_a_model_of_the_same_fingerprint() {
    let (read, written) = (Model::link(from_file()).unwrap(), Model::link(&twin::API).unwrap());
    assert_eq!(read.fingerprint, written.fingerprint);
}

#[test]
fn reading_a_file_again_gives_the_same_definitions() {
    assert!(std::ptr::eq(from_file().title, from_file().title), "equal texts must be interned");
}
