//! JSON whose numbers keep every digit and their spelling, in trees of `serde_json`.
//!
//! `serde_json` makes doubles of what is no integer of 64 bits. Here such a number is carried as a
//! string of a mark and the number, and a string that begins with the mark has one mark more. Names
//! of members are left as they are.

mod decimal;

use std::borrow::Cow;

use serde_json::Value as Json;

/// What a string begins with that stands for a number.
const MARK: char = '\0';

/// A string of JSON that begins with the mark. JSON has no other spelling of it.
const MARKED: &str = "\"\\u0000";

/// Reads a JSON text.
///
/// # Errors
/// Where it is none, is nested too deep, or has half a surrogate pair.
pub(crate) fn read(json: &str) -> serde_json::Result<Json> {
    serde_json::from_str(&rewritten(json, marked))
}

/// Writes what [`read`] has read, or what consists of parts of that.
pub(crate) fn write(json: &Json) -> String {
    let text = json.to_string();
    match rewritten(&text, unmarked) {
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => text,
    }
}

/// Equality as RFC 6902 §4.6 has it: numbers are compared as decimals, however they are written.
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

/// The whole number of 64 bits that a number of JSON is, however it is written.
pub(crate) fn integer(number: &str) -> Option<i64> {
    decimal::integer(number)
}

/// Whether each number is one that every reader of JSON can have, if not exactly (RFC 8259 §6).
pub(crate) fn fits_doubles(value: &Json) -> bool {
    match value {
        Json::Array(items) => items.iter().all(fits_doubles),
        Json::Object(members) => members.values().all(fits_doubles),
        // What is no string is an integer of 64 bits.
        Json::String(text) if is_number(text) => {
            text[MARK.len_utf8()..].parse().is_ok_and(f64::is_finite)
        }
        _ => true,
    }
}

/// About how many bytes a value takes, without those of what is in it.
pub(crate) fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + if is_number(text) { 0 } else { 2 },
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
        Json::Array(_) | Json::Object(_) => 2,
    }
}

/// A number as it is written.
fn number(value: &Json) -> Option<Cow<'_, str>> {
    match value {
        Json::Number(number) => Some(number.to_string().into()),
        Json::String(text) if is_number(text) => text.strip_prefix(MARK).map(Cow::from),
        _ => None,
    }
}

/// Whether a string stands for a number: it has one mark, and not two.
fn is_number(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|rest| !rest.starts_with(MARK))
}

/// Puts marks into a value: before it stands what is given first, after it what is given last.
fn marked(token: &str) -> Option<[&str; 3]> {
    match token.strip_prefix('"') {
        Some(string) => token.starts_with(MARKED).then_some([MARKED, string, ""]),
        None if is_plain(token) => None,
        None => Some([MARKED, token, "\""]),
    }
}

/// Takes them out again.
fn unmarked(token: &str) -> Option<[&str; 3]> {
    let string = token.strip_prefix(MARKED)?;
    match string.strip_suffix('"').filter(|_| !string.starts_with(&MARKED[1..])) {
        Some(number) => Some([number, "", ""]),
        None => Some(["\"", string, ""]),
    }
}

/// Whether `serde_json` writes a number as it is written here; of many others it does too.
fn is_plain(number: &str) -> bool {
    number != "-0" && number.parse::<i64>().is_ok()
}

/// A JSON text with other values in place of numbers and of strings that are no names.
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

/// Whether what ended before this is the name of a member.
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
