//! The checked accounts of an API.

use super::{Jwt, Session};
use nouns_declaration::def::Scheme;

/// The accounts of an API, and how their callers sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// The name of the resource whose members are the accounts.
    pub accounts: String,
    /// Its field with the name that a caller signs in with.
    pub login: String,
    /// Its field of type `password`.
    pub password: String,
    /// Its field with the role of an account, if there are roles.
    pub role: Option<String>,
    /// The name of the protected space, which a browser shows.
    pub realm: String,
    /// The schemes with which a caller may prove its identity, each once.
    pub schemes: Vec<Scheme>,
    /// The time in which a new session confirms its account, in seconds.
    pub confirm_seconds: u32,
    /// The settings of sessions.
    pub session: Session,
    /// The tokens of another issuer, if callers may sign in with them.
    pub jwt: Option<Jwt>,
}
