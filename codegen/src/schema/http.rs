//! The keys about HTTP: the settings of the server, caching, conditions, and deprecation.

use nouns_declaration::words;

use super::Visibility;

/// The settings of the server; a flag or an environment variable overrides each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The address to listen on.
    pub listen: Option<String>,
    /// The file of the database.
    pub database: Option<String>,
    /// The point at which a write is acknowledged.
    pub synchronous: Synchronous,
    /// Whether TRACE is supported.
    pub trace: bool,
    /// Whether QUERY is supported.
    pub query: bool,
    /// The other origins that may use the interface from a browser (CORS).
    pub cors: Option<Cors>,
    /// The lifetime of the response for an `Idempotency-Key`, in seconds.
    pub idempotency_keep_seconds: u32,
    /// The proxies whose `Forwarded` and `X-Forwarded-*` name the client.
    pub trusted_proxies: Vec<String>,
}

impl Server {
    /// The default lifetime of the response for an `Idempotency-Key`: longer than clients retry.
    pub const IDEMPOTENCY_KEEP_SECONDS: u32 = 24 * 60 * 60;
}

impl Default for Server {
    fn default() -> Self {
        Self {
            listen: None,
            database: None,
            synchronous: Synchronous::default(),
            trace: false,
            query: false,
            cors: None,
            idempotency_keep_seconds: Self::IDEMPOTENCY_KEEP_SECONDS,
            trusted_proxies: Vec::new(),
        }
    }
}

/// The other origins that may use an interface from a browser (CORS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// The origins; `*` alone is any.
    pub origins: Vec<String>,
    /// Whether their requests may carry cookies and credentials.
    pub credentials: bool,
    /// Header fields that their requests may have beside those that the interface reads.
    pub headers: Vec<String>,
    /// The lifetime of a preflight response in the browser, in seconds.
    pub max_age_seconds: u32,
}

impl Cors {
    /// The default lifetime of a preflight response; short, so that changes take effect soon.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;

    /// CORS for these origins, with defaults.
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

/// The cache directives of representations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
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
    /// The time in which a stale one may be served during revalidation, in seconds.
    pub stale_while_revalidate_seconds: Option<u32>,
    /// The time in which a stale one may be served when the server fails, in seconds.
    pub stale_if_error_seconds: Option<u32>,
}

impl Cache {
    /// Each duration with its key, in the order of the language.
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
    /// The date of the deprecation.
    pub since: Option<String>,
    /// The date from which it may be removed.
    pub sunset: Option<String>,
    /// A page about what to use instead.
    pub link: Option<String>,
}

words! {
    /// The point at which a write is acknowledged.
    #[derive(Default)]
    pub enum Synchronous {
        /// Once it is on disk.
        #[default]
        Full = "full",
        /// Once the operating system has it: a power failure may lose the last writes.
        Normal = "normal",
    }
}
