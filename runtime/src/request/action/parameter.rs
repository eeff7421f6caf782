//! The parameters of a query string: a strict decoder and a canonical encoder.

use std::borrow::Cow;

use percent_encoding::percent_decode;

pub(crate) use nouns_declaration::grammar::RESERVED_PARAMETERS as RESERVED;

use crate::{
    base::error::{Error, Fault, Kind, Text, excerpt, text},
    model::{
        def::{Limit, Limits},
        encoded,
    },
    request::route::escapes_are_whole,
};

/// A parameter of a query string, decoded.
#[derive(Debug)]
pub(super) struct Parameter<'query> {
    /// The whole name, including its brackets.
    pub(super) whole: Cow<'query, str>,
    pub(super) value: Cow<'query, str>,
    /// Whether the value has a `+`, which means a space, in its encoded form.
    pub(super) has_plus: bool,
}

impl Parameter<'_> {
    pub(super) fn fault(&self, code: &'static str, detail: Text) -> Fault {
        Fault::parameter(excerpt(&self.whole), code, detail)
    }

    /// Splits the name at its brackets: `name[op]` is `("name", ["op"])`.
    pub(super) fn parts(&self) -> (&str, Vec<&str>) {
        let Some((name, rest)) = self.whole.split_once('[').filter(|_| self.whole.ends_with(']'))
        else {
            return (&self.whole, vec![]);
        };
        (name, rest[..rest.len() - 1].split("][").collect())
    }

    /// The field and the operator that a filter has in its name: `field`, `field[op]`,
    /// `filter[field]` or `filter[field][op]`. `None` if the parameter is not a filter.
    pub(super) fn filter(&self) -> Option<(&str, Option<&str>)> {
        match self.parts() {
            ("filter", brackets) => match *brackets {
                [field] => Some((field, None)),
                [field, op] => Some((field, Some(op))),
                _ => None,
            },
            (name, _) if RESERVED.contains(&name) => None,
            (field, brackets) => match *brackets {
                [] => Some((field, None)),
                [op] => Some((field, Some(op))),
                _ => None,
            },
        }
    }
}

/// The reserved names that every collection supports, so that hints may suggest them.
pub(super) const SUGGESTED: [&str; 11] = [
    "limit", "offset", "page", "per_page", "after", "before", "sortby", "order", "count", "fields",
    "format",
];

pub(super) fn repeated(parameter: &Parameter<'_>) -> Fault {
    let name = excerpt(&parameter.whole);
    parameter.fault("repeated", text!("`{name}` occurs more than once.", name))
}

/// The start of each page parameter in a link: its name and `=`.
const WINDOW: [&str; 6] = ["limit=", "offset=", "page=", "per_page=", "after=", "before="];

/// Parses the parameters of a query string, in order (`application/x-www-form-urlencoded`).
pub(super) fn pairs<'q>(
    query: Option<&'q str>,
    limits: &Limits,
) -> Result<Vec<Parameter<'q>>, Error> {
    let parts: Vec<_> = query.unwrap_or("").split('&').filter(|part| !part.is_empty()).collect();
    // A link to another page has up to two more parameters than the request. Such a link must be
    // valid, too.
    let paging =
        parts.iter().filter(|part| WINDOW.iter().any(|name| part.starts_with(name))).count();
    let most = limits.size(Limit::Parameters);
    if parts.len() - paging.min(2) > most {
        let detail = text!("A query has at most {most} parameters.", most);
        return Err(Error::new(Kind::INVALID_PARAMETER, detail));
    }
    parts.into_iter().map(pair).collect()
}

fn pair(part: &str) -> Result<Parameter<'_>, Error> {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let broken = || {
        let detail = text!(
            "`{part}` is not valid percent-encoded UTF-8 (a literal `%` is `%25`).",
            part = excerpt(part)
        );
        Error::new(Kind::INVALID_PARAMETER, detail)
    };
    let has_plus = value.contains('+');
    let (Some(whole), Some(value)) = (decode(name), decode(value)) else { return Err(broken()) };
    Ok(Parameter { whole, value, has_plus })
}

/// Replaces `+` by a space and decodes percent-encoding. `None` if the encoding is invalid, or if
/// the result is not UTF-8.
pub(super) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(text.into());
    }
    if !escapes_are_whole(text) {
        return None;
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
    Some(decoded.into_owned().into())
}

/// Appends a parameter to a query string.
pub(super) fn encode(to: &mut String, parameter: &Parameter<'_>) {
    append(to, &parameter.whole, &parameter.value);
}

/// Appends a parameter with this name and this value to a query string.
pub(crate) fn append(to: &mut String, name: &str, value: &str) {
    if !to.is_empty() {
        to.push('&');
    }
    to.extend(encoded(name));
    to.push('=');
    to.extend(encoded(value));
}
