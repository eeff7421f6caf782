//! The parts of a declaration about HTTP: server settings, CORS, caching and deprecation.

use nouns_declaration::{
    def::{HstsDef, Limits, RateLimitDef},
    words,
};

use super::{ProxyFields, Visibility};

/// The settings of the server. Each can be overridden by a flag or an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The host and port, or the Unix socket, to listen on.
    pub listen: Option<String>,
    /// The time that a stopping server still serves while it says that it is not ready, in seconds.
    pub drain_delay_seconds: u32,
    /// A second address to listen on, without TLS.
    pub listen_plain: Option<String>,
    /// The files for TLS; none if absent.
    pub tls: Option<Tls>,
    /// The path of the database file.
    pub database: Option<String>,
    /// The point at which a write is acknowledged.
    pub synchronous: Synchronous,
    /// Whether TRACE is supported.
    pub trace: bool,
    /// Whether QUERY is supported.
    pub query: bool,
    /// The cross-origin access from browsers (CORS); none if absent.
    pub cors: Option<Cors>,
    /// The time that the response for an `Idempotency-Key` is stored, in seconds.
    pub idempotency_keep_seconds: u32,
    /// The proxies whose fields name the client.
    pub trusted_proxies: Vec<String>,
    /// The fields that the trusted proxies set.
    pub proxy_fields: ProxyFields,
    /// The promise to use TLS alone; none if absent.
    pub hsts: Option<HstsDef>,
    /// The limits and timeouts.
    pub limits: Limits,
    /// Whether clients of HTTP/2 that accept no server push get 103 Early Hints.
    pub early_hints: bool,
    /// Whether the metrics are served; by default only to clients on the same machine.
    pub metrics: Option<bool>,
    /// Whether clients may ask for `Server-Timing`; by default only those on the same machine.
    pub server_timing: Option<bool>,
    /// The host and port of the admin listener.
    pub admin_listen: Option<String>,
    /// The directory whose files replace those of the web pages.
    pub templates: Option<String>,
    /// The hosts that are served. If empty, every host is, except on a loopback address.
    pub hosts: Vec<String>,
    /// The rate limits of a client and of an account.
    pub rate_limit: RateLimitDef,
}

impl Server {
    /// The default of `idempotency_keep_seconds`. A day is longer than clients usually retry.
    pub const IDEMPOTENCY_KEEP_SECONDS: u32 = 24 * 60 * 60;
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: None,
            drain_delay_seconds: 0,
            listen_plain: None,
            tls: None,
            database: None,
            synchronous: Synchronous::default(),
            trace: false,
            query: false,
            cors: None,
            idempotency_keep_seconds: Self::IDEMPOTENCY_KEEP_SECONDS,
            trusted_proxies: Vec::new(),
            proxy_fields: ProxyFields::default(),
            hsts: None,
            limits: Limits::DEFAULT,
            early_hints: false,
            metrics: None,
            server_timing: None,
            admin_listen: None,
            templates: None,
            hosts: Vec::new(),
            rate_limit: RateLimitDef::NONE,
        }
    }
}

/// The files for TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The path of the PEM file with the certificate.
    pub certificate: String,
    /// The path of the PEM file with the key of the certificate.
    pub key: String,
}

/// The cross-origin access to an API from browsers (CORS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// The allowed origins. A single `*` allows any origin.
    pub origins: Vec<String>,
    /// Whether cross-origin requests may carry credentials, such as cookies.
    pub credentials: bool,
    /// Request header fields that are allowed in addition to those that the server reads.
    pub headers: Vec<String>,
    /// The time that a browser may cache a preflight response, in seconds.
    pub max_age_seconds: u32,
}

impl Cors {
    /// The default of `max_age_seconds`. Ten minutes are short, so that changes take effect soon.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;

    /// CORS settings with these origins and default values.
    #[must_use]
    pub const fn of(origins: Vec<String>) -> Self {
        Self {
            origins,
            credentials: false,
            headers: Vec::new(),
            max_age_seconds: Self::MAX_AGE_SECONDS,
        }
    }
}

/// The cache directives of the responses of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
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
    /// The time that a stale response may be used during revalidation, in seconds.
    pub stale_while_revalidate_seconds: Option<u32>,
    /// The time that a stale response may be used when the server fails, in seconds.
    pub stale_if_error_seconds: Option<u32>,
}

impl Cache {
    /// The four durations with their keys, in the order of the schema language. `None` is a key
    /// that is not present.
    #[must_use]
    pub const fn durations(&self) -> [(&'static str, Option<u32>); 4] {
        [
            ("max_age", self.max_age_seconds),
            ("s_maxage", self.s_maxage_seconds),
            ("stale_while_revalidate", self.stale_while_revalidate_seconds),
            ("stale_if_error", self.stale_if_error_seconds),
        ]
    }
}

/// The deprecation of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The date of the deprecation, such as `2026-11-20`.
    pub since: Option<String>,
    /// The date from which the resource may be removed.
    pub sunset: Option<String>,
    /// The URL of a page that explains what to use instead.
    pub link: Option<String>,
}

words! {
    /// The point at which a write is acknowledged.
    #[derive(Default)]
    pub enum Synchronous {
        /// When the write is on disk.
        #[default]
        Full = "full",
        /// When the operating system has the write. A power failure may lose the last writes.
        Normal = "normal",
    }
}
