//! Tests the names of types: a name is a noun, and occurs once in its crate.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::tidy::{self, sources};

/// The crates whose types are checked, each as the folder of its source.
const CRATES: [&str; 5] = ["src", "declaration/src", "codegen/src", "runtime/src", "benches/load"];

/// Names of types that are not allowed: participles and pronouns, which do not say what the type
/// is.
const FORBIDDEN: &[&str] = &[
    "Absent",
    "Admitted",
    "Another",
    "Answered",
    "Answering",
    "Anything",
    "Applied",
    "Asked",
    "Attached",
    "Changed",
    "Chosen",
    "Connected",
    "Copied",
    "Counted",
    "Created",
    "Current",
    "Declared",
    "Described",
    "Done",
    "Edited",
    "Expected",
    "Fetched",
    "Found",
    "Generated",
    "Given",
    "Gone",
    "Had",
    "Held",
    "Hooked",
    "Kept",
    "Keyed",
    "Known",
    "Left",
    "Linked",
    "Listed",
    "Made",
    "Meant",
    "Measured",
    "Met",
    "Named",
    "Noted",
    "Nothing",
    "Prepared",
    "Ran",
    "Read",
    "Replaced",
    "Restored",
    "Running",
    "Said",
    "Seen",
    "Sent",
    "Settled",
    "Shown",
    "Something",
    "Spent",
    "Stored",
    "Taken",
    "Told",
    "Wanted",
    "Woken",
    "Written",
    "Wrong",
];

/// Returns the name of the type that a line of Rust declares. `None` if the line is indented or
/// declares no type.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let mut word = words.next().filter(|_| !line.starts_with(char::is_whitespace))?;
    while word.starts_with("pub") || word.starts_with("in") || word == "unsafe" {
        word = words.next()?;
    }
    let is_type = ["struct", "enum", "union", "trait", "type"].contains(&word);
    let name = words.next().filter(|_| is_type)?;
    Some(name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or(name))
}

/// Returns the types of a crate without its unit tests, each with the files that declare it.
fn types(folder: &str) -> BTreeMap<String, Vec<PathBuf>> {
    let mut types = BTreeMap::<String, Vec<PathBuf>>::new();
    for path in sources(folder) {
        if path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for name in tidy::without_tests(&text).lines().filter_map(declared) {
            types.entry(name.to_owned()).or_default().push(path.clone());
        }
    }
    types
}

#[test]
fn the_name_of_a_type_occurs_once_in_its_crate() {
    for folder in CRATES {
        let types = types(folder);
        assert!(
            types.len() > 5,
            "the folder {folder} has no more than 5 types: is the path right?"
        );
        for (name, files) in types {
            assert_eq!(
                files.len(),
                1,
                "the type {name} must be declared once, but is in {files:?}"
            );
        }
    }
}

#[test]
fn the_name_of_a_type_is_a_noun() {
    for folder in CRATES {
        for (name, files) in types(folder) {
            assert!(
                !FORBIDDEN.contains(&&*name),
                "the type {name} in {files:?} must have a noun as its name"
            );
        }
    }
}
