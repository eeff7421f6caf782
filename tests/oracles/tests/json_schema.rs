//! Tests the JSON Schema of the schema language with a third-party validator.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

use jsonschema::Validator;
use nouns_codegen::{json_schema, read_yaml};
use nouns_oracles::{declarations, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The codes of mistakes in the form of a declaration: keys, words, ranges, names. A JSON Schema
/// can detect them.
const OF_SHAPE: &[&str] = &[
    "N010", "N012", "N013", "N014", "N015", "N016", "N017", "N019", "N020", "N021", "N022", "N030",
    "N034", "N035", "N041",
];

/// The names of tests whose mistakes in form the JSON Schema does not detect, each with the reason.
const PASSED: &[(&str, &str)] = &[
    ("a_cookie_for_all_sites_that_is_not_secure", "it depends on another key"),
    ("tokens_of_another_issuer_without_tokens", "it depends on another key"),
    (
        "a_default_table_of_sqlite",
        "the table follows from the name of the resource, unless the key `table` says another",
    ),
    ("a_duration_that_is_too_long", "a pattern cannot compare numbers"),
    ("a_field_of_accounts_for_the_present_password", "it depends on another key"),
    ("a_field_twice_in_sort", "`name` and `-name` are different texts"),
    ("a_host_cookie_in_lower_case", "it depends on other keys"),
    ("a_host_cookie_that_is_not_secure", "it depends on other keys"),
    ("a_plural_is_too_long", "the plural of a name is not in the file"),
    ("a_secure_cookie_that_is_not_secure", "it depends on another key"),
    ("a_session_that_outlives_its_cookie", "a pattern cannot compare numbers"),
    ("a_session_without_time", "a pattern cannot compare numbers"),
    ("an_idle_time_longer_than_the_session", "a pattern cannot compare numbers"),
    ("an_idle_time_of_a_minute", "a pattern cannot compare numbers"),
    ("sessions_in_files_beside_a_database_server", "it depends on another key"),
    ("sessions_without_their_scheme", "it depends on another key"),
];

fn validator() -> Validator {
    jsonschema::validator_for(&json_schema::schema()).unwrap()
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn the_json_schema_is_one() {
    jsonschema::meta::validate(&json_schema::schema()).unwrap();
}

#[test]
fn each_good_declaration_is_valid() {
    let validator = validator();
    let folders =
        ["schemas", "src/cli/new", "codegen/tests/ok", "codegen/tests/golden", "tests/support"];
    let files: Vec<_> = folders.iter().flat_map(|folder| declarations(folder).unwrap()).collect();
    assert!(files.len() > 20);
    for path in files {
        let value = json(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|| {
            panic!("{} must be YAML that can be written as JSON", path.display())
        });
        let mistakes: Vec<_> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(
            mistakes.is_empty(),
            "the JSON Schema must accept {}: {mistakes:#?}",
            path.display()
        );
    }
}

#[test]
fn each_mistake_of_shape_is_invalid() {
    let (validator, mut accepted) = (validator(), BTreeSet::new());
    let mut refused = 0;
    for path in declarations("codegen/tests/err").unwrap() {
        let text = fs::read_to_string(&path).unwrap();
        let mistakes = read_yaml("mistake.yaml", &text).unwrap_err();
        let of_shape = mistakes.iter().any(|mistake| OF_SHAPE.contains(&mistake.problem.code()));
        let Some(value) = json(&text).filter(|_| of_shape) else { continue };
        if validator.is_valid(&value) {
            accepted.insert(stem(&path).to_owned());
        } else {
            refused += 1;
        }
    }
    let expected: BTreeSet<_> = PASSED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        accepted, expected,
        "`PASSED` must list the mistakes that the JSON Schema accepts; it rejects {refused}"
    );
    assert!(refused > 80, "the JSON Schema rejects only {refused} mistakes");
}
