//! The key by which a request that is sent again is known
//! (draft-ietf-httpapi-idempotency-key-header-07).

use http::{HeaderMap, HeaderName};
use sfv::{BareItem, Item, Parser};

use crate::base::{
    error::{Error, Kind, text},
    limits::IDEMPOTENCY_KEY_CHARS_MAX as KEY_CHARS_MAX,
};

/// The field.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The field is there, but holds no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyError {
    /// It is not a text in quotes, or there is more than one.
    Malformed,
    /// It is the empty text.
    Empty,
    /// It is longer than a key may be.
    TooLong,
}

impl From<KeyError> for Error {
    fn from(why: KeyError) -> Self {
        let detail = match why {
            KeyError::Malformed => text!(
                "An `Idempotency-Key` is one text in double quotes, such as `\"8e03978e-40d5\"`, or letters, digits, `-` and `_` without quotes, in one field."
            ),
            KeyError::Empty => text!("An `Idempotency-Key` is not empty."),
            KeyError::TooLong => {
                text!("An `Idempotency-Key` has at most {most} characters.", most = KEY_CHARS_MAX)
            }
        };
        Self::new(Kind::MALFORMED_REQUEST, detail)
    }
}

/// The key of a request, if it has one.
///
/// A key is a String of RFC 9651, in quotes; its parameters are passed over. Many clients send a
/// UUID without quotes, so letters, digits, `-` and `_` alone are taken for a key, too: `"a"` and
/// `a` are the same.
///
/// # Errors
///
/// The field cannot be read: it asks for something that would then not be done.
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

    /// HTTP 161, 215: a key is a text in quotes, or a bare word such as many clients send.
    #[test]
    fn a_key_is_read_with_and_without_quotes() {
        let uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
        for line in [uuid, &format!("\"{uuid}\""), &format!(" \"{uuid}\";a=1 ")] {
            assert_eq!(read(&[line]), Ok(Some(uuid.to_owned())), "{line}");
        }
        assert_eq!(read(&["\"a \\\" b\""]), Ok(Some("a \" b".to_owned())));
        assert_eq!(read(&[]), Ok(None));
    }

    /// HTTP 161, 215: what is no key is a mistake, since it asks for something.
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
