//! The sender of a request, in two forms: a caller, for access rules, and a client, for limits on
//! load.

use http::request::Parts;

pub use crate::plan::{Caller, ClientKey, ResponseKey};
use crate::{
    base::error::Error,
    http::{client::Peer, forwarded::TrustedProxies},
};

/// The identity that a request claims. The store confirms it as a [`Caller`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Claim {
    /// The request claims no identity.
    Anonymous,
    /// The program has identified the caller itself, in the extensions of the request.
    Confirmed(Caller),
}

impl Claim {
    /// Reads the claim from the head of a request.
    ///
    /// # Errors
    /// None so far, because no header field is read.
    pub fn of(head: &Parts) -> Result<Self, Error> {
        let caller = head.extensions.get::<Caller>();
        Ok(caller.map_or(Self::Anonymous, |caller| Self::Confirmed(caller.clone())))
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
