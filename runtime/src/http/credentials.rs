//! The credentials of a request: the header field `Authorization` (RFC 9110 §11.6.2).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, header};

use super::single::only;
use crate::base::secret::Secret;

/// The name and the password of the scheme `Basic` (RFC 7617).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicCredentials {
    /// The name that the caller signs in with.
    pub(crate) login: String,
    /// The password.
    pub(crate) password: Secret,
}

/// What is wrong with the credentials of a request. A response does not repeat them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadCredentials {
    /// There are several, or they are not visible ASCII.
    Unclear,
    /// The scheme is not supported.
    UnknownScheme,
    /// They do not have the form that their scheme needs.
    Malformed,
}

/// Reads the credentials of a request. Returns `None` if it has none.
///
/// # Errors
/// What is wrong with the credentials.
pub(crate) fn read(headers: &HeaderMap) -> Result<Option<BasicCredentials>, BadCredentials> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let value = only(headers, &header::AUTHORIZATION).ok_or(BadCredentials::Unclear)?;
    let value = value.to_str().map_err(|_| BadCredentials::Unclear)?;
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(BadCredentials::UnknownScheme);
    }
    basic(rest.trim_matches(' ')).map(Some).ok_or(BadCredentials::Malformed)
}

/// Parses the token of the scheme `Basic`: base64 of the name, a colon and the password, in UTF-8.
/// Neither part may be empty, and a control character is in neither (RFC 7617 §2).
fn basic(token: &str) -> Option<BasicCredentials> {
    let text = String::from_utf8(STANDARD.decode(token).ok()?).ok()?;
    let (login, password) = text.split_once(':')?;
    let is_clear = !text.contains(|character: char| character.is_control());
    (is_clear && !login.is_empty() && !password.is_empty())
        .then(|| BasicCredentials { login: login.to_owned(), password: Secret::new(password) })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn of(value: &str) -> Result<Option<BasicCredentials>, BadCredentials> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        read(&headers)
    }

    fn pair(value: &str) -> (String, String) {
        let BasicCredentials { login, password } = of(value).unwrap().unwrap();
        (login, password.reveal().to_owned())
    }

    #[test]
    fn a_name_and_a_password_are_read() {
        // The examples of RFC 7617 §2 and §2.1.
        let aladdin = ("Aladdin".to_owned(), "open sesame".to_owned());
        assert_eq!(pair("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), aladdin);
        assert_eq!(pair("bAsIc   QWxhZGRpbjpvcGVuIHNlc2FtZQ== "), aladdin);
        assert_eq!(pair("Basic dGVzdDoxMjPCow=="), ("test".to_owned(), "123£".to_owned()));
        assert_eq!(pair("Basic YTpiOmM="), ("a".to_owned(), "b:c".to_owned()));
        assert_eq!(read(&HeaderMap::new()), Ok(None));
    }

    #[test]
    fn what_is_not_two_texts_is_refused() {
        for (value, expected) in [
            ("Bearer abc", BadCredentials::UnknownScheme),
            ("", BadCredentials::UnknownScheme),
            ("Basic", BadCredentials::Malformed),
            ("Basic QWxhZGRpbg==", BadCredentials::Malformed),
            ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ", BadCredentials::Malformed),
            ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==", BadCredentials::Malformed),
            ("Basic QWxh ZGRpbjpvcGVuIHNlc2FtZQ==", BadCredentials::Malformed),
            ("Basic OnNlY3JldA==", BadCredentials::Malformed),
            ("Basic bmFtZTo=", BadCredentials::Malformed),
            ("Basic YQA6Yg==", BadCredentials::Malformed),
            ("Basic gICAOmI=", BadCredentials::Malformed),
        ] {
            assert_eq!(of(value), Err(expected), "{value}");
        }
        let mut headers = HeaderMap::new();
        for _ in 0..2 {
            headers.append(header::AUTHORIZATION, HeaderValue::from_static("Basic YTpi"));
        }
        assert_eq!(read(&headers), Err(BadCredentials::Unclear));
    }
}
