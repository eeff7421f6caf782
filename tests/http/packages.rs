//! Tests of what is published: the metadata of each crate, the files in its package, its features,
//! and the oldest Rust that it promises.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::Value;

use crate::tidy::root;

/// The crates that are published, in the order of their dependencies.
const PUBLISHED: [&str; 5] =
    ["nouns-declaration", "nouns-codegen", "nouns-derive", "nouns-runtime", "nouns"];

/// Files that every package has.
const NEEDED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Names of files and folders that no package has.
const UNWANTED: [&str; 9] =
    [".ci", ".cargo", "benches", "examples", "fuzz", "plots", "snapshots", "tests", "tests.rs"];

fn cargo(arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(arguments).arg("--offline").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the members of the workspace, as cargo describes them.
fn members() -> Vec<Value> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn published() -> Vec<Value> {
    let is_published = |member: &Value| PUBLISHED.contains(&member["name"].as_str().unwrap());
    members().into_iter().filter(is_published).collect()
}

/// Returns the files in the package of a crate.
fn files(name: &str) -> BTreeSet<String> {
    let list = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn a_crate_says_what_it_is_or_is_not_published() {
    for member in members() {
        let name = member["name"].as_str().unwrap();
        if !PUBLISHED.contains(&name) {
            assert_eq!(member["publish"], Value::Array(vec![]), "{name} needs `publish = false`");
            continue;
        }
        for key in ["description", "documentation", "license", "readme", "repository"] {
            assert!(member[key].is_string(), "{name} needs the key `{key}`");
        }
        for key in ["keywords", "categories"] {
            let count = member[key].as_array().unwrap().len();
            assert!((1..=5).contains(&count), "{name} needs 1 to 5 {key}");
        }
        assert_eq!(member["publish"], Value::Null, "{name}");
    }
}

#[test]
fn a_package_has_its_licences_and_no_tests() {
    for name in PUBLISHED {
        let files = files(name);
        for needed in NEEDED {
            assert!(files.contains(needed), "the package of {name} needs {needed}");
        }
        for file in &files {
            let unwanted = file.split('/').any(|part| UNWANTED.contains(&part));
            assert!(!unwanted, "the package of {name} has {file}");
        }
    }
}

#[test]
fn the_licences_of_a_crate_are_those_of_the_project() {
    for name in ["declaration", "codegen", "resource-derive", "runtime"] {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(page(&format!("{name}/{licence}")), page(licence), "{name}");
        }
    }
}

/// A file that the code includes is in the package, so the package builds alone.
#[test]
fn a_package_has_the_files_that_its_code_names() {
    let mut count = 0;
    for member in published() {
        let name = member["name"].as_str().unwrap();
        let manifest = std::path::Path::new(member["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap();
        let files = files(name);
        for source in files.iter().filter(|file| file.ends_with(".rs")) {
            let text = fs::read_to_string(folder.join(source)).unwrap();
            for named in text.split("include_str!(\"").skip(1) {
                let named = named.split('"').next().unwrap();
                let mut parts: Vec<_> = source.split('/').collect();
                parts.pop();
                for part in named.split('/') {
                    if part == ".." {
                        parts.pop();
                    } else {
                        parts.push(part);
                    }
                }
                let path = parts.join("/");
                assert!(files.contains(&path), "{name}: {source} includes {path}");
                count += 1;
            }
        }
    }
    assert!(count > 8, "only {count} files are included: is the spelling right?");
}

#[test]
fn every_feature_is_documented_and_checked() {
    let members = published();
    let nouns = members.iter().find(|member| member["name"] == "nouns").unwrap();
    let (crate_page, guide, checks) =
        (page("src/lib.rs"), page("docs/rust.md"), page(".ci/nightly"));
    let checked = checks.lines().find(|line| line.starts_with("for features in ")).unwrap();
    for feature in nouns["features"].as_object().unwrap().keys() {
        if feature == "default" {
            continue;
        }
        let row = format!("| `{feature}`");
        assert!(crate_page.contains(&format!("//! {row}")), "src/lib.rs has no row of `{feature}`");
        assert!(guide.contains(&row), "docs/rust.md has no row of `{feature}`");
        let alone = checked.split_whitespace().any(|word| word.trim_matches(';') == feature);
        assert!(feature == "cli" || alone, ".ci/nightly does not check `{feature}` alone");
    }
}

/// Clippy (`incompatible_msrv`) tells if the code needs a later Rust than `rust-version`.
#[test]
fn the_oldest_rust_is_the_same_everywhere() {
    let members = members();
    let oldest = members[0]["rust_version"].as_str().unwrap().to_owned();
    for member in &members {
        assert_eq!(member["rust_version"], *oldest, "{}", member["name"]);
    }
    let readme = page("README.md");
    for sentence in
        [format!("(https://rustup.rs) {oldest} or later"), format!("| {oldest} or later")]
    {
        assert!(readme.contains(&sentence), "README.md does not say `{sentence}`");
    }
    let number = |version: &str| -> Vec<u32> {
        version.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
    };
    let output = Command::new("rustc").arg("--version").output().unwrap();
    let installed = String::from_utf8(output.stdout).unwrap();
    let installed = installed.split_whitespace().nth(1).unwrap();
    assert!(number(installed) >= number(&oldest), "rustc {installed} is older than {oldest}");
}
