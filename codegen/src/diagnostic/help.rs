//! Help texts that tell how to repair a mistake, in addition to its message.

use super::problem::{Owner, Problem, Suggestion, Words};
use super::{advice, shape};
use crate::schema::FieldKind;
use nouns_declaration::check::bounds;

/// The kinds of fields whose default may be `$now`, the time of the request.
const MOMENTS: [FieldKind; 3] = [FieldKind::Date, FieldKind::Time, FieldKind::DateTime];

/// The help text for a problem, if there is one.
pub(super) fn of(problem: &Problem) -> Option<String> {
    match problem {
        Problem::Syntax { message, cause } => {
            cause.or_else(|| advice::of_syntax(message)).map(str::to_owned)
        }
        Problem::KeyNotText { key, .. } if key == "null" => {
            Some("to allow null, leave out `required`".into())
        }
        Problem::WrongShape { what, expected, found } => {
            of_wrong_shape(what, expected, found).map(str::to_owned)
        }
        Problem::UnknownWord { key: "methods", word, .. } => {
            advice::of_method(word).map(str::to_owned)
        }
        Problem::UnknownKey { key, .. } if key.contains(' ') => {
            Some("text that contains `, ` between braces must be in quotes".into())
        }
        Problem::UnknownKey { known, nearest: Suggestion(None), .. } => {
            Some(format!("a key here is one of {known}"))
        }
        Problem::UnknownType { name, nearest: Suggestion(None) } => {
            let usual = || format!("a type is named under `types` or one of {}", built_in_types());
            Some(advice::of_type(name).unwrap_or_else(usual))
        }
        Problem::UnknownResource { nearest: Suggestion(None), .. } => {
            Some("declare it under `resources`, or write the name of a declared one".into())
        }
        Problem::UnknownField { name, nearest: Suggestion(None), .. } if name.contains(',') => {
            Some("each field is a separate item: `[name, -opened]`".into())
        }
        Problem::UnknownField { nearest: Suggestion(None), .. } => {
            Some("declare it under `fields`, or write the name of a declared one".into())
        }
        Problem::Verb { .. } | Problem::PluralName { .. } => {
            Some("if it is a singular noun after all, set `noun` to `true`".into())
        }
        Problem::Taken { what: "collection" | "table", .. } => {
            Some("the keys `collection` and `table` override these names".into())
        }
        Problem::WrongValue { key, value, expected }
            if key == "default"
                && advice::is_now(value)
                && MOMENTS.iter().any(|kind| *expected == bounds::expected(*kind)) =>
        {
            Some("the time of the request is `$now`".into())
        }
        Problem::WrongValue { value, .. } if value == "null" => {
            Some("omit the key to set nothing".into())
        }
        Problem::WrongValue { expected, .. }
            if *expected == bounds::expected(FieldKind::String) =>
        {
            Some("put it in quotes to make it text".into())
        }
        _ => None,
    }
}

fn built_in_types() -> Words {
    Words(FieldKind::WORDS.iter().map(|(word, _)| *word).collect())
}

/// The help text for a value of the wrong shape.
fn of_wrong_shape(what: &Owner, expected: &str, found: &str) -> Option<&'static str> {
    advice::of_shape(what, found).or(match (expected, found) {
        (shape::TEXT, shape::NUMBER | shape::BOOLEAN) => Some("put it in quotes to make it text"),
        (shape::LIST_OF_LISTS, _) => Some("each set is a separate list: `[[zoo_id, name]]`"),
        (shape::LIST, shape::TEXT) => Some("put it in brackets: `[…]`"),
        (shape::FLAG | shape::FLAG_OR_MAPPING, shape::TEXT) => {
            Some("write `true` or `false` without quotes; `yes`, `no`, `on` and `off` are text")
        }
        _ => None,
    })
}
