//! Who sent a request: what it claims to be, whom access rules are for, and for whom it is counted.

use http::request::Parts;

pub use crate::plan::{Caller, ClientKey, ResponseKey};
use crate::{base::error::Error, http::client::Peer};

/// Whom a request claims to come from, before the store has confirmed it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claim {
    /// Nobody in particular.
    Anonymous,
}

impl Claim {
    /// The claim that a head makes. Without `auth` in the declaration there is only one.
    ///
    /// # Errors
    /// None yet: no field of the head is read.
    pub const fn of(_head: &Parts) -> Result<Self, Error> {
        Ok(Self::Anonymous)
    }
}

impl ClientKey {
    /// Finds out whom a request is counted for, where its server does not say.
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
