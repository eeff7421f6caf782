//! The Rust code that is generated for a schema compiles without warnings and documents each item.
//! It declares the same interface as the schema.

use std::{collections::BTreeSet, fs, path::Path};

use crate::twins::{assert_twins, yaml};

macro_rules! goldens {
    ($($name:ident $rust:literal $yaml:literal)*) => {
        $(
            #[deny(warnings, missing_docs)]
            #[doc = "A golden."]
            #[path = $rust]
            pub mod $name;
        )*

        #[test]
        fn each_golden_declares_what_its_yaml_does() {
            $(
                assert_twins($name::api(), yaml(stringify!($name), include_str!($yaml)));
            )*
        }

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

goldens! {
    access "../../codegen/tests/golden/access.rs" "../../codegen/tests/golden/access.yaml"
    api_facts "../../codegen/tests/golden/api_facts.rs" "../../codegen/tests/golden/api_facts.yaml"
    constraints "../../codegen/tests/golden/constraints.rs" "../../codegen/tests/golden/constraints.yaml"
    decimals "../../codegen/tests/golden/decimals.rs" "../../codegen/tests/golden/decimals.yaml"
    defaults "../../codegen/tests/golden/defaults.rs" "../../codegen/tests/golden/defaults.yaml"
    descriptions "../../codegen/tests/golden/descriptions.rs" "../../codegen/tests/golden/descriptions.yaml"
    enums "../../codegen/tests/golden/enums.rs" "../../codegen/tests/golden/enums.yaml"
    extensions "../../codegen/tests/golden/extensions.rs" "../../codegen/tests/golden/extensions.yaml"
    http "../../codegen/tests/golden/http.rs" "../../codegen/tests/golden/http.yaml"
    ids "../../codegen/tests/golden/ids.rs" "../../codegen/tests/golden/ids.yaml"
    irregular_names "../../codegen/tests/golden/irregular_names.rs" "../../codegen/tests/golden/irregular_names.yaml"
    json "../../codegen/tests/golden/json.rs" "../../codegen/tests/golden/json.yaml"
    keywords "../../codegen/tests/golden/keywords.rs" "../../codegen/tests/golden/keywords.yaml"
    league "../../codegen/tests/golden/league.rs" "../../schemas/league.yaml"
    library_names "../../codegen/tests/golden/library_names.rs" "../../codegen/tests/golden/library_names.yaml"
    modes "../../codegen/tests/golden/modes.rs" "../../codegen/tests/golden/modes.yaml"
    named_types "../../codegen/tests/golden/named_types.rs" "../../codegen/tests/golden/named_types.yaml"
    newsroom "../../codegen/tests/golden/newsroom.rs" "../../schemas/newsroom.yaml"
    parents "../../codegen/tests/golden/parents.rs" "../../codegen/tests/golden/parents.yaml"
    passwords "../../codegen/tests/golden/passwords.rs" "../../codegen/tests/golden/passwords.yaml"
    references "../../codegen/tests/golden/references.rs" "../../codegen/tests/golden/references.yaml"
    resource_keys "../../codegen/tests/golden/resource_keys.rs" "../../codegen/tests/golden/resource_keys.yaml"
    smallest "../../codegen/tests/golden/smallest.rs" "../../codegen/tests/golden/smallest.yaml"
    types "../../codegen/tests/golden/types.rs" "../../codegen/tests/golden/types.yaml"
    zoo "../../codegen/tests/golden/zoo.rs" "../../schemas/zoo.yaml"
}

#[test]
fn every_golden_is_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("codegen/tests/golden");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(files, NAMES.iter().map(|name| (*name).to_owned()).collect());
}
