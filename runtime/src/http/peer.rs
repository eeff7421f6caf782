//! The other end of a connection.

use std::net::SocketAddr;

/// Who is at the other end of the connection; a server puts it into the extensions of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The address.
    pub address: SocketAddr,
}
