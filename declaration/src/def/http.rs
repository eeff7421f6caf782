//! The keys of a declaration about HTTP: methods, caching, CORS, and moved URLs.

use crate::words;

/// The settings of the server that belong to HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDef {
    /// Whether TRACE is supported (RFC 9110 §9.3.8).
    pub trace: bool,
    /// Whether QUERY is supported (RFC 10008).
    pub query: bool,
    /// The other origins that may use the interface from a browser; none if absent.
    pub cors: Option<CorsDef>,
    /// The lifetime of the response for an `Idempotency-Key`, in seconds.
    pub idempotency_keep_seconds: u32,
    /// The proxies whose `Forwarded` and `X-Forwarded-*` name the client: IP addresses and ranges
    /// such as `10.0.0.0/8` (RFC 7239 §8.1).
    pub trusted_proxies: &'static [&'static str],
}

impl ServerDef {
    /// Neither TRACE nor QUERY, no other origin, responses of idempotency keys stored for a day,
    /// and no trusted proxy.
    pub const DEFAULT: Self = Self {
        trace: false,
        query: false,
        cors: None,
        idempotency_keep_seconds: 24 * 60 * 60,
        trusted_proxies: &[],
    };
}

/// The other origins that may use an interface (the CORS protocol of the Fetch standard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorsDef {
    /// The origins, such as `https://zoo.example`; `*` alone is any.
    pub origins: &'static [&'static str],
    /// Whether their requests may carry cookies and credentials.
    pub credentials: bool,
    /// Header fields that their requests may have beside those that the interface reads.
    pub headers: &'static [&'static str],
    /// The lifetime of a preflight response in the browser, in seconds.
    pub max_age_seconds: u32,
}

impl CorsDef {
    /// The default lifetime of a preflight response; short, so that changes take effect soon.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;
}

/// The cache directives of representations (RFC 9111 §5.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDef {
    /// Their freshness lifetime in seconds (`max-age`).
    pub max_age_seconds: Option<u32>,
    /// Their freshness lifetime in a shared cache, in seconds (`s-maxage`).
    pub s_maxage_seconds: Option<u32>,
    /// Whether a shared cache may store them.
    pub visibility: Option<Visibility>,
    /// Whether no cache may store them.
    pub no_store: bool,
    /// Whether a stale one must be revalidated before use.
    pub must_revalidate: bool,
    /// The time in which a stale one may be served during revalidation, in seconds (RFC 5861 §3).
    pub stale_while_revalidate_seconds: Option<u32>,
    /// The time in which a stale one may be served when the server fails, in seconds (RFC 5861 §4).
    pub stale_if_error_seconds: Option<u32>,
}

impl CacheDef {
    /// No directive: the base of struct updates.
    pub const EMPTY: Self = Self {
        max_age_seconds: None,
        s_maxage_seconds: None,
        visibility: None,
        no_store: false,
        must_revalidate: false,
        stale_while_revalidate_seconds: None,
        stale_if_error_seconds: None,
    };
}

words! {
    /// The caches that may store a representation.
    pub enum Visibility {
        /// Any cache.
        Public = "public",
        /// Only the client's own cache.
        Private = "private",
    }
}

words! {
    /// Whether a change of a member must be conditional (RFC 6585 §3).
    #[derive(Default)]
    pub enum Precondition {
        /// It may be.
        #[default]
        Optional = "optional",
        /// It must have `If-Match`, otherwise the response is 428. A date is not enough.
        Required = "required",
    }
}

/// The deprecation of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeprecationDef {
    /// The date of the deprecation: `2026-11-20` (RFC 9745).
    pub since: Option<&'static str>,
    /// The date from which it may be removed (RFC 8594).
    pub sunset: Option<&'static str>,
    /// A page about what to use instead.
    pub link: Option<&'static str>,
}

impl DeprecationDef {
    /// A deprecation without dates and link.
    pub const UNDATED: Self = Self { since: None, sunset: None, link: None };
}
