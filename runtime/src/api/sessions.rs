//! [`Sessions`]: the settings of sessions.

use std::time::Duration;

use super::cors::seconds;
use crate::{
    base::interner::{optional, text},
    model::def::{SameSite, SessionDef, SessionStore},
};

/// The settings of sessions: where they are stored, how long they last, and their cookie.
///
/// ```
/// # use nouns_runtime as nouns;
/// use nouns::{SameSite, SessionStore, Sessions};
/// use std::time::Duration;
///
/// let sessions = Sessions::new()
///     .store(SessionStore::File)
///     .ttl(Duration::from_hours(12))
///     .idle(Duration::from_mins(30))
///     .secure(true)
///     .same_site(SameSite::Strict);
/// # drop(sessions);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sessions {
    store: Option<SessionStore>,
    pub(super) ttl: Option<Duration>,
    pub(super) idle: Option<Duration>,
    cookie: Option<String>,
    domain: Option<String>,
    path: Option<String>,
    secure: bool,
    http_only: Option<bool>,
    same_site: Option<SameSite>,
    url_parameter: Option<String>,
    form_field: Option<String>,
}

impl Sessions {
    /// Creates the default settings: sessions in the database, for 14 days, or 24 hours without a
    /// request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where sessions are stored.
    pub const fn store(mut self, store: SessionStore) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the longest time that a session lasts, in whole seconds. The default is 14 days, the
    /// maximum 400 days.
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Sets the longest time between two requests of a session, in whole seconds. The default is 24
    /// hours, the minimum two minutes.
    pub const fn idle(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// Sets the name of the cookie; the default is `session`. A secure cookie gets the prefix
    /// `__Host-` if it has no domain and the path `/`.
    pub fn cookie(mut self, name: impl Into<String>) -> Self {
        self.cookie = Some(name.into());
        self
    }

    /// Sets the attribute `Domain`, so that all hosts of the domain receive the cookie.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Sets the attribute `Path`; the default is `/`.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets whether the cookie always has the attribute `Secure`. By default it has it if the
    /// request came by `https`.
    pub const fn secure(mut self, secure: bool) -> Self {
        self.secure = secure;
        self
    }

    /// Sets whether the cookie has the attribute `HttpOnly`, which hides it from scripts. It has it
    /// by default.
    pub const fn http_only(mut self, http_only: bool) -> Self {
        self.http_only = Some(http_only);
        self
    }

    /// Sets the attribute `SameSite`; the default is [`SameSite::Lax`].
    pub const fn same_site(mut self, same_site: SameSite) -> Self {
        self.same_site = Some(same_site);
        self
    }

    /// Lets a query parameter have the secret of a session in place of a cookie. Logs and histories
    /// of others keep URLs, so prefer the cookie alone.
    pub fn url_parameter(mut self, name: impl Into<String>) -> Self {
        self.url_parameter = Some(name.into());
        self
    }

    /// Lets a field of an HTML form have the secret of a session in place of a cookie.
    pub fn form_field(mut self, name: impl Into<String>) -> Self {
        self.form_field = Some(name.into());
        self
    }

    pub(super) fn def(&self) -> SessionDef {
        let usual = SessionDef::DEFAULT;
        let ttl_seconds = self.ttl.map_or(usual.ttl_seconds, seconds);
        SessionDef {
            store: self.store.unwrap_or(usual.store),
            ttl_seconds,
            idle_seconds: self.idle.map_or_else(|| usual.idle_seconds.min(ttl_seconds), seconds),
            cookie: self.cookie.as_deref().map_or(usual.cookie, text),
            domain: optional(self.domain.as_deref()),
            path: self.path.as_deref().map_or(usual.path, text),
            secure: self.secure,
            http_only: self.http_only.unwrap_or(usual.http_only),
            same_site: self.same_site.unwrap_or(usual.same_site),
            url_parameter: optional(self.url_parameter.as_deref()),
            form_field: optional(self.form_field.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use nouns_declaration::check;

    use super::*;

    /// Conformance 119: an attribute or a prefix that needs `Secure` is refused without it.
    #[test]
    fn a_cookie_that_browsers_refuse_is_not_declared() {
        let refused = |sessions: Sessions| -> Vec<_> {
            let found = check::sessions(&(&sessions.def()).into());
            found.into_iter().map(|(key, _)| key).collect()
        };
        let named = |name: &str| Sessions::new().cookie(name);
        for (sessions, expected) in [
            (Sessions::new().same_site(SameSite::None), "same_site"),
            (named("__Secure-sid"), "cookie"),
            (named("__Host-sid"), "cookie"),
            (named("__Host-sid").secure(true).path("/api"), "cookie"),
            (named("__Host-sid").secure(true).domain("example.org"), "cookie"),
        ] {
            assert_eq!(refused(sessions.clone()), [expected], "{sessions:?}");
        }
        for sessions in [
            Sessions::new(),
            Sessions::new().same_site(SameSite::None).secure(true),
            named("__Secure-sid").secure(true).path("/api"),
            named("__Host-sid").secure(true),
        ] {
            assert!(refused(sessions.clone()).is_empty(), "{sessions:?}");
        }
    }
}
