//! Who asks: a caller, whom access rules are for, and a client, with whom bounded things are shared fairly.

use http::request::Parts;

pub use crate::plan::{Caller, Client, ResponseKey};
use crate::{base::error::Error, http::peer::Peer};

impl Caller {
    /// Finds out who asks. Without `auth` in the declaration that is nobody in particular.
    ///
    /// # Errors
    /// None yet: nothing is asked of the store.
    pub fn identify(_head: &Parts) -> Result<Self, Error> {
        Ok(Self::Anonymous)
    }
}

impl Client {
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
        assert_ne!(Client::connect(), Client::connect());
        let (mut head, ()) = Request::new(()).into_parts();
        assert_eq!(Client::identify(&head), Client::Unknown);
        let address = ([127, 0, 0, 1], 4711).into();
        head.extensions.insert(Peer { address });
        assert_eq!(Client::identify(&head), Client::Peer(address));
    }
}
