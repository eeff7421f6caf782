//! Who asks, and for whom it is counted.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// Nobody in particular.
    Anonymous,
}

/// What of a caller an answer depends on: equal keys may share one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallerKey(pub u64);

impl Caller {
    /// What an answer depends on: nothing, unless a rule or a field looks at the caller.
    #[must_use]
    pub const fn key(&self) -> CallerKey {
        match self {
            Self::Anonymous => CallerKey(0),
        }
    }
}

/// The party that a request is counted for where something bounded is shared fairly: for now a connection.
///
/// It is no identity: access and responses do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Client {
    /// The program itself, by typed calls.
    #[default]
    Program,
    /// All requests of which no connection is known.
    Unknown,
    /// A connection of our own server, by its number.
    Connection(u64),
    /// A connection of another server, by the address that it gives as [`Peer`](crate::http::peer::Peer).
    Peer(SocketAddr),
}

impl Client {
    /// A connection that is new.
    pub(crate) fn connect() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether many may be behind it.
    pub(crate) const fn is_shared(self) -> bool {
        matches!(self, Self::Program | Self::Unknown)
    }
}
