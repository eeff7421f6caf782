//! The sender of a request, in two forms: a caller, for access rules, and a client, for limits on
//! load.

use http::{HeaderValue, header, request::Parts};

pub use crate::plan::{Caller, ClientKey, ResponseKey};
use crate::{
    base::{
        error::{Error, Kind, Text, text},
        grant_secret::GrantSecret,
        secret::Secret,
    },
    http::{
        client::{Client, Peer},
        cookie,
        credentials::{self, BadCredentials, BasicCredentials, Credentials},
        forwarded::TrustedProxies,
        jwt::TokenFault,
    },
    model::{
        Model,
        accounts::AccountModel,
        def::{AuthDef, Scheme},
    },
    request::{
        cross_site::{self, Ambient},
        enclosed::EnclosedSession,
    },
};

/// The identity that a request claims. The store confirms it as a [`Caller`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Claim {
    /// The request claims no identity.
    Anonymous,
    /// The request has the name and the password of an account.
    Basic(BasicCredentials),
    /// The request has the secret of a session.
    Session(GrantSecret),
    /// The request has the secret of a token.
    Token(GrantSecret),
    /// The request has a token that may be of another issuer.
    Jwt(Secret),
    /// The program has identified the caller itself, in the extensions of the request.
    Confirmed(Caller),
}

impl Claim {
    /// Reads the claim from the head of a request. If the program has set the caller, no header
    /// field is read. Without accounts, nobody can sign in, so none is read either.
    ///
    /// `Authorization` precedes a cookie, and a cookie precedes the URL. A cookie that is no
    /// session claims nothing.
    ///
    /// # Errors
    /// 401 for credentials that cannot be read. 403 if a page of another site makes the browser
    /// send its credentials.
    #[inline]
    pub fn of(model: &Model, head: &Parts) -> Result<Self, Error> {
        if let Some(caller) = head.extensions.get::<Caller>() {
            return Ok(Self::Confirmed(caller.clone()));
        }
        let Some(accounts) = &model.accounts else { return Ok(Self::Anonymous) };
        if head.headers.contains_key(header::AUTHORIZATION) {
            return Self::of_authorization(model, accounts, head);
        }
        let is_enclosed = || head.extensions.get::<EnclosedSession>().is_some();
        if head.headers.contains_key(header::COOKIE) || is_enclosed() {
            return Self::of_session(model, accounts, head);
        }
        Ok(Self::Anonymous)
    }

    fn of_authorization(
        model: &Model,
        accounts: &AccountModel,
        head: &Parts,
    ) -> Result<Self, Error> {
        let credentials = credentials::read(&head.headers);
        match credentials.map_err(|bad| unreadable(model, accounts, bad))? {
            None => Ok(Self::Anonymous),
            Some(Credentials::Basic(basic)) if accounts.def.has(Scheme::Basic) => {
                cross_site::check(model, head, Ambient::Password)?;
                Ok(Self::Basic(basic))
            }
            Some(Credentials::Bearer(token)) if accounts.def.has(Scheme::Bearer) => {
                match GrantSecret::parse_token(token.reveal()) {
                    Some(secret) => Ok(Self::Token(secret)),
                    None if accounts.jwt.is_some() => Ok(Self::Jwt(token)),
                    None => Err(bad_token(model)),
                }
            }
            Some(_) => Err(unreadable(model, accounts, BadCredentials::UnknownScheme)),
        }
    }

    fn of_session(model: &Model, accounts: &AccountModel, head: &Parts) -> Result<Self, Error> {
        if !accounts.def.has(Scheme::Session) {
            return Ok(Self::Anonymous);
        }
        let name = accounts.cookie(is_secure(model, head));
        let secret = cookie::find(&head.headers, name).and_then(GrantSecret::parse);
        let enclosed = || head.extensions.get::<EnclosedSession>().and_then(|session| session.0);
        let Some(secret) = secret.or_else(enclosed) else { return Ok(Self::Anonymous) };
        cross_site::check(model, head, Ambient::Cookie)?;
        Ok(Self::Session(secret))
    }
}

/// Whether cookies of this request are sent over TLS alone.
pub(crate) fn is_secure(model: &Model, head: &Parts) -> bool {
    let declared = model.accounts.as_ref().is_some_and(|accounts| accounts.def.session.secure);
    let is_public = || model.api.public_url.is_some_and(|url| url.starts_with("https:"));
    declared || is_public() || Client::scheme_of(head, &model.proxies) == http::uri::Scheme::HTTPS
}

#[cold]
fn unreadable(model: &Model, accounts: &AccountModel, bad: BadCredentials) -> Error {
    let detail = match bad {
        BadCredentials::Unclear => text!("The request must have one field `Authorization`."),
        BadCredentials::UnknownScheme => {
            let has = |scheme| accounts.def.has(scheme);
            let schemes = match (has(Scheme::Basic), has(Scheme::Bearer)) {
                (true, true) => "`Basic`, `Bearer`",
                (false, true) => "`Bearer`",
                (true, false) => "`Basic`",
                (false, false) => {
                    let detail = text!(
                        "Sign in at `{url}`; `Authorization` is not supported.",
                        url = model.urls.link("/sessions")
                    );
                    return challenged(model, detail);
                }
            };
            text!("The scheme of `Authorization` must be {schemes}.", schemes)
        }
        BadCredentials::Malformed => text!(
            "`Authorization` must be `Basic`, a space, and the base64 of the login, a colon and the password; or `Bearer`, a space and a token."
        ),
    };
    challenged(model, detail)
}

/// The error (401) for a token that does not exist, has expired or was revoked.
#[cold]
pub(crate) fn bad_token(model: &Model) -> Error {
    let detail = text!("The token does not exist, or it has expired or was revoked.");
    let error = Error::new(Kind::UNAUTHENTICATED, detail);
    with_challenge(error, bearer(model, ", error=\"invalid_token\""))
}

/// The error (401) for a token of another issuer that is not accepted.
#[cold]
pub(crate) fn bad_jwt(model: &Model, fault: TokenFault) -> Error {
    let detail = match fault {
        TokenFault::Unsigned => text!("The token is not signed with a key that is accepted here."),
        TokenFault::Expired => text!("The token has expired."),
        TokenFault::Early => text!("The token is not valid yet."),
        TokenFault::Foreign => {
            text!("The token is not for this API; it needs the right `iss` and `aud`, and `exp`.")
        }
        TokenFault::Nobody => text!("The token names no account."),
    };
    let error = Error::new(Kind::UNAUTHENTICATED, detail);
    with_challenge(error, bearer(model, ", error=\"invalid_token\""))
}

/// The error (403) for a token that does not have the scope that a request needs (RFC 6750 §3.1).
#[cold]
pub(crate) fn insufficient_scope(model: &Model, scope: &'static str) -> Error {
    let detail = text!("The token does not have the scope `{scope}`.", scope);
    let attributes = format!(", error=\"insufficient_scope\", scope=\"{scope}\"");
    with_challenge(Error::new(Kind::FORBIDDEN, detail), bearer(model, &attributes))
}

/// The error (401) for a wrong password in a body. Its challenge makes no browser open a dialogue.
#[cold]
pub(crate) fn wrong_password(model: &Model) -> Error {
    let error = Error::new(Kind::UNAUTHENTICATED, text!("The login or the password is wrong."));
    with_challenge(error, bearer(model, ""))
}

/// Returns the error for a request that needs other credentials, with the challenges of the API
/// (RFC 9110 §11.6.1). Sessions have no scheme of their own, so without another scheme the
/// challenge is that of tokens.
#[cold]
pub(crate) fn challenged(model: &Model, detail: Text) -> Error {
    let mut error = Error::new(Kind::UNAUTHENTICATED, detail);
    let Some(accounts) = &model.accounts else { return error };
    let has_basic = accounts.def.has(Scheme::Basic);
    if has_basic {
        let challenge = format!("Basic realm=\"{}\", charset=\"UTF-8\"", accounts.def.realm);
        error = with_challenge(error, challenge);
    }
    if accounts.def.has(Scheme::Bearer) || !has_basic {
        error = with_challenge(error, bearer(model, ""));
    }
    error
}

/// The challenge that every interface with accounts may send.
pub(crate) fn bearer_challenge(model: &Model) -> HeaderValue {
    HeaderValue::try_from(bearer(model, "")).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// The challenge of the scheme `Bearer` (RFC 6750 §3).
fn bearer(model: &Model, attributes: &str) -> String {
    let realm = model.accounts.as_ref().map_or(AuthDef::REALM, |accounts| accounts.def.realm);
    format!("Bearer realm=\"{realm}\"{attributes}")
}

fn with_challenge(error: Error, challenge: String) -> Error {
    match HeaderValue::try_from(challenge) {
        Ok(challenge) => error.with_header(header::WWW_AUTHENTICATE, challenge),
        Err(_) => error,
    }
}

impl ClientKey {
    /// Determines the client that a request counts towards: the address that a trusted proxy names,
    /// or else the connection. The result is `Unknown` if the server has not added the address of
    /// the connection to the request.
    pub(crate) fn identify(head: &Parts, proxies: &TrustedProxies) -> Self {
        let forwarded = proxies.client(head).and_then(|client| client.address);
        let peer = || head.extensions.get().map(|Peer { address }| Self::peer(*address));
        // The server has given a number to the connection of a Unix socket.
        let connection = || head.extensions.get().copied();
        let address = forwarded.map(Self::address);
        address.or_else(peer).or_else(connection).unwrap_or(Self::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::model::def::ProxyFields;

    #[test]
    fn a_client_is_a_connection_where_one_is_known() {
        assert_ne!(ClientKey::connect(), ClientKey::connect());
        let (mut head, ()) = Request::new(()).into_parts();
        let proxies = TrustedProxies::new(&["10.0.0.0/8"], ProxyFields::XForwarded);
        let identify = |head: &Parts| ClientKey::identify(head, &proxies);
        assert_eq!(identify(&head), ClientKey::Unknown);
        let address = ([127, 0, 0, 1], 4711).into();
        head.extensions.insert(Peer { address });
        assert_eq!(identify(&head), ClientKey::peer(address));
        head.headers.insert("x-forwarded-for", "192.0.2.7".parse().unwrap());
        assert_eq!(identify(&head), ClientKey::peer(address));
        head.extensions.insert(Peer { address: ([10, 0, 0, 1], 80).into() });
        assert_eq!(identify(&head), ClientKey::address([192, 0, 2, 7].into()));
    }
}
