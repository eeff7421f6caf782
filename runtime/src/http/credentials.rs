//! The credentials of a request: the header field `Authorization` (RFC 9110 §11.6.2).

use std::sync::LazyLock;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

use super::single::only;
use crate::base::secret::Secret;

/// The credentials of a request, by their scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// The scheme `Basic`.
    Basic(BasicCredentials),
    /// The token of the scheme `Bearer` (RFC 6750 §2.1).
    Bearer(Secret),
}

/// The name and the password of the scheme `Basic` (RFC 7617).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicCredentials {
    /// The name that the caller signs in with.
    pub(crate) login: String,
    /// The password.
    pub(crate) password: Secret,
}

/// The key of fingerprints. It is random, so no password can be guessed from memory that leaks.
static KEY: LazyLock<[u8; 16]> = LazyLock::new(|| *uuid::Uuid::new_v4().as_bytes());

impl BasicCredentials {
    /// A keyed hash of the credentials.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(*KEY);
        hash.update(self.login.len().to_le_bytes());
        hash.update(&self.login);
        hash.update(self.password.reveal());
        hash.finalize().into()
    }
}

/// The error in the credentials of a request. A response does not repeat them.
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
pub(crate) fn read(headers: &HeaderMap) -> Result<Option<Credentials>, BadCredentials> {
    if !headers.contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let value = only(headers, &header::AUTHORIZATION).ok_or(BadCredentials::Unclear)?;
    let value = value.to_str().map_err(|_| BadCredentials::Unclear)?;
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    let rest = rest.trim_matches(' ');
    let credentials = match scheme {
        scheme if scheme.eq_ignore_ascii_case("basic") => basic(rest).map(Credentials::Basic),
        scheme if scheme.eq_ignore_ascii_case("bearer") => bearer(rest).map(Credentials::Bearer),
        _ => return Err(BadCredentials::UnknownScheme),
    };
    credentials.map(Some).ok_or(BadCredentials::Malformed)
}

/// Parses the token of the scheme `Bearer`, which is a `token68` (RFC 6750 §2.1).
fn bearer(token: &str) -> Option<Secret> {
    let body = token.trim_end_matches('=');
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    (!body.is_empty() && body.bytes().all(is_token)).then(|| Secret::new(token))
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

    fn of(value: &str) -> Result<Option<Credentials>, BadCredentials> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        read(&headers)
    }

    fn pair(value: &str) -> (String, String) {
        match of(value).unwrap().unwrap() {
            Credentials::Basic(BasicCredentials { login, password }) => {
                (login, password.reveal().to_owned())
            }
            other => panic!("{other:?}"),
        }
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
    fn a_token_is_read() {
        for value in ["Bearer mF_9.B5f-4.1JqM", "bearer  mF_9.B5f-4.1JqM ", "BEARER abc=="] {
            let token = value.split(' ').filter(|part| !part.is_empty()).nth(1).unwrap();
            assert_eq!(of(value), Ok(Some(Credentials::Bearer(Secret::new(token)))), "{value}");
        }
    }

    #[test]
    fn what_is_not_two_texts_is_refused() {
        for (value, expected) in [
            ("Digest abc", BadCredentials::UnknownScheme),
            ("Bearer", BadCredentials::Malformed),
            ("Bearer =", BadCredentials::Malformed),
            ("Bearer a b", BadCredentials::Malformed),
            ("Bearer a=b", BadCredentials::Malformed),
            ("Bearer \"a\"", BadCredentials::Malformed),
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
