//! Who sends a request: the caller, for access rules, and the client, whose slow reads are counted.

use http::request::Parts;

pub use crate::plan::{Caller, ClientKey, ResponseKey};
use crate::{base::error::Error, http::client::Peer};

/// The identity that a request claims. The store confirms it as a [`Caller`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claim {
    /// The request claims no identity.
    Anonymous,
}

impl Claim {
    /// Reads the claim from the head of a request. So far every claim is anonymous.
    ///
    /// # Errors
    /// None so far, because no header field is read.
    pub const fn of(_head: &Parts) -> Result<Self, Error> {
        Ok(Self::Anonymous)
    }
}

impl ClientKey {
    /// Determines the client from the connection's address, which the server adds to the request.
    pub(crate) fn identify(head: &Parts) -> Self {
        head.extensions.get().map_or(Self::Unknown, |Peer { address }| Self::Peer(*address))
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
        assert_eq!(ClientKey::identify(&head), ClientKey::Unknown);
        let address = ([127, 0, 0, 1], 4711).into();
        head.extensions.insert(Peer { address });
        assert_eq!(ClientKey::identify(&head), ClientKey::Peer(address));
    }
}
