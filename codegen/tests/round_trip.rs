//! Property tests: a schema that is generated as Rust and parsed again equals the original.

mod declaration;
mod genes;
mod values;

use genes::Genes;
use nouns_codegen::{Schema, Style, check, declare, read_rust};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// The number of tested declarations, unless `PROPTEST_CASES` sets another number.
const CASES: u32 = 256;

fn schema(genes: &[u16]) -> Option<Schema> {
    check(declaration::draft(&mut Genes::of(genes))).ok()
}

fn assert_the_same(schema: &Schema) -> Result<(), TestCaseError> {
    let rust = declare::rust(schema);
    match read_rust("declared.rs", &rust) {
        Ok(again) => prop_assert!(again == *schema, "{}\n{rust}", difference(&again, schema)),
        Err(mistakes) => prop_assert!(false, "{}\n{}", mistakes.render(Style::Plain), rust),
    }
    prop_assert_eq!(declare::rust(schema), rust);
    Ok(())
}

/// The first three lines in which two schemas differ.
fn difference(again: &Schema, schema: &Schema) -> String {
    let (again, schema) = (format!("{again:#?}"), format!("{schema:#?}"));
    let differ = again.lines().zip(schema.lines()).filter(|(again, schema)| again != schema);
    differ.take(3).map(|(again, schema)| format!("{again}\nand not\n{schema}\n")).collect()
}

fn config() -> ProptestConfig {
    let count = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = count.unwrap_or(CASES);
    ProptestConfig {
        cases,
        max_global_rejects: cases * 4,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_schema_is_the_same_after_it_was_rust(genes in prop::collection::vec(any::<u16>(), 0..500)) {
        let schema = schema(&genes);
        prop_assume!(schema.is_some());
        assert_the_same(&schema.unwrap())?;
    }

    /// Every generated declaration of accounts is valid.
    #[test]
    fn accounts_and_sessions_are_the_same_after_they_were_rust(
        genes in prop::collection::vec(any::<u16>(), 0..60)
    ) {
        match check(declaration::accounts(&mut Genes::of(&genes))) {
            Ok(schema) => assert_the_same(&schema)?,
            Err(mistakes) => prop_assert!(false, "{}", mistakes.render(Style::Plain)),
        }
    }
}

#[test]
fn every_key_of_accounts_and_sessions_is_among_the_generated_declarations() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u16>(), 60);
    let mut text = String::new();
    for _ in 0..100 {
        let genes = strategy.new_tree(&mut runner).unwrap().current();
        let draft = declaration::accounts(&mut Genes::of(&genes));
        text += &declare::rust(&check(draft).unwrap());
    }
    use nouns_codegen::language::{AUTH, SESSION};
    // `Auth::of` says the accounts, and `scheme` adds one of the schemes.
    let calls = AUTH.names().chain(SESSION.names()).filter(|key| *key != "accounts");
    for key in calls.map(|key| if key == "schemes" { "scheme" } else { key }) {
        assert!(text.contains(&format!(".{key}(")), "no declaration has the key `{key}`");
    }
}

#[test]
fn most_generated_declarations_are_good_and_every_key_is_among_them() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = prop::collection::vec(any::<u16>(), 0..500);
    let (mut good, mut text) = (0, String::new());
    for _ in 0..400 {
        let genes = strategy.new_tree(&mut runner).unwrap().current();
        if let Some(schema) = schema(&genes) {
            good += 1;
            text += &declare::rust(&schema);
        }
    }
    assert!(good > 200, "{good} of 400 generated declarations are valid, not more than 200");
    use nouns_codegen::language::{ACCESS, CACHE, DEPRECATED, FIELD, ID, PARENT, RESOURCE, RULE};
    let keys = [&FIELD, &RESOURCE, &ID, &PARENT, &CACHE, &DEPRECATED, &ACCESS, &RULE];
    let keys = keys.iter().flat_map(|level| level.names());
    let said_by_rust = ["type", "required", "fields"];
    for key in keys.filter(|key| !said_by_rust.contains(key)) {
        assert!(text.contains(key), "no declaration has the key `{key}`");
    }
}
