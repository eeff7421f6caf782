//! Who asks, and for whom it is counted.
//!
//! A caller has an identity, for what is remembered of its requests, and a response key, for what
//! may be shared with others. Whether a response is private is decided in `reply/fields.rs`.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::model::{Model, Place, RuleSet};

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The program itself, or what the author's code does in its name: no access rule applies.
    #[default]
    System,
    /// Somebody who does not say who they are.
    Anonymous,
}

/// What of a caller a response depends on: equal keys may share one. The default is that of a
/// response which no rule has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseKey(RuleSet);

impl Caller {
    /// The rules that apply to what it asks.
    #[must_use]
    pub fn rules(&self, model: &Model) -> RuleSet {
        match self {
            Self::System => RuleSet::NONE,
            Self::Anonymous => model.rules_of_anonymous(),
        }
    }

    /// Who it is, for what is remembered of its requests: another caller has another.
    pub(crate) const fn identity(&self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Anonymous => "0",
        }
    }
}

impl ResponseKey {
    /// That of what is seen of a place.
    pub(crate) fn of(model: &Model, place: Place) -> Self {
        if model.is_ruled(place) { Self(place.rules) } else { Self::default() }
    }

    /// Any other than the default one.
    #[cfg(test)]
    pub(crate) const fn of_number(number: u16) -> Self {
        Self(RuleSet::of_number(number))
    }

    /// Whether every caller may share the response.
    pub(crate) fn is_shared(self) -> bool {
        self == Self::default()
    }

    /// A number that no other key has; 0 for what every caller may share.
    pub(crate) fn number(self) -> u64 {
        self.0.number().into()
    }
}

/// The party that a request is counted for where something bounded is shared fairly: for now a
/// connection.
///
/// It is no identity: access and responses do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientKey {
    /// The program itself, by typed calls.
    #[default]
    Program,
    /// All requests of which no connection is known.
    Unknown,
    /// A connection of our own server, by its number.
    Connection(u64),
    /// A connection of another server, by the address that it gives as
    /// [`Peer`](crate::http::client::Peer).
    Peer(SocketAddr),
}

impl ClientKey {
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
