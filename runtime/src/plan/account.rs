//! [`Account`]: the account that a caller has signed in to.

use std::sync::Arc;

use super::grant::{Grant, PasswordMark};
use crate::{
    base::secret::Secret,
    model::{GrantKind, value::Value},
};

/// The account of a caller, as it was when the request was identified.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The id of the account.
    pub(crate) id: Value,
    /// The name that the caller signed in with.
    pub(crate) login: String,
    /// The role of the account, if it has one.
    pub(crate) role: Option<String>,
    /// The values that access rules and defaults use, in the order of
    /// [`AccountModel::values`](crate::model::AccountModel::values).
    pub(crate) values: Box<[Value]>,
    /// The password of the account.
    pub(crate) password: PasswordMark,
    /// The stored hash of the password. A change of the password or the login is made only while
    /// the account has it.
    pub(crate) hash: Secret,
    /// Whether the request has the present password of the account.
    pub(crate) has_password: bool,
    /// The session or the token of the request; `None` if the request has a password, or a token
    /// of another issuer.
    pub(crate) grant: Option<Arc<Grant>>,
    /// The last second in which the token of another issuer counts, if the request has one, in
    /// seconds since 1970.
    pub(crate) until: Option<i64>,
}

impl Account {
    /// The id of the account. It is [`Value::Null`] if a token of another issuer names no account.
    #[must_use]
    pub const fn id(&self) -> &Value {
        &self.id
    }

    /// The name that the caller signed in with. Without an account, it is the claim `sub` of the
    /// token.
    #[must_use]
    pub fn login(&self) -> &str {
        &self.login
    }

    /// The role of the account, if it has one.
    #[must_use]
    pub fn role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// Whether the caller is known to be the person or program of the account: the request has the
    /// present password, or its session has begun within this number of seconds. A token alone is
    /// not enough. `now` is in seconds since 1970.
    pub(crate) fn is_confirmed(&self, within: u32, now: i64) -> bool {
        let session = self.grant.as_ref().filter(|grant| grant.kind == GrantKind::Session);
        // The clocks of several nodes differ a little.
        let is_new = |grant: &Grant| now.abs_diff(grant.created_at) < u64::from(within);
        self.has_password || session.is_some_and(|grant| is_new(grant))
    }
}
