//! Runs the bodies of the fuzz targets over their seeds, so that every toolchain compiles and tests
//! them.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

use std::{fs, path::Path};

#[expect(unreachable_pub, reason = "the module is a library of its own in the crate `fuzz`")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

/// Runs a fuzz target on each file of a folder: on the whole file, and on about 64 prefixes of it.
fn over_seeds(folder: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut seeds = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let seed = fs::read(&path).unwrap();
        let step = (seed.len() / 64).max(1);
        for end in (0..seed.len()).step_by(step).chain([seed.len()]) {
            run(&seed[..end]);
        }
        seeds += 1;
    }
    assert!(seeds > 0, "the folder of seeds is empty");
}

fn on_text(run: fn(&str), bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        run(text);
    }
}

#[test]
fn schemas_are_read_or_their_mistakes_shown() {
    for folder in ["fuzz/seeds/schema", "schemas", "codegen/tests/ok"] {
        over_seeds(folder, |bytes| on_text(targets::schema, bytes));
    }
}

#[test]
fn rust_is_read_or_its_mistakes_shown() {
    for folder in ["codegen/tests/rust", "codegen/tests/err_rust"] {
        over_seeds(folder, |bytes| on_text(targets::rust, bytes));
    }
}

#[test]
fn queries_mean_the_same_in_their_canonical_spelling() {
    over_seeds("fuzz/seeds/query", |bytes| on_text(targets::query, bytes));
}

#[test]
fn each_parameter_of_a_statement_has_one_origin() {
    over_seeds("fuzz/seeds/shape", targets::shape);
}

#[test]
fn bodies_are_accepted_or_refused() {
    over_seeds("fuzz/seeds/body", targets::body);
}

/// Conformance 22: any bytes sent as a patch are applied or refused, without a panic.
#[test]
fn patches_are_applied_or_refused() {
    over_seeds("fuzz/seeds/patch", targets::patch);
}

/// Conformance 69, 92, 95, 98, 103, 162, 215: a request with any bytes in its header fields gets a
/// response, without a panic.
#[test]
fn fields_are_read_or_passed_over() {
    over_seeds("fuzz/seeds/fields", targets::fields);
}

/// Conformance 121, 124, 133, 134: whatever a client sends as credentials, it is nobody's if there
/// are no accounts.
#[test]
fn credentials_without_an_account_are_nobodys() {
    over_seeds("fuzz/seeds/credentials", targets::credentials);
}

#[test]
fn paths_lead_to_the_same_place_again() {
    over_seeds("fuzz/seeds/path", |bytes| on_text(targets::path, bytes));
}

#[test]
fn forms_are_followed_or_shown_again() {
    over_seeds("fuzz/seeds/form", targets::form);
}
