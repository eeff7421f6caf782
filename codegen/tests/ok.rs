//! Tests that valid declarations are read without a mistake, and as the expected schemas.

use nouns_codegen::{Schema, read_yaml};
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> Schema {
    let name = path.file_name().unwrap().to_str().unwrap();
    read_yaml(name, &fs::read_to_string(path).unwrap())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

fn yaml_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

#[test]
fn each_good_file_has_its_schema() {
    for path in yaml_files("tests/ok") {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "ok", omit_expression => true }, {
            insta::assert_debug_snapshot!(name, read(&path));
        });
    }
}

#[test]
fn each_shipped_schema_is_good() {
    let files = yaml_files("../schemas");
    assert!(files.len() >= 2);
    for path in files {
        assert!(!read(&path).resources.is_empty());
    }
}

/// Compares the values that the reader of this crate finds in a file with those of `serde_yaml`.
#[test]
fn the_tree_is_what_serde_yaml_reads() {
    for path in yaml_files("tests/ok").into_iter().chain(yaml_files("../schemas")) {
        let text = fs::read_to_string(&path).unwrap();
        let draft = nouns_codegen::yaml::read_draft("", &text).unwrap();
        let ours: serde_json::Value =
            serde_json::from_str(&draft.root.value.to_json().unwrap()).unwrap();
        let mut theirs: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        theirs.apply_merge().unwrap();
        assert_eq!(ours, serde_json::to_value(theirs).unwrap(), "{}", path.display());
    }
}

#[test]
fn equal_declarations_are_equal_schemas() {
    let short = "
nouns: 1
resources:
  zoo: { fields: { opened: date } }
  animal: { parent: zoo, fields: { friend_id: { references: animal } } }
";
    let long = "\u{feff}
resources:
  zoo: { fields: { \"opened\": { type: date, required: false } }, collection: zoos, timestamps: true }
  animal:
    fields: { friend_id: { references: { resource: animal, as: friend, on_delete: restrict } } }
    parent: { resource: zoo, field: zoo_id, on_delete: restrict }
    limit: { default: 20, maximum: 100 }
api: { title: API, version: 1.0.0, base_path: / }
nouns: 1
";
    let read = |text| read_yaml("zoo.yaml", text).unwrap();
    assert_eq!(read(short), read(long));
    assert_eq!(read(short), read(&short.replace('\n', "\r\n")));
}
