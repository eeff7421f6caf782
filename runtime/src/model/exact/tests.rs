//! Tests that a JSON text has the same tokens after it is read and written, and that numbers are
//! compared by value.

use proptest::{collection::btree_map, prelude::*};
use serde_json::json;

use super::*;

/// Any JSON number, as text.
fn number() -> impl Strategy<Value = String> {
    let digits = prop_oneof![any::<i64>().prop_map(|n| n.to_string()), "-?(0|[1-9][0-9]{0,30})"];
    (digits, "(\\.[0-9]{1,20})?", "([eE][+-]?[0-9]{1,5})?")
        .prop_map(|(whole, rest, exponent)| whole + &rest + &exponent)
}

/// Any string. Many begin with U+0000, the character that marks a string as a number.
fn string() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "\u{0}{1,3}[0-9\\\\\":\u{0}]{0,4}"]
}

/// Any JSON text. Except for the numbers, it is spelled as `serde_json` spells it.
fn document() -> impl Strategy<Value = String> {
    let spelled = string().prop_map(|text| json!(text).to_string());
    let leaf = prop_oneof![Just("null".to_owned()), Just("true".to_owned()), number(), spelled];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let array = prop::collection::vec(inner.clone(), 0..6)
            .prop_map(|items| format!("[{}]", items.join(",")));
        let object = btree_map(string(), inner, 0..6).prop_map(|members| {
            let member = |(name, value): (String, String)| format!("{}:{value}", json!(name));
            format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
        });
        prop_oneof![array, object]
    })
}

fn read_again(json: &str) -> Json {
    read(json).unwrap()
}

proptest! {
    #[test]
    fn what_is_read_is_written_token_for_token(document in document()) {
        let read = read(&document).unwrap();
        prop_assert!(same(&read, &read));
        prop_assert_eq!(write(&read), document);
    }

    #[test]
    fn whatever_is_no_json_is_refused(text in "[\\[\\]{}:,\"\\\\u0e.+\\-1é ]{0,12}") {
        let parsed = serde_json::from_str::<Json>(&text);
        match read(&text) {
            Ok(json) => prop_assert!(same(&read_again(&write(&json)), &json)),
            Err(_) => prop_assert!(parsed.is_err(), "{}", text),
        }
    }
}

#[test]
fn only_numbers_beyond_doubles_do_not_fit_them() {
    let fits = |json: &str| fits_doubles(&read(json).unwrap());
    assert!(fits(r#"[1,1E308,1e-400,"\u00001E400",12345678901234567890123]"#));
    assert!(!fits("[1E309]") && !fits(r#"{"a":-1e400}"#));
}

#[test]
fn strings_and_names_keep_their_nuls() {
    let text = r#"{"\u00001":"\u00001","a" : ["\u0000\u00002",1.0,"1.0"],"\u0000" :1e5}"#;
    let document = read(text).unwrap();
    assert!(document.get("\u{0}1").is_some() && document.get("\u{0}").is_some(), "{document:?}");
    assert_eq!(
        write(&document),
        r#"{"\u0000":1e5,"\u00001":"\u00001","a":["\u0000\u00002",1.0,"1.0"]}"#
    );
}

#[test]
fn numbers_are_equal_by_their_value_and_nothing_else_is() {
    let same = |one: &str, other: &str| same(&read(one).unwrap(), &read(other).unwrap());
    for (one, other) in [
        ("1", "1.0"),
        ("10", "1e1"),
        ("-0", "0"),
        ("[0.10]", "[1E-1]"),
        ("1E400", "10e399"),
        (r#"{"a":1.50}"#, r#"{"a":1.5}"#),
    ] {
        assert!(same(one, other) && same(other, one), "{one} {other}");
    }
    for (one, other) in [
        ("12345678901234567890123", "12345678901234567890124"),
        ("9007199254740993", "9007199254740992.0"),
        ("0.1", "0.10000000000000000001"),
        ("1E400", "1E401"),
        ("1.5", r#""1.5""#),
        ("1.5", r#""\u00001.5""#),
        ("1", "true"),
        ("[1]", "[1,1]"),
    ] {
        assert!(!same(one, other) && !same(other, one), "{one} {other}");
    }
}
