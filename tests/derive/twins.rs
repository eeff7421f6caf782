//! Every shipped YAML declaration has an equivalent declaration in Rust. Both must give equal
//! definitions.

use nouns::{__runtime::def::ApiDef, Api, codegen::read_yaml, interpret::api_def};

use crate::{goldens, league, school};

/// Compiles the text of a schema file. Panics if it has mistakes.
pub(crate) fn yaml(name: &str, text: &str) -> &'static ApiDef {
    api_def(&read_yaml(name, text).unwrap_or_else(|mistakes| panic!("{mistakes}")))
}

/// Checks that two declarations are equal. It compares them piece by piece, so that a difference is
/// short enough to read.
pub(crate) fn assert_twins(api: Api, yaml: &ApiDef) {
    let model = api.build().unwrap_or_else(|error| panic!("{}: {error}", yaml.title));
    let rust = model.api;
    let names =
        |def: &ApiDef| def.resources.iter().map(|resource| resource.name).collect::<Vec<_>>();
    assert_eq!(names(rust), names(yaml));
    for (rust, yaml) in rust.resources.iter().zip(yaml.resources) {
        for (rust, yaml) in rust.fields.iter().zip(yaml.fields) {
            assert_eq!(rust, yaml);
        }
        assert_eq!(rust, yaml);
    }
    assert_eq!(rust.types, yaml.types);
    assert_eq!(rust, yaml);
}

#[test]
fn the_zoos_are_the_same_in_yaml_and_rust() {
    assert_twins(goldens::zoo::api(), yaml("zoo.yaml", include_str!("../../schemas/zoo.yaml")));
}

#[test]
fn the_league_is_the_same_in_yaml_and_rust() {
    assert_twins(league::api(), yaml("league.yaml", include_str!("../../schemas/league.yaml")));
}

#[test]
fn the_newsroom_is_the_same_in_yaml_and_rust() {
    let yaml = yaml("newsroom.yaml", include_str!("../../schemas/newsroom.yaml"));
    assert_twins(goldens::newsroom::api(), yaml);
}

#[test]
fn the_schools_are_the_same_in_yaml_and_rust() {
    assert_twins(school::api(), yaml("twin.yaml", include_str!("../support/twin.yaml")));
}
