//! JSON values in `serde_json` whose numbers keep all their digits and their spelling.
//!
//! `serde_json` converts numbers that are not 64-bit integers to doubles. This module represents
//! such a number as a string: a mark character, and then the text of the number. Strings that begin
//! with the mark get a second mark. Member names are unchanged.

mod decimal;

use std::borrow::Cow;

use serde_json::Value as Json;

/// The first character of a string that represents a number.
const MARK: char = '\0';

/// The start of the JSON text of a string whose first character is [`MARK`].
const MARKED: &str = "\"\\u0000";

/// Parses a JSON text. A number whose spelling `serde_json` might change becomes a string that
/// begins with [`MARK`].
///
/// # Errors
/// The text is not valid JSON, is nested too deep, or has half of a surrogate pair.
pub(crate) fn read(json: &str) -> serde_json::Result<Json> {
    serde_json::from_str(&rewritten(json, marked))
}

/// Converts a value from [`read`], or a value composed of parts of such values, to JSON text.
/// Numbers are spelled as in the text that was read.
pub(crate) fn write(json: &Json) -> String {
    let text = json.to_string();
    match rewritten(&text, unmarked) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => text,
    }
}

/// Whether two values are equal by RFC 6902 §4.6. Numbers are compared as decimals, so `1.0` equals
/// `1`.
pub(crate) fn same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            let in_other =
                |(name, value): (&String, &Json)| other.get(name).is_some_and(|o| same(value, o));
            one.len() == other.len() && one.iter().all(in_other)
        }
        (one, other) if one == other => true,
        (one, other) => match (number(one), number(other)) {
            (Some(one), Some(other)) => decimal::equal(&one, &other),
            _ => false,
        },
    }
}

/// The value of a JSON number as a 64-bit integer; `None` if the number is not such an integer.
/// `5.0` is the integer 5.
pub(crate) fn integer(number: &str) -> Option<i64> {
    decimal::integer(number)
}

/// Whether each number in a value is in the range of a double, which every JSON parser supports
/// (RFC 8259 §6).
pub(crate) fn fits_doubles(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().all(fits_doubles),
        Json::Object(members) => members.values().all(fits_doubles),
        // A `Json::Number` is a 64-bit integer, which fits. All further numbers are marked strings.
        Json::String(text) if is_number(text) => {
            text[MARK.len_utf8()..].parse().is_ok_and(f64::is_finite)
        }
        _ => true,
    }
}

/// The approximate size of a value in bytes, without its array elements or object members.
pub(crate) fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + if is_number(text) { 0 } else { 2 },
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
        Json::Array(_) | Json::Object(_) => 2,
    }
}

/// The text of a number; `None` for any value that is not a number.
fn number(value: &Json) -> Option<Cow<'_, str>> {
    match value {
        Json::Number(number) => Some(number.to_string().into()),
        Json::String(text) if is_number(text) => text.strip_prefix(MARK).map(Cow::from),
        _ => None,
    }
}

/// Whether a string represents a number, because it begins with exactly one [`MARK`].
fn is_number(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|rest| !rest.starts_with(MARK))
}

/// Adds [`MARK`] to the JSON text of a number or string, and returns the result in three parts.
/// `None` if the number or string needs no mark.
fn marked(token: &str) -> Option<[&str; 3]> {
    match token.strip_prefix('"') {
        Some(string) => token.starts_with(MARKED).then_some([MARKED, string, ""]),
        None if is_plain(token) => None,
        None => Some([MARKED, token, "\""]),
    }
}

/// Removes [`MARK`] from the JSON text of a number or string, and returns the result in three
/// parts. `None` if there is no mark.
fn unmarked(token: &str) -> Option<[&str; 3]> {
    let string = token.strip_prefix(MARKED)?;
    match string.strip_suffix('"').filter(|_| !string.starts_with(&MARKED[1..])) {
        Some(number) => Some([number, "", ""]),
        None => Some(["\"", string, ""]),
    }
}

/// Whether `serde_json` certainly preserves the spelling of a number. This is true for 64-bit
/// integers except `-0`.
fn is_plain(number: &str) -> bool {
    number != "-0" && number.parse::<i64>().is_ok()
}

/// Replaces numbers and strings in a JSON text by the result of `change`. The names of object
/// members are unchanged.
fn rewritten(json: &str, change: impl Fn(&str) -> Option<[&str; 3]>) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut output, mut done, mut at) = (String::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        let end = match byte {
            b'"' => end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => end_of_number(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        if let Some(parts) = change(&json[at..end])
            && !is_name(&bytes[end..])
        {
            output.push_str(&json[done..at]);
            output.extend(parts);
            done = end;
        }
        at = end;
    }
    if done == 0 {
        return json.into();
    }
    output.push_str(&json[done..]);
    output.into()
}

/// Whether a string is the name of an object member, because a colon follows it. `after` is the
/// text after the string.
fn is_name(after: &[u8]) -> bool {
    after.trim_ascii_start().first() == Some(&b':')
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    bytes[start..]
        .iter()
        .position(|byte| !of_number(byte))
        .map_or(bytes.len(), |length| start + length)
}

#[cfg(test)]
mod tests;
