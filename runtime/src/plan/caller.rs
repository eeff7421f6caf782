//! Callers, whose access rules apply to a request, and clients, whose load is limited.
//!
//! The identity of a caller separates stored responses to idempotent requests. The response key
//! says which callers may share a cached response. `reply/fields.rs` decides whether a response is
//! private in HTTP caches.

use std::{
    borrow::Cow,
    hash::{BuildHasher as _, RandomState},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::model::{Model, Place, RuleSet};

/// The caller on whose behalf an operation runs.
///
/// A program that identifies its clients itself sets the caller of a request before the service
/// receives it. For example, a tower layer inserts a `Caller` into the extensions of the request:
///
/// ```
/// # mod nouns { pub use http; pub use nouns_runtime::*; }
/// use nouns::{Caller, http::Request};
///
/// fn identify<B>(mut request: Request<B>) -> Request<B> {
///     let caller = match request.headers().get("x-api-key") {
///         Some(key) if key == "secret" => Caller::named("importer"),
///         _ => Caller::Anonymous,
///     };
///     request.extensions_mut().insert(caller);
///     request
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The program itself, or user code that acts for it. No access rule applies.
    #[default]
    System,
    /// A client that has sent no credentials.
    Anonymous,
    /// A client that the program has identified, with a name that no other client has.
    Named(Arc<str>),
}

/// The properties of a caller that a response depends on. Callers with equal keys may share a
/// cached response. All callers share responses with the default key, which no access rule affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseKey(RuleSet);

impl Caller {
    /// A client that the program has identified. No other client may have this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::Named(name.into())
    }

    /// The name of a client that the program has identified; `None` for another caller.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::System | Self::Anonymous => None,
        }
    }

    /// Returns the access rules that apply to the requests of this caller.
    #[must_use]
    #[doc(hidden)]
    pub fn rules(&self, model: &Model) -> RuleSet {
        match self {
            Self::System => RuleSet::NONE,
            Self::Anonymous | Self::Named(_) => model.rules_of_anonymous(),
        }
    }

    /// Returns a name that no other caller has. It keeps equal `Idempotency-Key`s of different
    /// callers apart.
    pub(crate) fn identity(&self) -> Cow<'static, str> {
        match self {
            Self::System => "system".into(),
            Self::Anonymous => "0".into(),
            // The quotes keep a name from looking like another part of the text around it.
            Self::Named(name) => format!("named {name:?}").into(),
        }
    }
}

impl ResponseKey {
    /// Returns the caller's access rules as a key, or the default key if no rule affects the rows
    /// of the place. A place is a resource, the number of its ancestors in the URL, and the access
    /// rules.
    pub(crate) fn of(model: &Model, place: Place) -> Self {
        if model.is_ruled(place) { Self(place.rules) } else { Self::default() }
    }

    /// Returns a key that differs from the default key.
    #[cfg(test)]
    pub(crate) const fn of_number(number: u16) -> Self {
        Self(RuleSet::of_number(number))
    }

    /// Whether all callers may share a response with this key.
    pub(crate) fn is_shared(self) -> bool {
        self == Self::default()
    }

    /// Returns the number of the key, which no other key has. It is 0 for the default key.
    pub(crate) fn number(self) -> u64 {
        self.0.number().into()
    }
}

/// The client that a request counts towards, where clients share a limited resource such as the
/// read threads. A client is a connection, or the address that a trusted proxy names.
///
/// A client key does not identify a user. Access rules and responses do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClientKey {
    /// The program itself, which calls the store from Rust code.
    #[default]
    Program,
    /// All requests whose connection is unknown.
    Unknown,
    /// A connection of the server of this crate, by the number of the connection.
    Connection(u64),
    /// A connection, by a hash of the address that its server sets as
    /// [`Peer`](crate::http::client::Peer).
    Peer(u64),
    /// All connections of a client that a trusted proxy names, by a hash of its address.
    Address(u64),
}

/// The keys of the hashes of addresses. They are random, so no client can choose an address with
/// the hash of another.
static ADDRESS_HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl ClientKey {
    /// Returns the key of a new connection, with the next number.
    pub(crate) fn connect() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Connection(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the key of the connection from an address.
    pub(crate) fn peer(address: SocketAddr) -> Self {
        Self::Peer(ADDRESS_HASHER.hash_one(address))
    }

    /// Returns the key of all connections of the client with an address.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(ADDRESS_HASHER.hash_one(address))
    }

    /// Whether several clients may have this key.
    pub(crate) const fn is_shared(self) -> bool {
        matches!(self, Self::Program | Self::Unknown)
    }
}
