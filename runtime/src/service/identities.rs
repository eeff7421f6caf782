//! [`Identities`]: the callers of recent requests, by their credentials, so that most requests of a
//! caller read neither its account nor its session.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::{
    base::{limits, secret::Secret},
    plan::{Account, grant::USE_SECONDS},
    store::grants::IdentityState,
};

/// The accounts that credentials stand for. An entry counts while the accounts and the grants are
/// as they were, so a change of either acts on the next request. Each worker has its own.
#[derive(Default)]
pub(super) struct Identities(Mutex<HashMap<[u8; 32], KnownIdentity>>);

struct KnownIdentity {
    state: IdentityState,
    account: Arc<Account>,
    since: Instant,
    /// When the last use of the grant was noted, in seconds since 1970.
    noted_at: i64,
}

/// The account of known credentials.
pub(super) struct KnownAccount {
    pub(super) account: Arc<Account>,
    /// Whether the use of the grant is to be noted again.
    pub(super) is_noteworthy: bool,
}

impl Identities {
    /// Returns the account that credentials stand for, if it is known. `now` is the time in seconds
    /// since 1970, and `idle` the longest time between two uses of a session.
    pub(super) fn find(
        &self,
        key: &[u8; 32],
        state: IdentityState,
        now: i64,
        idle: u32,
    ) -> Option<KnownAccount> {
        let mut all = self.all();
        let known = all.get_mut(key).filter(|known| known.state == state)?;
        let mut is_noteworthy = false;
        match &known.account.grant {
            // After a while an account and its grant are read again.
            _ if known.since.elapsed() >= limits::IDENTITY_TIME_MAX => return None,
            _ if known.account.until.is_some_and(|until| now > until) => return None,
            Some(grant) if grant.has_ended(now, idle) => return None,
            Some(_) if now - known.noted_at >= USE_SECONDS => {
                (known.noted_at, is_noteworthy) = (now, true);
            }
            _ => {}
        }
        Some(KnownAccount { account: Arc::clone(&known.account), is_noteworthy })
    }

    /// Adds an account that credentials stand for.
    pub(super) fn add(
        &self,
        key: [u8; 32],
        state: IdentityState,
        account: Arc<Account>,
        noted_at: i64,
    ) {
        let mut all = self.all();
        if all.len() >= limits::IDENTITIES_MAX {
            all.retain(|_, known| known.state == state);
        }
        if all.len() >= limits::IDENTITIES_MAX {
            all.clear();
        }
        all.insert(key, KnownIdentity { state, account, since: Instant::now(), noted_at });
    }

    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], KnownIdentity>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}
