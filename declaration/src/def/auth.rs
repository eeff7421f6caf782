//! The accounts of an API, and how their callers sign in.

use super::JwtDef;
use crate::words;

/// The accounts of an API: the resource that has them, and its fields.
///
/// ```
/// # use nouns_declaration as nouns;
/// use nouns::def::{AuthDef, Scheme};
/// const AUTH: AuthDef = AuthDef { role: Some("role"), ..AuthDef::new("user", "email") };
/// assert_eq!((AUTH.password, AUTH.realm), ("password", "Nouns"));
/// assert_eq!(AUTH.schemes, [Scheme::Basic, Scheme::Session, Scheme::Bearer]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthDef {
    /// The name of the resource whose members are the accounts.
    pub accounts: &'static str,
    /// Its field with the name that a caller signs in with. It is required and unique.
    pub login: &'static str,
    /// Its field of type `password`.
    pub password: &'static str,
    /// Its field with the role of an account, if there are roles.
    pub role: Option<&'static str>,
    /// The name of the protected space, which a browser shows (RFC 9110 §11.5).
    pub realm: &'static str,
    /// The schemes with which a caller may prove its identity.
    pub schemes: &'static [Scheme],
    /// The time after a sign-in in which the session may change the own password and login without
    /// the present password, in seconds.
    pub confirm_seconds: u32,
    /// The settings of sessions, if [`Scheme::Session`] is one of the schemes.
    pub session: SessionDef,
    /// The tokens of another issuer, if callers may sign in with them.
    pub jwt: Option<JwtDef>,
}

impl AuthDef {
    /// The field for passwords, if none is declared.
    pub const PASSWORD: &'static str = "password";

    /// The field for roles, if none is declared and the accounts have it.
    pub const ROLE: &'static str = "role";

    /// The realm, if none is declared.
    pub const REALM: &'static str = "Nouns";

    /// The schemes, if none are declared.
    pub const SCHEMES: &'static [Scheme] = &[Scheme::Basic, Scheme::Session, Scheme::Bearer];

    /// The time in which a new session confirms its account, if none is declared, in seconds.
    pub const CONFIRM_SECONDS: u32 = 15 * 60;

    /// The name, in the body of a change of the own account, of the present password. No field of
    /// the accounts has it.
    pub const CURRENT_PASSWORD: &'static str = "current_password";

    /// The accounts of a resource without roles: the base for struct update syntax.
    #[must_use]
    pub const fn new(accounts: &'static str, login: &'static str) -> Self {
        Self {
            accounts,
            login,
            password: Self::PASSWORD,
            role: None,
            realm: Self::REALM,
            schemes: Self::SCHEMES,
            confirm_seconds: Self::CONFIRM_SECONDS,
            session: SessionDef::DEFAULT,
            jwt: None,
        }
    }

    /// Whether callers may sign in with a scheme.
    #[must_use]
    pub fn has(&self, scheme: Scheme) -> bool {
        self.schemes.contains(&scheme)
    }
}

/// The settings of sessions: where they are stored, how long they last, and their cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionDef {
    /// Where sessions are stored.
    pub store: SessionStore,
    /// The longest time that a session lasts, in seconds.
    pub ttl_seconds: u32,
    /// The longest time between two requests of a session, in seconds.
    pub idle_seconds: u32,
    /// The name of the cookie.
    pub cookie: &'static str,
    /// The attribute `Domain` of the cookie. Without it, only the host that has set the cookie
    /// receives it.
    pub domain: Option<&'static str>,
    /// The attribute `Path` of the cookie.
    pub path: &'static str,
    /// Whether the cookie always has the attribute `Secure`. Otherwise it has it if the request
    /// came by `https`.
    pub secure: bool,
    /// Whether the cookie has the attribute `HttpOnly`, which hides it from scripts.
    pub http_only: bool,
    /// The attribute `SameSite` of the cookie.
    pub same_site: SameSite,
    /// The query parameter that may have the secret of a session in place of a cookie.
    pub url_parameter: Option<&'static str>,
    /// The field of an HTML form that may have the secret of a session in place of a cookie.
    pub form_field: Option<&'static str>,
}

impl SessionDef {
    /// The settings, if none are declared.
    pub const DEFAULT: Self = Self {
        store: SessionStore::Database,
        ttl_seconds: 14 * 24 * 60 * 60,
        idle_seconds: 24 * 60 * 60,
        cookie: "session",
        domain: None,
        path: "/",
        secure: false,
        http_only: true,
        same_site: SameSite::Lax,
        url_parameter: None,
        form_field: None,
    };

    /// The shortest `idle`, in seconds. The last use of a session is stored once a minute.
    pub const IDLE_SECONDS_MIN: u32 = 120;
}

impl Default for SessionDef {
    fn default() -> Self {
        Self::DEFAULT
    }
}

words! {
    /// A scheme with which a caller proves its identity (RFC 9110 §11.1).
    pub enum Scheme {
        /// The login and the password in each request (RFC 7617).
        Basic = "basic",
        /// A cookie that signing in has set (RFC 6265).
        Session = "session",
        /// A token that the caller has made for a program (RFC 6750).
        Bearer = "bearer",
    }
}

words! {
    /// Where sessions are stored.
    pub enum SessionStore {
        /// In the memory of the process. Sessions end with the process.
        Memory = "memory",
        /// In files beside the database.
        File = "file",
        /// In the database.
        Database = "database",
    }
}

words! {
    /// The attribute `SameSite` of a cookie (RFC 6265bis §4.1.2.7): whether a browser sends the
    /// cookie with requests that other sites cause.
    pub enum SameSite {
        /// Never.
        Strict = "strict",
        /// When the user follows a link.
        Lax = "lax",
        /// Always.
        None = "none",
    }
}
