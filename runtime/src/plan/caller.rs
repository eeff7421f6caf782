//! Callers, and the clients that requests are counted for.
//!
//! A caller has an identity, for the responses stored for its requests, and a response key, for
//! responses that callers may share. `reply/fields.rs` decides whether a response is private.

use std::{
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicU64, Ordering},
};

use crate::model::{Model, Place, RuleSet};

/// The caller of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The program itself, or user code on its behalf: no access rule applies.
    #[default]
    System,
    /// A client that sends no credentials.
    Anonymous,
}

/// The part of a caller that a response depends on: callers with equal keys may share one. The
/// default key is that of a response that no rule affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseKey(RuleSet);

impl Caller {
    /// Returns the rules that apply to its requests.
    #[must_use]
    pub fn rules(&self, model: &Model) -> RuleSet {
        match self {
            Self::System => RuleSet::NONE,
            Self::Anonymous => model.rules_of_anonymous(),
        }
    }

    /// Returns a name for the responses stored for its requests, which no other caller has.
    pub(crate) const fn identity(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Anonymous => "0",
        }
    }
}

impl ResponseKey {
    /// Returns the key of the responses about a place.
    pub(crate) fn of(model: &Model, place: Place) -> Self {
        if model.is_ruled(place) { Self(place.rules) } else { Self::default() }
    }

    /// Returns a key that is not the default one.
    #[cfg(test)]
    pub(crate) const fn of_number(number: u16) -> Self {
        Self(RuleSet::of_number(number))
    }

    /// Whether every caller may share the response.
    pub(crate) fn is_shared(self) -> bool {
        self == Self::default()
    }

    /// Returns a number that no other key has; 0 for the key that every caller shares.
    pub(crate) fn number(self) -> u64 {
        self.0.number().into()
    }
}

/// The client that a request is counted for where a bounded resource is shared fairly. A client
/// is a connection, or the address that a trusted proxy names.
///
/// It is not an identity: access and responses do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientKey {
    /// The program itself, through typed calls.
    #[default]
    Program,
    /// All requests whose connection is unknown.
    Unknown,
    /// A connection of the server of this crate, by its number.
    Connection(u64),
    /// A connection, by the address that its server sets as [`Peer`](crate::http::client::Peer).
    Peer(SocketAddr),
    /// All connections of a client that a trusted proxy names.
    Address(IpAddr),
}

impl ClientKey {
    /// Returns the key of a new connection.
    pub(crate) fn connect() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether several clients may share it.
    pub(crate) const fn is_shared(self) -> bool {
        matches!(self, Self::Program | Self::Unknown)
    }
}
