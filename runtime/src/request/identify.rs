//! The sender of a request, in two forms: a caller, for access rules, and a client, for limits on
//! load.

use http::{HeaderValue, header, request::Parts};

pub use crate::plan::{Caller, ClientKey, ResponseKey};
use crate::{
    base::error::{Error, Kind, Text, text},
    http::{
        client::Peer,
        credentials::{self, BadCredentials, BasicCredentials},
        forwarded::TrustedProxies,
    },
    model::Model,
};

/// The identity that a request claims. The store confirms it as a [`Caller`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Claim {
    /// The request claims no identity.
    Anonymous,
    /// The request has the name and the password of an account.
    Basic(BasicCredentials),
    /// The program has identified the caller itself, in the extensions of the request.
    Confirmed(Caller),
}

impl Claim {
    /// Reads the claim from the head of a request. If the program has set the caller, no header
    /// field is read. Without accounts, nobody can sign in, so none is read either.
    ///
    /// # Errors
    /// 401 for credentials that cannot be read.
    #[inline]
    pub fn of(model: &Model, head: &Parts) -> Result<Self, Error> {
        if let Some(caller) = head.extensions.get::<Caller>() {
            return Ok(Self::Confirmed(caller.clone()));
        }
        if model.accounts.is_none() || !head.headers.contains_key(header::AUTHORIZATION) {
            return Ok(Self::Anonymous);
        }
        match credentials::read(&head.headers) {
            Ok(None) => Ok(Self::Anonymous),
            Ok(Some(basic)) => Ok(Self::Basic(basic)),
            Err(bad) => Err(unreadable(model, bad)),
        }
    }
}

#[cold]
fn unreadable(model: &Model, bad: BadCredentials) -> Error {
    let detail = match bad {
        BadCredentials::Unclear => text!("The request must have one field `Authorization`."),
        BadCredentials::UnknownScheme => {
            text!("The scheme of `Authorization` must be {schemes}.", schemes = "`Basic`")
        }
        BadCredentials::Malformed => text!(
            "`Authorization` must be `Basic`, a space, and the base64 of the login, a colon and the password."
        ),
    };
    challenged(model, detail)
}

/// Returns the error for a request that needs other credentials, with the challenges of the API
/// (RFC 9110 §11.6.1).
#[cold]
pub(crate) fn challenged(model: &Model, detail: Text) -> Error {
    let error = Error::new(Kind::UNAUTHENTICATED, detail);
    let Some(accounts) = &model.accounts else { return error };
    let challenge = format!("Basic realm=\"{}\", charset=\"UTF-8\"", accounts.def.realm);
    match HeaderValue::from_str(&challenge) {
        Ok(challenge) => error.with_header(header::WWW_AUTHENTICATE, challenge),
        Err(_) => error,
    }
}

impl ClientKey {
    /// Determines the client that a request counts towards: the address that a trusted proxy names,
    /// or else the connection. The result is `Unknown` if the server has not added the address of
    /// the connection to the request.
    pub(crate) fn identify(head: &Parts, proxies: &TrustedProxies) -> Self {
        let Some(Peer { address: peer }) = head.extensions.get().copied() else {
            return Self::Unknown;
        };
        let forwarded = proxies.client(peer, &head.headers);
        let address = forwarded.and_then(|client| client.address);
        address.map_or_else(|| Self::peer(peer), Self::address)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn a_client_is_a_connection_where_one_is_known() {
        assert_ne!(ClientKey::connect(), ClientKey::connect());
        let (mut head, ()) = Request::new(()).into_parts();
        let proxies = TrustedProxies::new(&["10.0.0.0/8"]);
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
