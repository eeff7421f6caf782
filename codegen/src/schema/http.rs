//! What is declared of HTTP itself: the settings of the server, caches, conditions, and what is on
//! its way out.

use nouns_declaration::words;

use super::Visibility;

/// The settings of the server, each of which a flag or a variable of the environment overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The address to listen on.
    pub listen: Option<String>,
    /// The file of the database.
    pub database: Option<String>,
    /// When a write counts as done.
    pub synchronous: Synchronous,
    /// Whether TRACE is answered.
    pub trace: bool,
    /// Whether QUERY is answered.
    pub query: bool,
    /// Which other origins may use the interface from a browser.
    pub cors: Option<Cors>,
    /// How long the answer to an `Idempotency-Key` is kept, in seconds.
    pub idempotency_keep_seconds: u32,
}

impl Server {
    /// How long the answer to an `Idempotency-Key` is kept unless declared: as long as a client may
    /// try again.
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
        }
    }
}

/// Which other origins may use an interface from a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cors {
    /// The origins; `*` alone is any.
    pub origins: Vec<String>,
    /// Whether their requests may carry cookies and credentials.
    pub credentials: bool,
    /// Fields that their requests may have beside those that the interface reads.
    pub headers: Vec<String>,
    /// How long a browser may remember the answer to a preflight, in seconds.
    pub max_age_seconds: u32,
}

impl Cors {
    /// How long a preflight is remembered unless declared: a change of the declaration is soon
    /// seen.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;

    /// These origins, and nothing else said.
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

/// For how long, and by whom, representations may be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// How long they are fresh, in seconds.
    pub max_age_seconds: Option<u32>,
    /// How long they are fresh in a shared cache, in seconds.
    pub s_maxage_seconds: Option<u32>,
    /// Whether a shared cache may keep them.
    pub visibility: Option<Visibility>,
    /// Whether nobody may keep them.
    pub no_store: bool,
    /// Whether a stale one must never be used unasked.
    pub must_revalidate: bool,
    /// How long a stale one may be used while it is asked for anew, in seconds.
    pub stale_while_revalidate_seconds: Option<u32>,
    /// How long a stale one may be used where the server fails, in seconds.
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

/// That something is on its way out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// Since when, as a date.
    pub since: Option<String>,
    /// From when on it may be gone, as a date.
    pub sunset: Option<String>,
    /// A page that says what to use instead.
    pub link: Option<String>,
}

words! {
    /// When a write counts as done.
    #[derive(Default)]
    pub enum Synchronous {
        /// When the disk has it.
        #[default]
        Full = "full",
        /// When the operating system has it: a power failure may lose the last writes.
        Normal = "normal",
    }
}
