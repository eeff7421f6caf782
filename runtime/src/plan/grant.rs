//! [`Grant`]: a session or a token. Who has its secret may act as its account.

use http::Method;
use sha2::{Digest as _, Sha256};

use super::Caller;
use crate::base::grant_secret::SecretDigest;
pub(crate) use crate::model::GrantKind;

/// The largest number of expired grants that are deleted when a new one is added. So each write is
/// short, and expired grants do not accumulate.
pub(crate) const SWEPT_MAX: u32 = 16;

/// The shortest time between two stored uses of a grant, in seconds.
pub(crate) const USE_SECONDS: i64 = 60;

/// A session or a token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) kind: GrantKind,
    /// The id, which is in URLs and bodies. It is no secret.
    pub(crate) id: String,
    /// The id of the account, as URLs spell it.
    pub(crate) account: String,
    /// The password that the account had. With another password, the grant is void.
    pub(crate) password: PasswordMark,
    /// The name of a token.
    pub(crate) name: Option<String>,
    /// The scopes of the grant.
    pub(crate) scopes: GrantScopes,
    /// Whether the cookie of a session outlives the browser's own session.
    pub(crate) is_persistent: bool,
    /// The times are in seconds since 1970.
    pub(crate) created_at: i64,
    /// The end of the grant, or `None` for a token that does not expire.
    pub(crate) expires_at: Option<i64>,
    /// The last use. It is stored about once a minute.
    pub(crate) used_at: i64,
}

/// A digest of the stored hash of a password. It tells whether an account still has the password
/// that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PasswordMark(pub(crate) [u8; 32]);

/// The scopes of a grant: a set of [`GrantScope`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrantScopes(pub(crate) u8);

/// A part of what an account may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrantScope {
    /// Requests with safe methods (RFC 9110 §9.2.1).
    Read = 1,
    /// All other requests.
    Write = 2,
}

/// A change of the stored grants. It can be run again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GrantChange {
    /// Adds a grant. If the account then has more than `most` of this kind, the oldest ones end.
    Add { digest: SecretDigest, grant: Grant, most: u32 },
    /// Ends one grant of an account.
    End { kind: GrantKind, account: String, id: String },
    /// Records the last use of grants, in seconds since 1970.
    Use(Vec<(SecretDigest, i64)>),
    /// Keeps the tokens of an account that has changed its own password.
    Keep { account: String, before: PasswordMark, after: PasswordMark },
}

impl Grant {
    /// Whether the grant has ended at a time. `idle` is the longest time between two uses of a
    /// session, in seconds.
    pub(crate) fn has_ended(&self, now: i64, idle: u32) -> bool {
        let is_idle = self.kind == GrantKind::Session && now - self.used_at >= i64::from(idle);
        is_idle || self.expires_at.is_some_and(|end| now >= end)
    }
}

impl Caller {
    /// Whether the grant of the caller, if it has one, lets it use a method.
    pub(crate) fn may_use(&self, method: &Method) -> bool {
        let grant = self.account().and_then(|account| account.grant.as_deref());
        let scope = if method.is_safe() { GrantScope::Read } else { GrantScope::Write };
        grant.is_none_or(|grant| grant.scopes.has(scope))
    }

    /// Whether the grant of the caller, if it has one, lets it read.
    pub(crate) fn may_read(&self) -> bool {
        self.may_use(&Method::GET)
    }
}

impl PasswordMark {
    /// The mark of a stored password, by its hash.
    pub(crate) fn of(hash: &str) -> Self {
        Self(Sha256::digest(hash).into())
    }
}

impl GrantScope {
    /// All scopes with their names.
    pub(crate) const ALL: [(&'static str, Self); 2] =
        [("read", Self::Read), ("write", Self::Write)];
}

impl GrantScopes {
    /// Everything that the account may do.
    pub(crate) const ALL: Self = Self(3);

    /// No scope.
    pub(crate) const NONE: Self = Self(0);

    pub(crate) const fn has(self, scope: GrantScope) -> bool {
        self.0 & scope as u8 != 0
    }

    #[must_use]
    pub(crate) const fn with(self, scope: GrantScope) -> Self {
        Self(self.0 | scope as u8)
    }

    /// Whether every scope of `self` is in `other`.
    pub(crate) const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The names of the scopes.
    pub(crate) fn words(self) -> Vec<&'static str> {
        let scopes = GrantScope::ALL.into_iter().filter(|(_, scope)| self.has(*scope));
        scopes.map(|(word, _)| word).collect()
    }
}
