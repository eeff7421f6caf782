//! Tests that compare merge patches with the algorithm of RFC 7396, and with SQLite's `json_patch`.

use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Map, Value as Json};

use super::*;

/// The function `MergePatch` of RFC 7396 §2.
fn model(target: Json, patch: Json) -> Json {
    let Json::Object(patch) = patch else { return patch };
    let mut members = match target {
        Json::Object(members) => members,
        _ => Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(&name);
        } else {
            let before = members.remove(&name).unwrap_or(Json::Null);
            members.insert(name, model(before, value));
        }
    }
    Json::Object(members)
}

/// Random JSON values. Their objects have few different names, so patches often name existing
/// members.
fn json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        "[a-c\"\\\\{}:, é\u{1}]{0,4}".prop_map(Json::from),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        let members = proptest::collection::vec(("[a-d\"é]{0,2}", inner.clone()), 0..5);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Json::from),
            members.prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn it_is_the_function_of_the_rfc(target in json(), patch in json()) {
        let result = merged(&format!("{target:#}"), &format!("{patch:#}")).unwrap();
        prop_assert_eq!(serde_json::from_str::<Json>(&result).unwrap(), model(target, patch));
    }

    /// The output equals the output of SQLite's `json_patch` byte for byte, including the order of
    /// members.
    #[test]
    fn it_writes_what_json_patch_of_sqlite_writes(target in json(), patch in json()) {
        prop_assume!(!patch.is_null());
        let connection = Connection::open_in_memory().unwrap();
        let (target, patch) = (format!("{target:#}"), patch.to_string());
        let of_sqlite: String =
            connection.query_row("SELECT json_patch(?1, ?2)", [&target, &patch], |row| row.get(0)).unwrap();
        prop_assert_eq!(merged(&target, &patch).unwrap(), of_sqlite);
    }

    #[test]
    fn any_text_is_merged_or_refused(target in ".{0,40}", patch in "[{}\\[\\]:,\"\\\\a1é ]{0,40}") {
        let _ = (merged(&target, &patch), merged(&patch, &target));
    }
}

#[test]
fn digits_escapes_and_the_order_of_members_stay() {
    let target = r#"{ "z" : 12345678901234567890.10, "A":[ 1e400, "\u0000 } \"" ], "b":-0 }"#;
    let patch =
        r#"{"n":1.500,"\u0062":null,"\u0041":{"x":null,"y":{"q":null}},"m":[null, {"k":null}]}"#;
    let expected = r#"{"z":12345678901234567890.10,"A":{"y":{}},"n":1.500,"m":[null,{"k":null}]}"#;
    assert_eq!(merged(target, patch).unwrap(), expected);
}

#[test]
fn of_one_name_the_first_that_is_stored_and_the_last_of_the_patch_count() {
    let result = merged(r#"{"a":{"x":1},"b":2,"a":3}"#, r#"{"a":null,"a":{"y":2}}"#).unwrap();
    assert_eq!(result, r#"{"a":{"x":1,"y":2},"b":2}"#);
    let between = merged(r#"{"b":0,"a":0,"c":0}"#, r#"{"a":1,"b":2,"\u0061":3,"c":4}"#).unwrap();
    assert_eq!(between, r#"{"b":2,"a":3,"c":4}"#);
    let gone = merged(r#"{"a":1,"a":2,"\ud800":3}"#, r#"{"a":null,"\ud800":null}"#).unwrap();
    assert_eq!(gone, "{}");
}

#[test]
fn what_is_no_json_or_too_deep_is_refused() {
    for broken in ["", "{", "[1", r#"{"a"}"#, r#"{"a":}"#, r#"{1:2}"#, "\"a", "\"\\é", "]", ","] {
        assert_eq!(merged(broken, r#"{"a":1}"#), None, "{broken}");
        assert_eq!(merged("{}", broken), None, "{broken}");
    }
    let nested = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert!(merged("{}", &nested(limits::JSON_DEPTH_MAX)).is_some());
    assert_eq!(merged("{}", &nested(limits::JSON_DEPTH_MAX + 1)), None);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(
        merged(&deep, r#"{"a":1}"#).as_deref(),
        Some(r#"{"a":1}"#),
        "the nesting of the stored text is not limited, as it needs no recursion"
    );
}

/// A hash table first compares seven bits of the hashes. Hundreds of 100,000 stored names have the
/// same seven bits as the long name in the patch. The long name must not be compared with each of
/// them.
#[test]
fn a_long_name_is_not_read_again_for_each_that_is_stored() {
    let members: Vec<_> = (0..100_000).map(|at| format!("\"{at}\":1")).collect();
    let target = format!("{{{}}}", members.join(","));
    let time = |name: &str| {
        let patch = format!("{{\"{name}\":1}}");
        let once = || {
            let begun = std::time::Instant::now();
            assert!(merged(&target, &patch).unwrap().len() > target.len());
            begun.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap()
    };
    let (short, long) = (time("\\n"), time(&"\\n".repeat(100_000)));
    assert!(
        long < short * 4,
        "{short:?} for a name of one letter, {long:?} for a name of 100,000 letters"
    );
}
