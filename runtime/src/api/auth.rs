//! [`Auth`]: the accounts of an interface.

use std::time::Duration;

use super::{Jwt, Sessions, cors::seconds};
use crate::{
    base::interner::{Interner, text},
    code::resource::Resource,
    model::def::{AuthDef, ResourceDef, Scheme, SessionDef},
};

/// The accounts of an interface: the resource that has them, and how callers sign in.
///
/// With accounts, a resource without access rules is for callers who are signed in.
#[derive(Clone, Debug)]
#[must_use]
pub struct Auth {
    accounts: &'static ResourceDef,
    login: Option<String>,
    password: Option<String>,
    role: Option<String>,
    realm: Option<String>,
    schemes: Vec<Scheme>,
    pub(super) confirm_within: Option<Duration>,
    pub(super) session: Option<Sessions>,
    pub(super) jwt: Option<Jwt>,
}

impl Auth {
    /// Creates accounts that are the members of a resource.
    pub fn of<R: Resource>() -> Self {
        Self {
            accounts: R::DEF,
            login: None,
            password: None,
            role: None,
            realm: None,
            schemes: vec![],
            confirm_within: None,
            session: None,
            jwt: None,
        }
    }

    /// Sets the field with the name that a caller signs in with. It is required, and no two
    /// accounts have the same.
    pub fn login(mut self, field: impl Into<String>) -> Self {
        self.login = Some(field.into());
        self
    }

    /// Sets the field of type [`Password`](crate::Password); the default is `password`.
    pub fn password(mut self, field: impl Into<String>) -> Self {
        self.password = Some(field.into());
        self
    }

    /// Sets the field with the role of an account. The default is `role`, if there is such a field.
    pub fn role(mut self, field: impl Into<String>) -> Self {
        self.role = Some(field.into());
        self
    }

    /// Sets the name of the protected space, which a browser shows (RFC 9110 §11.5). The default
    /// is `Nouns`.
    pub fn realm(mut self, realm: impl Into<String>) -> Self {
        self.realm = Some(realm.into());
        self
    }

    /// Adds a scheme with which a caller may prove its identity. Without this call, all schemes
    /// that Nouns supports are allowed.
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.schemes.push(scheme);
        self
    }

    /// Sets the time after a sign-in, in whole seconds, in which a session may change its own
    /// password and login without the present password. The default is 15 minutes; with zero, the
    /// present password is always needed.
    pub const fn confirm_within(mut self, time: Duration) -> Self {
        self.confirm_within = Some(time);
        self
    }

    /// Sets where sessions are stored, how long they last, and their cookie.
    pub fn session(mut self, sessions: Sessions) -> Self {
        self.session = Some(sessions);
        self
    }

    /// Lets callers sign in with tokens of another issuer, too. Only the last call counts.
    pub fn jwt(mut self, jwt: Jwt) -> Self {
        self.jwt = Some(jwt);
        self
    }

    pub(super) fn def(&self) -> AuthDef {
        static SCHEMES: Interner<[Scheme]> = Interner::new();
        let usual_role =
            self.accounts.fields.iter().map(|field| field.name).find(|name| *name == AuthDef::ROLE);
        let mut schemes = self.schemes.clone();
        schemes.sort_unstable();
        schemes.dedup();
        AuthDef {
            accounts: self.accounts.name,
            login: self.login.as_deref().map_or("login", text),
            password: self.password.as_deref().map_or(AuthDef::PASSWORD, text),
            role: self.role.as_deref().map(text).or(usual_role),
            realm: self.realm.as_deref().map_or(AuthDef::REALM, text),
            schemes: match schemes.is_empty() {
                true => AuthDef::SCHEMES,
                false => SCHEMES.intern(schemes.into()),
            },
            confirm_seconds: self.confirm_within.map_or(AuthDef::CONFIRM_SECONDS, seconds),
            session: self.session.as_ref().map_or(SessionDef::DEFAULT, Sessions::def),
            jwt: self.jwt.as_ref().map(Jwt::def),
        }
    }
}
