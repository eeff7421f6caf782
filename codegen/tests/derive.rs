//! Tests that Rust and YAML declarations have the same meaning.

mod items;
mod keys;

use nouns_codegen::{read_rust, read_yaml};
use std::fs;
use std::path::Path;

#[test]
fn each_shipped_schema_has_its_twin_in_rust() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["zoo", "league"] {
        let yaml = fs::read_to_string(root.join(format!("../schemas/{name}.yaml"))).unwrap();
        let rust = fs::read_to_string(root.join(format!("tests/rust/{name}.rs"))).unwrap();
        let yaml = read_yaml(name, &yaml).unwrap();
        let rust = read_rust(name, &rust).unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert_eq!(rust.api, yaml.api);
        assert_eq!(rust.server, yaml.server);
        assert_eq!(rust.types, yaml.types);
        for (rust, yaml) in rust.resources.iter().zip(&yaml.resources) {
            assert_eq!(rust, yaml);
        }
        assert_eq!(rust, yaml);
    }
}
