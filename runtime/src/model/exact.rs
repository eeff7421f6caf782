//! JSON whose numbers keep every digit and their spelling, as values of `serde_json`.
//!
//! `serde_json` turns numbers that are no integers of 64 bits into doubles. Here such a number is a
//! string: a mark, followed by the number. A string that begins with the mark gets a second one.
//! Names of members are unchanged.

mod decimal;

use std::borrow::Cow;

use serde_json::Value as Json;

/// The mark, with which a string that contains a number begins.
const MARK: char = '\0';

/// The beginning of a JSON string that begins with the mark. JSON has no other spelling of it.
const MARKED: &str = "\"\\u0000";

/// Parses a JSON text.
///
/// # Errors
/// The text is no JSON, is nested too deep, or has half a surrogate pair.
pub(crate) fn read(json: &str) -> serde_json::Result<Json> {
    serde_json::from_str(&rewritten(json, marked))
}

/// Writes a value from [`read`], or one that consists of parts of such values.
pub(crate) fn write(json: &Json) -> String {
    let text = json.to_string();
    match rewritten(&text, unmarked) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => text,
    }
}

/// Equality by RFC 6902 §4.6: numbers are compared as decimals, whatever their spelling.
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

/// The integer of 64 bits that a JSON number is, whatever its spelling.
pub(crate) fn integer(number: &str) -> Option<i64> {
    decimal::integer(number)
}

/// Whether every JSON reader can represent each number, at least approximately (RFC 8259 §6).
pub(crate) fn fits_doubles(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().all(fits_doubles),
        Json::Object(members) => members.values().all(fits_doubles),
        // Any number that is no string is an integer of 64 bits.
        Json::String(text) if is_number(text) => {
            text[MARK.len_utf8()..].parse().is_ok_and(f64::is_finite)
        }
        _ => true,
    }
}

/// The approximate bytes of a value, without those of its parts.
pub(crate) fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + if is_number(text) { 0 } else { 2 },
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
        Json::Array(_) | Json::Object(_) => 2,
    }
}

/// The spelling of a number.
fn number(value: &Json) -> Option<Cow<'_, str>> {
    match value {
        Json::Number(number) => Some(number.to_string().into()),
        Json::String(text) if is_number(text) => text.strip_prefix(MARK).map(Cow::from),
        _ => None,
    }
}

/// Whether a string contains a number: it has exactly one mark.
fn is_number(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|rest| !rest.starts_with(MARK))
}

/// Returns a value with marks, as three parts: a prefix, the value, and a suffix.
fn marked(token: &str) -> Option<[&str; 3]> {
    match token.strip_prefix('"') {
        Some(string) => token.starts_with(MARKED).then_some([MARKED, string, ""]),
        None if is_plain(token) => None,
        None => Some([MARKED, token, "\""]),
    }
}

/// Returns a value without its marks, in the same way.
fn unmarked(token: &str) -> Option<[&str; 3]> {
    let string = token.strip_prefix(MARKED)?;
    match string.strip_suffix('"').filter(|_| !string.starts_with(&MARKED[1..])) {
        Some(number) => Some([number, "", ""]),
        None => Some(["\"", string, ""]),
    }
}

/// Whether `serde_json` is known to preserve the spelling of a number. It also preserves that of
/// many for which this is false.
fn is_plain(number: &str) -> bool {
    number != "-0" && number.parse::<i64>().is_ok()
}

/// Rewrites the numbers of a JSON text, and its strings except names.
fn rewritten(json: &str, change: impl Fn(&str) -> Option<[&str; 3]>) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let (mut made, mut done, mut at) = (String::new(), 0, 0);
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
            made.push_str(&json[done..at]);
            made.extend(parts);
            done = end;
        }
        at = end;
    }
    if done == 0 {
        return json.into();
    }
    made.push_str(&json[done..]);
    made.into()
}

/// Whether the preceding string is the name of a member.
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
