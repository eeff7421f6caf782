//! More about the repair of a mistake, where its sentence has no room for it.

use super::advice;
use super::problem::{Nearest, Problem, Words};
use crate::schema::FieldKind;

/// The help for a problem.
pub(super) fn of(problem: &Problem) -> Option<String> {
    match problem {
        Problem::Syntax { message, cause } => {
            cause.or_else(|| advice::of_syntax(message)).map(str::to_owned)
        }
        Problem::KeyNotText { key, .. } if key == "null" => {
            Some("to allow null, leave out `required`".into())
        }
        Problem::WrongShape { what, found, .. } if advice::of_shape(what, found).is_some() => {
            advice::of_shape(what, found).map(str::to_owned)
        }
        Problem::UnknownWord { key: "methods", word, .. } => {
            advice::of_method(word).map(str::to_owned)
        }
        Problem::WrongShape { expected: "text", found: "a number" | "a boolean", .. } => {
            Some("put it in quotes to make it text".into())
        }
        Problem::WrongShape { expected: "a list of lists", .. } => {
            Some("each set is a list of its own: `[[zoo_id, name]]`".into())
        }
        Problem::WrongShape { expected: "a list", found: "text", .. } => {
            Some("put it in brackets: `[…]`".into())
        }
        Problem::WrongShape {
            expected: "`true` or `false`" | "`true`, `false` or a mapping",
            found: "text",
            ..
        } => Some("without quotes; `yes`, `no`, `on` and `off` are text".into()),
        Problem::UnknownKey { key, .. } if key.contains(' ') => {
            Some("text that contains `, ` between braces must be in quotes".into())
        }
        Problem::UnknownKey { known, nearest: Nearest(None), .. } => {
            Some(format!("a key here is one of {known}"))
        }
        Problem::UnknownType { name, nearest: Nearest(None) } => {
            let usual = || format!("a type is named under `types` or one of {}", built_in_types());
            Some(advice::of_type(name).unwrap_or_else(usual))
        }
        Problem::UnknownResource { nearest: Nearest(None), .. } => {
            Some("declare it under `resources`, or write the name of one that is".into())
        }
        Problem::UnknownField { name, nearest: Nearest(None), .. } if name.contains(',') => {
            Some("each field is an item of its own: `[name, -opened]`".into())
        }
        Problem::UnknownField { nearest: Nearest(None), .. } => {
            Some("declare it under `fields`, or write the name of one that is".into())
        }
        Problem::Verb { .. } | Problem::PluralName { .. } => {
            Some("if it is a singular noun after all, set `noun` to `true`".into())
        }
        Problem::Taken { what: "collection" | "table", .. } => {
            Some("the keys `collection` and `table` say them by hand".into())
        }
        Problem::WrongValue { key, value, expected }
            if key == "default"
                && advice::is_now(value)
                && ["a date", "a time"].iter().any(|kind| expected.starts_with(kind)) =>
        {
            Some("the time of the request is `$now`".into())
        }
        Problem::WrongValue { value, .. } if value == "null" => {
            Some("leave the key out to say nothing".into())
        }
        Problem::WrongValue { expected, .. } if expected == "text" => {
            Some("put it in quotes to make it text".into())
        }
        _ => None,
    }
}

fn built_in_types() -> Words {
    Words(FieldKind::WORDS.iter().map(|(word, _)| *word).collect())
}
