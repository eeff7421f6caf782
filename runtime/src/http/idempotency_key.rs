//! `Idempotency-Key`: a key with which the server recognizes a retried request
//! (draft-ietf-httpapi-idempotency-key-header-07).

use http::{HeaderMap, HeaderName};
use sfv::{BareItem, Item, Parser};

use crate::base::{
    error::{Error, Kind, text},
    limits::IDEMPOTENCY_KEY_CHARS_MAX as KEY_CHARS_MAX,
};

/// The header field `Idempotency-Key`.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The reason why the value of the field is not a valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyError {
    /// The value is not a string in quotes, or the request has several such fields.
    Malformed,
    /// The key is empty.
    Empty,
    /// The key is longer than
    /// [`IDEMPOTENCY_KEY_CHARS_MAX`](crate::base::limits::IDEMPOTENCY_KEY_CHARS_MAX).
    TooLong,
}

impl From<KeyError> for Error {
    fn from(why: KeyError) -> Self {
        let detail = match why {
            KeyError::Malformed => text!(
                "An `Idempotency-Key` is one text in double quotes, such as `\"8e03978e-40d5\"`, or letters, digits, `-` and `_` without quotes, in one field."
            ),
            KeyError::Empty => text!("An `Idempotency-Key` must not be empty."),
            KeyError::TooLong => {
                text!("An `Idempotency-Key` has at most {most} characters.", most = KEY_CHARS_MAX)
            }
        };
        Self::new(Kind::MALFORMED_REQUEST, detail)
    }
}

/// Parses the `Idempotency-Key` of a request; `None` if there is no such field.
///
/// A key is a String of RFC 9651, in quotes; parameters are ignored. Many clients send a UUID
/// without quotes. So a key of letters, digits, `-` and `_` may have no quotes: `"a"` and `a` are
/// the same key.
///
/// # Errors
///
/// The value of the field is not a valid key. The field is not ignored, since the client relies on
/// it.
pub(crate) fn parse(headers: &HeaderMap) -> Result<Option<String>, KeyError> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(line) = lines.next() else { return Ok(None) };
    if lines.next().is_some() {
        return Err(KeyError::Malformed);
    }
    let key = match line.to_str() {
        Ok(bare) if is_bare(bare) => bare.to_owned(),
        _ => quoted(line.as_bytes()).ok_or(KeyError::Malformed)?,
    };
    match key.len() {
        0 => Err(KeyError::Empty),
        1..=KEY_CHARS_MAX => Ok(Some(key)),
        _ => Err(KeyError::TooLong),
    }
}

fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

fn quoted(line: &[u8]) -> Option<String> {
    let item: Item = Parser::new(line).parse().ok()?;
    match item.bare_item {
        BareItem::String(text) => Some(text.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Option<String>, KeyError> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IDEMPOTENCY_KEY, line.parse().unwrap());
        }
        parse(&headers)
    }

    /// Conformance 161, 215: a key is a string in quotes, or a word without quotes, as many clients
    /// send it.
    #[test]
    fn a_key_is_read_with_and_without_quotes() {
        let uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
        for line in [uuid, &format!("\"{uuid}\""), &format!(" \"{uuid}\";a=1 ")] {
            assert_eq!(read(&[line]), Ok(Some(uuid.to_owned())), "{line}");
        }
        assert_eq!(read(&["\"a \\\" b\""]), Ok(Some("a \" b".to_owned())));
        assert_eq!(read(&[]), Ok(None));
    }

    /// Conformance 161, 215: an invalid key is an error, since the client relies on the key.
    #[test]
    fn what_is_no_key_is_a_mistake() {
        for line in
            ["\"a", "a b", "?1", ":AAAA:", "a/b", "\"a\", \"b\"", "@1", "(\"a\")", "'a'", "\"ü\""]
        {
            assert_eq!(read(&[line]), Err(KeyError::Malformed), "{line}");
        }
        assert_eq!(read(&["a", "a"]), Err(KeyError::Malformed));
        assert_eq!(read(&["\"\""]), Err(KeyError::Empty));
        assert_eq!(read(&[""]), Err(KeyError::Malformed));
        assert_eq!(read(&[&"a".repeat(KEY_CHARS_MAX)]).unwrap().unwrap().len(), KEY_CHARS_MAX);
        assert_eq!(read(&[&"a".repeat(KEY_CHARS_MAX + 1)]), Err(KeyError::TooLong));
    }
}
