//! The checked settings of sessions.

use nouns_declaration::def::{SameSite, SessionDef, SessionStore};

/// Where sessions are stored, how long they last, and their cookie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Where sessions are stored.
    pub store: SessionStore,
    /// The longest time that a session lasts, in seconds.
    pub ttl_seconds: u32,
    /// The longest time between two requests of a session, in seconds.
    pub idle_seconds: u32,
    /// The name of the cookie.
    pub cookie: String,
    /// The attribute `Domain` of the cookie.
    pub domain: Option<String>,
    /// The attribute `Path` of the cookie.
    pub path: String,
    /// Whether the cookie always has the attribute `Secure`.
    pub secure: bool,
    /// Whether the cookie has the attribute `HttpOnly`.
    pub http_only: bool,
    /// The attribute `SameSite` of the cookie.
    pub same_site: SameSite,
    /// The query parameter that may have the secret of a session.
    pub url_parameter: Option<String>,
    /// The field of an HTML form that may have the secret of a session.
    pub form_field: Option<String>,
}

impl Default for Session {
    fn default() -> Self {
        let usual = SessionDef::DEFAULT;
        Self {
            store: usual.store,
            ttl_seconds: usual.ttl_seconds,
            idle_seconds: usual.idle_seconds,
            cookie: usual.cookie.to_owned(),
            domain: None,
            path: usual.path.to_owned(),
            secure: usual.secure,
            http_only: usual.http_only,
            same_site: usual.same_site,
            url_parameter: None,
            form_field: None,
        }
    }
}
