//! The conversion of a form's inputs to the JSON object that a program would send. All checks are
//! those of JSON.
//!
//! An input whose name begins with [`BEFORE`] has the value that another input had when the page
//! was made. An input that still has it is left out of a PATCH, which changes only what its user
//! has changed.

use std::{borrow::Cow, collections::HashMap};

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::Number;

use super::parameter::decode;
use crate::{
    base::error::{Error, Fault, Kind, text},
    model::{Default, FieldModel, ResourceModel, def::FieldKind, value::Value},
};

/// The start of the name of an input that has the value before the change. No field has this
/// character in its name.
pub(crate) const BEFORE: &str = "before:";

/// The inputs of a form, in order.
pub(crate) type Inputs = Vec<(String, String)>;

/// The purpose of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormPurpose {
    /// A new member.
    Create,
    /// Some values of a member.
    Update,
    /// All values of a member.
    Replace,
}

/// Parses the inputs of a form.
///
/// # Errors
/// 400 for a body that is not percent-encoded UTF-8.
pub(crate) fn inputs(content: &[u8]) -> Result<Inputs, Error> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Some((decode(name)?.into_owned(), decode(value)?.into_owned()))
    };
    let content = str::from_utf8(content).ok();
    content
        .and_then(|text| text.split('&').filter(|part| !part.is_empty()).map(pair).collect())
        .ok_or_else(|| {
            Error::new(Kind::MALFORMED_BODY, text!("The body must be percent-encoded text."))
        })
}

/// Converts the inputs of a form to a JSON object.
pub(super) fn json(
    resource: &ResourceModel,
    content: &[u8],
    purpose: FormPurpose,
) -> Result<Bytes, Error> {
    let is_new = purpose == FormPurpose::Create;
    let inputs = inputs(content)?;
    let before: HashMap<&str, &str> = inputs
        .iter()
        .filter_map(|(name, value)| Some((name.strip_prefix(BEFORE)?, &**value)))
        .collect();
    let is_current_password = |name: &str| resource.current_password.as_deref() == Some(name);
    let mut object = String::with_capacity(content.len() + 2);
    let mut faults = vec![];
    for (name, value) in inputs.iter().filter(|(name, _)| !name.starts_with(BEFORE)) {
        let field = resource.field(name).map(|ix| &resource[ix]);
        let spelled = |value: &str| match field {
            Some(field) => spelled(field, &unix_lines(value), is_new),
            // The input for the present password may be left empty.
            None if value.is_empty() && is_current_password(name) => None,
            None => Some(quoted(value)),
        };
        let Some(member) = spelled(value) else { continue };
        let is_before = |before: &&str| spelled(before).as_ref() == Some(&member);
        if purpose != FormPurpose::Replace && before.get(&**name).is_some_and(is_before) {
            continue;
        }
        if let Some(field) = field.filter(|field| field.kind == FieldKind::Json)
            && serde_json::from_str::<IgnoredAny>(&member).is_err()
        {
            let detail = text!("must be JSON: a text is in double quotes.");
            faults.push(Fault::body(format!("/{}", field.name), "type", detail));
        }
        object.push(if object.is_empty() { '{' } else { ',' });
        object.extend([&quoted(name), ":", &member]);
    }
    if !faults.is_empty() {
        return Err(Error::from_faults(Kind::INVALID_CONTENT, faults));
    }
    object.push_str(if object.is_empty() { "{}" } else { "}" });
    Ok(object.into())
}

/// Returns the spelling, in a form, of the empty string of a field that has it among its choices.
/// An empty input is null there, so it is quotes, which are no other choice.
pub(crate) fn empty_choice(field: &FieldModel) -> Option<String> {
    let choices = field.constraints.choices().filter(|_| field.kind == FieldKind::String)?;
    let has = |text: &str| choices.iter().any(|one| matches!(one, Value::Text(own) if own == text));
    let mut quotes = (1..=choices.len()).map(|pairs| "\"\"".repeat(pairs));
    if has("") { quotes.find(|quotes| !has(quotes)) } else { None }
}

/// Returns the value of an input in JSON; `None` for an input that says nothing. An empty input is
/// null, unless the field must have a text.
fn spelled(field: &FieldModel, value: &str, is_new: bool) -> Option<String> {
    let is_text = field.kind == FieldKind::String;
    if value.is_empty() {
        return match field.kind {
            FieldKind::Password => None,
            // The form does not have the value of a field that its user cannot read.
            _ if !is_new && !field.visible() => None,
            // A new member without a value that it must have is refused. A default that depends on
            // the request cannot be in the form.
            _ if is_new && (field.required || is_momentary(field)) => None,
            _ if is_text && field.required => Some(quoted("")),
            _ => Some("null".into()),
        };
    }
    if empty_choice(field).is_some_and(|empty| empty == value) {
        return Some(quoted(""));
    }
    let trimmed = value.trim();
    let number = trimmed.strip_prefix('+').unwrap_or(trimmed);
    Some(match field.kind {
        FieldKind::Integer | FieldKind::Number if number.parse::<Number>().is_ok() => {
            number.to_owned()
        }
        FieldKind::Boolean if ["true", "false"].contains(&trimmed) => trimmed.to_owned(),
        FieldKind::Json => value.to_owned(),
        FieldKind::DateTime => quoted(&instant(trimmed)),
        FieldKind::Time => quoted(&with_seconds(trimmed)),
        FieldKind::String | FieldKind::Password => quoted(value),
        _ => quoted(trimmed),
    })
}

fn is_momentary(field: &FieldModel) -> bool {
    matches!(field.default, Some(Default::Now | Default::Account(_)))
}

/// Whether two values of an input mean the same value of the field. Browsers change the spelling of
/// some.
pub(crate) fn is_same(field: &FieldModel, one: &str, other: &str) -> bool {
    let spelled = |value| spelled(field, &unix_lines(value), false);
    let value = |text: &str| {
        let text = if field.kind == FieldKind::DateTime { instant(text) } else { text.into() };
        Value::parse(field.kind, &text).ok()
    };
    spelled(one) == spelled(other) || value(one).is_some() && value(one) == value(other)
}

/// Completes a date and time as browsers' inputs have it: without seconds, and in UTC.
fn instant(text: &str) -> Cow<'_, str> {
    let Some((date, time)) = text.split_once(['T', ' ']) else { return text.into() };
    let is_bare = time.bytes().all(|byte| byte.is_ascii_digit() || b":.".contains(&byte));
    if is_bare { format!("{date}T{}Z", with_seconds(time)).into() } else { text.into() }
}

/// Adds the seconds to a time that has none.
fn with_seconds(time: &str) -> Cow<'_, str> {
    if time.len() == "12:00".len() { format!("{time}:00").into() } else { time.into() }
}

/// Returns a text with the ends of lines that it had before a browser sent it (HTML, 4.10.21.4).
fn unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
