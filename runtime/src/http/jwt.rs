//! Tokens of another issuer: JSON Web Tokens (RFC 7519) with a signature (RFC 7515), and the keys
//! that they are signed with (RFC 7517).
//!
//! The library for signatures is behind the feature `jwt`. Without it, no keys can be read.

#[cfg(feature = "jwt")]
mod keys;
#[cfg(not(feature = "jwt"))]
mod no_keys;
#[cfg(feature = "jwt")]
mod signature;

use serde_json::{Map, Value};

#[cfg(feature = "jwt")]
pub(crate) use self::keys::IssuerKeys;
#[cfg(not(feature = "jwt"))]
pub(crate) use self::no_keys::NoKeys as IssuerKeys;

/// Who issues tokens, and for whom.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "jwt"), expect(dead_code, reason = "without keys, no token is read"))]
pub(crate) struct TokenPurpose {
    /// The claim `iss` of each token.
    pub(crate) issuer: &'static str,
    /// The claim `aud` of each token, or one of its items.
    pub(crate) audience: &'static str,
}

/// A token whose signature and time are right, and which is for this API.
#[derive(Debug)]
pub(crate) struct VerifiedToken {
    /// The claims.
    pub(crate) claims: Map<String, Value>,
    /// The last second in which the token counts, in seconds since 1970.
    pub(crate) until: i64,
}

/// The error in a token of another issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "jwt"), expect(dead_code, reason = "without keys, no token is read"))]
pub(crate) enum TokenFault {
    /// It is not signed with a key of the issuer, or not in a supported way.
    Unsigned,
    /// Its claim `exp` is in the past.
    Expired,
    /// Its claim `nbf` is in the future.
    Early,
    /// It lacks a claim, or it is from another issuer, or for another audience.
    Foreign,
    /// It names no account.
    Nobody,
}

impl VerifiedToken {
    /// Returns a claim, by its name or by a JSON Pointer that begins with `/`.
    pub(crate) fn claim(&self, name: &str) -> Option<&Value> {
        let Some(pointer) = name.strip_prefix('/') else { return self.claims.get(name) };
        let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
        let mut tokens = pointer.split('/').map(unescape);
        let first = self.claims.get(&tokens.next()?)?;
        tokens.try_fold(first, |value, token| match value {
            Value::Object(members) => members.get(&token),
            Value::Array(items) => items.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_found_by_name_and_by_pointer() {
        let claims = serde_json::json!({
            "role": "editor", "a/b": 1, "m~n": 2, "https://example.org/role": "reader",
            "realm_access": { "roles": ["offline", "admin"] },
        });
        let Value::Object(claims) = claims else { unreachable!("the claims are an object") };
        let token = VerifiedToken { claims, until: 0 };
        for (name, expected) in [
            ("role", Some("\"editor\"")),
            ("/role", Some("\"editor\"")),
            ("a/b", Some("1")),
            ("/a~1b", Some("1")),
            ("/m~0n", Some("2")),
            ("https://example.org/role", Some("\"reader\"")),
            ("/realm_access/roles/1", Some("\"admin\"")),
            ("/realm_access/roles/2", None),
            ("/realm_access/roles/x", None),
            ("/role/x", None),
            ("/", None),
            ("absent", None),
        ] {
            let found = token.claim(name).map(Value::to_string);
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }
}
