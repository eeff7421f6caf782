//! The parser of the path of a custom route: literal segments, and placeholders in braces.

use std::borrow::Cow;

/// A segment of the path of a custom route.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Segment {
    /// A segment that matches only this percent-decoded text.
    Literal(String),
    /// A placeholder with this name. It matches any text.
    Named(String),
}

impl Segment {
    /// The text of a literal segment; `None` for a placeholder.
    pub(super) fn literal(&self) -> Option<String> {
        match self {
            Self::Literal(text) => Some(text.clone()),
            Self::Named(_) => None,
        }
    }
}

/// Parses the path of a route. The error is the rule that the path breaks.
pub(super) fn parse(path: &str) -> Result<Vec<Segment>, Cow<'static, str>> {
    let Some(rest) = path.strip_prefix('/') else {
        return Err("a path that begins with `/`".into());
    };
    if rest.is_empty() {
        return Err("another path than `/`, which is the home of the interface".into());
    }
    if rest.ends_with('/') {
        return Err("a path without `/` at its end, where it is redirected".into());
    }
    rest.split('/').map(segment).collect()
}

fn segment(text: &str) -> Result<Segment, Cow<'static, str>> {
    if let Some(name) = text.strip_prefix('{') {
        let name = name.strip_suffix('}').filter(|name| is_name(name));
        let rule = "one whose placeholders are whole segments: `{`, lower-case letters, digits and `_`, `}`";
        return name.map(|name| Segment::Named(name.to_owned())).ok_or(rule.into());
    }
    // Other libraries write placeholders as `:name` or `*name`. No client requests a literal
    // segment that begins with these characters.
    if let Some(name) = text.strip_prefix([':', '*']) {
        let name = if is_name(name) { name } else { "name" };
        return Err(format!("one whose placeholders stand in braces: write `{{{name}}}`").into());
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
    match text {
        "" => Err("one without empty segments".into()),
        "." | ".." => Err("one without the segments `.` and `..`".into()),
        text if text.bytes().all(plain) => Ok(Segment::Literal(text.to_owned())),
        _ => Err("one of segments of letters, digits and `-._~!$&'()*+,;=:@`".into()),
    }
}

fn is_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.bytes().all(word)
}
