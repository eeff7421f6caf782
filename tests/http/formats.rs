//! Tests that the checker of declarations and the checker of bodies accept the same values. They
//! share the function for formats of strings, and no code for all other types.

use nouns::{
    __runtime::{Model, def::FieldKind, model::ResourceModel, value::Value},
    codegen::read_yaml,
    interpret::api_def,
};
use proptest::{prelude::*, test_runner::TestRunner};

const FORMATS: [&str; 6] = ["email", "uri", "hostname", "slug", "ipv4", "ipv6"];
const KINDS: [&str; 7] = ["integer", "number", "boolean", "date", "time", "datetime", "uuid"];

/// Returns a declaration of a resource with one field of this type, and optionally a default.
fn declaration(kind: &str, default: &str) -> String {
    format!("nouns: 1\nresources: {{ thing: {{ fields: {{ f: {{ {kind}{default} }} }} }} }}")
}

/// Whether the checker of declarations accepts this text as a default.
fn declared(kind: &str, text: &str) -> bool {
    let quoted = serde_json::Value::from(text).to_string();
    read_yaml("formats.yaml", &declaration(kind, &format!(", default: {quoted}"))).is_ok()
}

/// A model for each type.
fn models<'k>(kinds: impl IntoIterator<Item = &'k str>, key: &str) -> Vec<(String, Model)> {
    let kinds = kinds.into_iter().map(|kind| format!("{key}{kind}"));
    let linked = kinds.map(|kind| {
        let schema = read_yaml("formats.yaml", &declaration(&kind, "")).unwrap();
        (kind, Model::link(api_def(&schema)).unwrap())
    });
    linked.collect()
}

/// Tests that both checkers judge texts alike: 256 texts (or `PROPTEST_CASES`), `times` as many.
fn judge_alike(models: &[(String, Model)], times: u32) {
    // In a declaration, a default that begins with `$` is a keyword.
    let texts = texts().prop_filter("a keyword", |text| !text.starts_with('$'));
    let source_file = Some(file!());
    let base = ProptestConfig::default();
    let config = ProptestConfig { source_file, cases: times * base.cases, ..base };
    let judged = TestRunner::new(config).run(&texts, |text| {
        for (kind, model) in models {
            let accepted = accepted(&model.resources()[0], &text);
            prop_assert_eq!(declared(kind, &text), accepted, "{} {:?}", kind, text);
        }
        Ok(())
    });
    judged.unwrap();
}

/// Whether the checker of bodies accepts this text as a value.
fn accepted(resource: &ResourceModel, text: &str) -> bool {
    let field = &resource[resource.field("f").unwrap()];
    Value::parse(field.kind, text)
        .is_ok_and(|value| field.constraints.check(field.kind, false, &value).is_empty())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9.@:/_-]{0,24}",
        "[a-z0-9!#$%&'*+=?^`{|}~.-]{1,10}@[a-z0-9-]{0,8}(\\.[a-z0-9-]{0,8}){0,3}",
        "[a-z][a-z0-9+.-]{0,5}:[!-~]{0,20}",
        "[0-9]{1,3}(\\.[0-9]{1,3}){2,4}",
        "[0-9a-f:.]{0,24}",
        "[0-9]{3,5}-[0-9]{1,2}-[0-9]{1,2}",
        "(0000|9999|20[0-9]{2})-(01|02|12)-(01|28|29|31)[Tt ][0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{0,13})?([Zz]|[+-][0-2][0-9]:[0-6][0-9])?",
        "[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{0,8})?",
        "[0-9a-fA-F]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "\\PC{0,12}",
    ]
}

#[test]
fn a_text_has_a_format_for_both_or_for_none() {
    judge_alike(&models(FORMATS, "type: string, format: "), 1);
}

#[test]
fn a_date_or_time_is_one_for_both_or_for_none() {
    judge_alike(&models(KINDS.into_iter().skip(3), "type: "), 2);
}

#[test]
fn numbers_and_booleans_are_not_texts_in_a_declaration() {
    for (kind, parsed) in
        KINDS.into_iter().zip([FieldKind::Integer, FieldKind::Number, FieldKind::Boolean])
    {
        let text = if kind == "boolean" { "true" } else { "5" };
        assert!(!declared(&format!("type: {kind}"), text), "{kind}");
        assert!(Value::parse(parsed, text).is_ok(), "a query must accept this text");
    }
}
