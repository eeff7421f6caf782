//! The parts of a declaration about HTTP: server settings, CORS, caching, preconditions and
//! deprecation.

use super::Limits;
use crate::words;

/// The HTTP settings of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDef {
    /// Whether TRACE is supported (RFC 9110 §9.3.8).
    pub trace: bool,
    /// Whether QUERY is supported (RFC 10008).
    pub query: bool,
    /// The cross-origin access from browsers; none if absent.
    pub cors: Option<CorsDef>,
    /// The time that the response for an `Idempotency-Key` is stored, in seconds.
    pub idempotency_keep_seconds: u32,
    /// The proxies whose fields name the client: IP addresses and ranges such as `10.0.0.0/8` (RFC
    /// 7239 §8.1).
    pub trusted_proxies: &'static [&'static str],
    /// The fields that the trusted proxies set. Those of the other kind are the client's word.
    pub proxy_fields: ProxyFields,
    /// The promise to use TLS alone, which browsers remember (RFC 6797); none if absent.
    pub hsts: Option<HstsDef>,
    /// The limits and timeouts.
    pub limits: Limits,
    /// Whether clients of HTTP/2 that accept no server push get 103 Early Hints instead (RFC 8297).
    pub early_hints: bool,
    /// Whether `/-/metrics` is served. If absent, it is served to clients on the same machine.
    pub metrics: Option<bool>,
    /// Whether clients may ask for `Server-Timing`. If absent, clients on the same machine may.
    pub server_timing: Option<bool>,
    /// The hosts that are served, such as `zoo.example.org` or `*.example.org`. If empty, or if one
    /// is `*`, every host is.
    pub hosts: &'static [&'static str],
    /// The rate limits of a client and of an account.
    pub rate_limit: RateLimitDef,
}

/// The rate limits of a client and of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimitDef {
    /// The requests of a client: of an address of IPv4, or a `/64` of IPv6.
    pub client: Option<RateDef>,
    /// The requests of an account. If absent, they count for the client.
    pub account: Option<RateDef>,
}

impl RateLimitDef {
    /// No limit.
    pub const NONE: Self = Self { client: None, account: None };
}

/// A number of requests in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateDef {
    /// The number of requests, which may come at once.
    pub requests: u32,
    /// The time, in seconds, after which as many may come again.
    pub seconds: u32,
}

impl ServerDef {
    /// The default settings: no TRACE, no QUERY, no CORS, no trusted proxy and no early hints.
    /// Responses for an `Idempotency-Key` are stored for a day.
    pub const DEFAULT: Self = Self {
        trace: false,
        query: false,
        cors: None,
        idempotency_keep_seconds: 24 * 60 * 60,
        trusted_proxies: &[],
        proxy_fields: ProxyFields::XForwarded,
        hsts: None,
        limits: Limits::DEFAULT,
        early_hints: false,
        metrics: None,
        server_timing: None,
        hosts: &[],
        rate_limit: RateLimitDef::NONE,
    };
}

/// The promise of a host to use TLS alone (RFC 6797 §6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HstsDef {
    /// The time that browsers remember it, in seconds.
    pub max_age_seconds: u32,
    /// Whether it holds for all subdomains, too.
    pub include_subdomains: bool,
    /// Whether browsers may be shipped with it (<https://hstspreload.org>).
    pub preload: bool,
}

impl HstsDef {
    /// The shortest `max_age_seconds` with `preload`: a year.
    pub const PRELOAD_SECONDS_MIN: u32 = 365 * 24 * 60 * 60;
}

/// The cross-origin access to an API from browsers (the CORS protocol of the Fetch standard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorsDef {
    /// The allowed origins, such as `https://zoo.example`. A single `*` allows any origin.
    pub origins: &'static [&'static str],
    /// Whether cross-origin requests may carry credentials, such as cookies.
    pub credentials: bool,
    /// Request header fields that are allowed in addition to those that the server reads.
    pub headers: &'static [&'static str],
    /// The time that a browser may cache a preflight response, in seconds.
    pub max_age_seconds: u32,
}

impl CorsDef {
    /// The default of `max_age_seconds`. Ten minutes are short, so that changes take effect soon.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;
}

/// The cache directives of the responses of a resource (RFC 9111 §5.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDef {
    /// The freshness lifetime in seconds (`max-age`).
    pub max_age_seconds: Option<u32>,
    /// The freshness lifetime in shared caches, in seconds (`s-maxage`).
    pub s_maxage_seconds: Option<u32>,
    /// Whether shared caches may store the responses (`public` or `private`).
    pub visibility: Option<Visibility>,
    /// Whether no cache may store the responses (`no-store`).
    pub no_store: bool,
    /// Whether a stale response must be revalidated before use (`must-revalidate`).
    pub must_revalidate: bool,
    /// The time that a stale response may be used during revalidation, in seconds (RFC 5861 §3).
    pub stale_while_revalidate_seconds: Option<u32>,
    /// The time that a stale response may be used when the server fails, in seconds (RFC 5861 §4).
    pub stale_if_error_seconds: Option<u32>,
}

impl CacheDef {
    /// No directive: the base for struct update syntax.
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
    /// The fields in which a proxy names its client. A proxy sets one kind, and may pass the other
    /// on as the client wrote it.
    #[derive(Default)]
    pub enum ProxyFields {
        /// `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`.
        #[default]
        XForwarded = "x_forwarded",
        /// `Forwarded` (RFC 7239).
        Forwarded = "forwarded",
    }
}

words! {
    /// The caches that may store a response.
    pub enum Visibility {
        /// Any cache.
        Public = "public",
        /// Only the cache of the client.
        Private = "private",
    }
}

words! {
    /// Whether a change of a member must be conditional (RFC 6585 §3).
    #[derive(Default)]
    pub enum Precondition {
        /// A request without `If-Match` is accepted.
        #[default]
        Optional = "optional",
        /// A request without `If-Match` gets status 428. `If-Unmodified-Since` is not enough.
        Required = "required",
    }
}

words! {
    /// The members that server push sends with a response, unrequested (RFC 9113 §8.4).
    pub enum Push {
        /// The members that the members in the response refer to.
        References = "references",
    }
}

/// The deprecation of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeprecationDef {
    /// The date of the deprecation: `2026-11-20` (RFC 9745).
    pub since: Option<&'static str>,
    /// The date from which the resource may be removed (RFC 8594).
    pub sunset: Option<&'static str>,
    /// The URL of a page that explains what to use instead.
    pub link: Option<&'static str>,
}

impl DeprecationDef {
    /// A deprecation without dates and without a link.
    pub const UNDATED: Self = Self { since: None, sunset: None, link: None };
}
