//! Converts JSON text to a [`Value`] of a declaration. Numbers keep their digits, and the members
//! of an object keep their order.

use crate::draft::{Entry, Node, Origin, Spanned, Value};
use proc_macro2::Span;
use serde_json::value::RawValue;

/// Parses JSON text. Every part of the value has the position `at` of the whole text. `None` if the
/// text is not valid JSON.
pub(super) fn read(text: &str, at: Span) -> Option<Value> {
    serde_json::from_str::<&RawValue>(text).ok()?;
    // The text is valid JSON, so the following code only has to find the end of each part.
    let mut rest = text;
    value(&mut rest, at)
}

fn value(rest: &mut &str, at: Span) -> Option<Value> {
    skip(rest);
    match rest.chars().next()? {
        '{' => map(rest, at),
        '[' => list(rest, at),
        '"' => string(rest).map(Value::Text),
        _ => word(rest),
    }
}

fn list(rest: &mut &str, at: Span) -> Option<Value> {
    let mut items = Vec::new();
    while !closes(rest, ']') {
        items.push(node(value(rest, at)?, at));
    }
    Some(Value::List(items))
}

fn map(rest: &mut &str, at: Span) -> Option<Value> {
    let mut entries = Vec::new();
    while !closes(rest, '}') {
        skip(rest);
        let key = Spanned { value: string(rest)?, at: Origin::Rust(at) };
        skip(rest);
        *rest = rest.strip_prefix(':')?;
        entries.push(Entry { key, rust: None, value: node(value(rest, at)?, at) });
    }
    Some(Value::Map(entries))
}

/// Skips the opening bracket or the comma before the next item. If no item follows, skips the
/// closing bracket `end` too, and returns true.
fn closes(rest: &mut &str, end: char) -> bool {
    skip(rest);
    if let Some(inner) = rest.strip_prefix(['{', '[', ',']) {
        *rest = inner;
        skip(rest);
    }
    match rest.strip_prefix(end) {
        Some(after) => {
            *rest = after;
            true
        }
        None => rest.is_empty(),
    }
}

fn string(rest: &mut &str) -> Option<String> {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, character)| {
        let ends = *character == '"' && !escaped;
        escaped = *character == '\\' && !escaped;
        ends
    });
    let (text, after) = rest.split_at(end?.0 + 1);
    *rest = after;
    serde_json::from_str(text).ok()
}

/// Reads a number, `true`, `false` or `null`.
fn word(rest: &mut &str) -> Option<Value> {
    let end = rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    Some(match word {
        "null" => Value::Null,
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        number => Value::Number(number.to_owned()),
    })
}

fn skip(rest: &mut &str) {
    *rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
}

fn node(value: Value, at: Span) -> Node {
    Spanned { value, at: Origin::Rust(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_order_are_kept() {
        for text in [
            r#"{"b":[1.50,-2e3,"a\"]}\\",{}],"a":{"":null}}"#,
            "[]",
            "[[],[[]],{}]",
            "true",
            "\"é\"",
            "99999999999999999999",
        ] {
            let value = read(text, Span::call_site()).unwrap();
            assert_eq!(value.to_json().as_deref(), Some(text));
        }
        let spaced = read(" { \"a\" : [ 1 , 2 ] } ", Span::call_site()).unwrap();
        assert_eq!(spaced.to_json().as_deref(), Some(r#"{"a":[1,2]}"#));
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in ["", "{", "[1,]", "{a:1}", "nil", "1 2"] {
            assert!(read(text, Span::call_site()).is_none(), "{text}");
        }
    }
}
