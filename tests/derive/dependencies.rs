//! A crate that uses only the derives must compile neither a server nor a YAML parser.

use std::process::Command;

#[test]
fn the_derive_crate_pulls_nothing_that_serves_or_reads_yaml() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "nouns-derive", "--edges", "normal", "--prefix", "none"])
        .args(["--offline", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(
        crates.contains(&"nouns-codegen") && crates.contains(&"syn"),
        "`cargo tree` must list nouns-codegen and syn: {tree}"
    );
    let heavy = [
        "yaml_serde",
        "saphyr-parser",
        "hyper",
        "tokio",
        "rusqlite",
        "prettyplease",
        "nouns-runtime",
    ];
    for heavy in heavy {
        assert!(!crates.contains(&heavy), "the derive crate depends on {heavy}:\n{tree}");
    }
}
