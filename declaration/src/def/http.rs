//! What an author declares of HTTP itself: methods, caches, other origins, and URLs that have
//! moved.

use crate::words;

/// How the server answers, beside what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDef {
    /// Whether TRACE is answered (RFC 9110 §9.3.8).
    pub trace: bool,
    /// Whether QUERY is answered (RFC 10008).
    pub query: bool,
    /// Which other origins may use the interface from a browser; none where it is absent.
    pub cors: Option<CorsDef>,
    /// How long the answer to an `Idempotency-Key` is kept, in seconds.
    pub idempotency_keep_seconds: u32,
}

impl ServerDef {
    /// Neither TRACE nor QUERY, no other origin, and answers kept for a day.
    pub const DEFAULT: Self =
        Self { trace: false, query: false, cors: None, idempotency_keep_seconds: 24 * 60 * 60 };
}

/// Which other origins may use an interface (the CORS protocol of the Fetch standard).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorsDef {
    /// The origins, such as `https://zoo.example`; `*` alone is any.
    pub origins: &'static [&'static str],
    /// Whether their requests may carry cookies and credentials.
    pub credentials: bool,
    /// Fields that their requests may have beside those that the interface reads.
    pub headers: &'static [&'static str],
    /// How long a browser may remember the answer to a preflight, in seconds.
    pub max_age_seconds: u32,
}

impl CorsDef {
    /// How long a preflight is remembered unless declared: a change of the declaration is soon
    /// seen.
    pub const MAX_AGE_SECONDS: u32 = 10 * 60;
}

/// For how long, and by whom, representations may be kept (RFC 9111 §5.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDef {
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
    /// How long a stale one may be used while it is asked for anew, in seconds (RFC 5861 §3).
    pub stale_while_revalidate_seconds: Option<u32>,
    /// How long a stale one may be used where the server fails, in seconds (RFC 5861 §4).
    pub stale_if_error_seconds: Option<u32>,
}

impl CacheDef {
    /// Nothing said: the base of struct updates.
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
    /// Who may keep a representation.
    pub enum Visibility {
        /// Any cache.
        Public = "public",
        /// The client's own cache alone.
        Private = "private",
    }
}

words! {
    /// Whether a change of a member must name the state that it changes (RFC 6585 §3).
    #[derive(Default)]
    pub enum Precondition {
        /// It may.
        #[default]
        Optional = "optional",
        /// It must: without `If-Match` it is refused with 428. A date is not enough.
        Required = "required",
    }
}

/// That something is on its way out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeprecationDef {
    /// Since when, as a date: `2026-11-20` (RFC 9745).
    pub since: Option<&'static str>,
    /// From when on it may be gone, as a date (RFC 8594).
    pub sunset: Option<&'static str>,
    /// A page that says what to use instead.
    pub link: Option<&'static str>,
}

impl DeprecationDef {
    /// On its way out, and no more said of it.
    pub const UNDATED: Self = Self { since: None, sunset: None, link: None };
}
