//! The accounts of an API, and how their callers sign in.

use crate::words;

/// The accounts of an API: the resource that has them, and its fields.
///
/// ```
/// # use nouns_declaration as nouns;
/// use nouns::def::{AuthDef, Scheme};
/// const AUTH: AuthDef = AuthDef { role: Some("role"), ..AuthDef::new("user", "email") };
/// assert_eq!((AUTH.password, AUTH.realm, AUTH.schemes), ("password", "Nouns", [Scheme::Basic].as_slice()));
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
}

impl AuthDef {
    /// The field for passwords, if none is declared.
    pub const PASSWORD: &'static str = "password";

    /// The field for roles, if none is declared and the accounts have it.
    pub const ROLE: &'static str = "role";

    /// The realm, if none is declared.
    pub const REALM: &'static str = "Nouns";

    /// The schemes, if none are declared.
    pub const SCHEMES: &'static [Scheme] = &[Scheme::Basic];

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
        }
    }
}

words! {
    /// A scheme with which a caller proves its identity (RFC 9110 §11.1).
    pub enum Scheme {
        /// The login and the password in each request (RFC 7617).
        Basic = "basic",
    }
}
