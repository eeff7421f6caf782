//! Compares generated Rust with the files in `tests/golden`. For each YAML file in `tests/golden`
//! and `schemas`, `tests/golden` has a Rust file of the same name.
//!
//! Set `BLESS=1` to rewrite the Rust files and the JSON Schema.

use nouns_codegen::{Schema, build, declare, json_schema, read_rust, read_yaml};
use std::fs;
use std::path::{Path, PathBuf};

/// The YAML files of a folder, sorted by path.
fn yaml_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    files
}

fn read(path: &Path) -> Schema {
    let name = path.file_name().unwrap().to_str().unwrap();
    read_yaml(name, &fs::read_to_string(path).unwrap())
        .unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn each_declaration_has_its_rust() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = ["tests/golden", "../schemas"].map(yaml_files).concat();
    assert!(files.len() >= 15);
    let mut wrong = Vec::new();
    for path in files {
        let expected = folder.join(path.file_name().unwrap()).with_extension("rs");
        let written = declare::rust(&read(&path));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, written).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != written {
            wrong.push(format!("{}:\n{written}", path.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "the generated Rust has changed; set BLESS=1 to accept it:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_shipped_json_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/nouns.schema.json");
    let current = json_schema::text();
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, current).unwrap();
    } else {
        assert!(
            fs::read_to_string(path).unwrap() == current,
            "the JSON Schema has changed; set BLESS=1 to rewrite it"
        );
    }
}

#[test]
fn each_shipped_schema_names_the_json_schema_to_editors() {
    for path in yaml_files("../schemas") {
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("# yaml-language-server: $schema=nouns.schema.json\n"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn each_declaration_is_the_same_after_it_was_rust() {
    let folders = ["tests/golden", "tests/ok", "../schemas", "../tests/support"];
    for path in folders.iter().flat_map(|folder| yaml_files(folder)) {
        let schema = read(&path);
        let rust = declare::rust(&schema);
        let again = read_rust("declared.rs", &rust).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(again, schema, "{}:\n{rust}", path.display());
    }
}

#[test]
fn a_build_script_writes_what_is_declared() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/zoo.yaml");
    let written = fs::read_to_string(build::rust_in(&file, folder).unwrap()).unwrap();
    let (first, rest) = written.split_once("\n\n").unwrap();
    assert_eq!(first, format!("// Generated from `{}` by the build script.", file.display()));
    assert_eq!(rest, declare::rust(&read(&file)));
}

#[test]
fn a_build_script_fails_with_every_mistake_drawn() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistaken.yaml");
    fs::write(&file, "nouns: 1\nresources: { zoo: { fields: { name: strng, city: dat } } }\n")
        .unwrap();
    let failure = build::rust_in(&file, env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    let shown = format!("{failure:?}");
    for part in ["did you mean `string`?", "did you mean `date`?", "mistaken.yaml:2:37", "^"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!file.with_extension("rs").exists());
    let missing = build::rust_in("missing.yaml", env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    assert!(
        missing.to_string().starts_with("the schema file `missing.yaml` cannot be read: "),
        "{missing}"
    );
}
