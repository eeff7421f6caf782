//! Grants: sessions and tokens. Tokens are in the database. Sessions are there too, or else in the
//! memory of the process, with or without files.

use std::{
    collections::HashMap,
    fmt, mem,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Engine, Store,
    issuer::Issuer,
    job::{Job, PendingWrite},
    process_sessions::ProcessSessions,
};
use crate::{
    base::{
        error::Error,
        grant_secret::{GrantSecret, SecretDigest},
        limits,
    },
    model::{GrantKind, accounts::AccountModel, value::seconds_now},
    plan::{
        Account, ClientKey, Outcome,
        grant::{Grant, GrantChange},
    },
};

/// The state of everything that decides which caller a secret stands for. While it is unchanged, a
/// secret stands for the same caller, apart from the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdentityState {
    /// The validator of the accounts.
    pub(super) accounts: u64,
    /// The number of grants in the database that have ended.
    pub(super) ended: u64,
    /// The number of sessions in the memory of the process that have ended.
    pub(super) ended_here: u64,
    /// The number of times that the keys of another issuer have changed.
    pub(super) keys: u64,
}

/// The uses of grants that are not stored yet. Clones share them.
#[derive(Clone, Default)]
pub(super) struct GrantUses(Arc<Mutex<UnstoredUses>>);

#[derive(Default)]
struct UnstoredUses {
    waiting: HashMap<SecretDigest, i64>,
    /// The write that stores earlier uses.
    write: Option<PendingWrite>,
}

impl Store {
    /// Returns the state that decides which caller a secret stands for. Returns `None` if it cannot
    /// be read in time.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read).
    pub(crate) async fn identity_state(
        &self,
        accounts: &AccountModel,
    ) -> Result<Option<IdentityState>, Error> {
        // Read before the database, so that a change in between is noticed later.
        let ended_here = self.sessions.as_ref().map_or(0, ProcessSessions::ended);
        let keys = self.issuer.as_ref().map_or(0, Issuer::changes);
        let state = match &self.engine {
            Engine::Sqlite(engine) => engine.identity_state(&self.model, accounts).await?,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.identity_state(&self.model, accounts).await?,
        };
        Ok(state.map(|(accounts, ended)| IdentityState { accounts, ended, ended_here, keys }))
    }

    /// Returns the account that the secret of a grant stands for. Returns `None` if there is no
    /// such grant, or if it has ended.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read).
    pub(crate) async fn account_of_grant(
        &self,
        client: ClientKey,
        kind: GrantKind,
        secret: GrantSecret,
    ) -> Result<Option<Account>, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(None) };
        let Some(grant) = self.grant(kind, secret.digest()).await? else { return Ok(None) };
        if grant.has_ended(seconds_now(), accounts.def.session.idle_seconds) {
            return Ok(None);
        }
        let account = self.account_by_id(accounts, client, &grant.account).await?;
        let account = account.filter(|account| account.password == grant.password);
        Ok(account.map(|account| Account { grant: Some(Arc::new(grant)), ..account }))
    }

    async fn grant(&self, kind: GrantKind, digest: SecretDigest) -> Result<Option<Grant>, Error> {
        if let (GrantKind::Session, Some(sessions)) = (kind, &self.sessions) {
            return sessions.find(digest);
        }
        match &self.engine {
            Engine::Sqlite(engine) => engine.grant(kind, digest).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.grant(kind, digest).await,
        }
    }

    /// Returns the grants of a kind that an account has, the newest first.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read).
    pub(crate) async fn grants(&self, kind: GrantKind, of: &Account) -> Result<Vec<Grant>, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(vec![]) };
        let account = self.spelled(accounts, of);
        let mut grants = match (kind, &self.sessions, &self.engine) {
            (GrantKind::Session, Some(sessions), _) => sessions.all(&account)?,
            (_, _, Engine::Sqlite(engine)) => engine.grants(kind, &account).await?,
            #[cfg(feature = "postgres")]
            (_, _, Engine::Postgres(engine)) => engine.grants(kind, &account).await?,
        };
        let (now, idle) = (seconds_now(), accounts.def.session.idle_seconds);
        grants.retain(|grant| grant.password == of.password && !grant.has_ended(now, idle));
        Ok(grants)
    }

    /// Adds a grant, and returns once it is stored as durably as a write.
    ///
    /// # Errors
    /// 503 if the write can be retried, 500 if the database or the disk fails.
    pub(crate) async fn add_grant(&self, secret: GrantSecret, grant: Grant) -> Result<(), Error> {
        let most = limits::GRANTS_MAX;
        let change = GrantChange::Add { digest: secret.digest(), grant, most };
        self.change_grants(change).await.map(drop)
    }

    /// Ends a grant of an account. Returns false if the account has no such grant.
    ///
    /// # Errors
    /// 503 if the write can be retried, 500 if the database or the disk fails.
    pub(crate) async fn end_grant(
        &self,
        kind: GrantKind,
        of: &Account,
        id: &str,
    ) -> Result<bool, Error> {
        let Some(accounts) = &self.model.accounts else { return Ok(false) };
        let account = self.spelled(accounts, of);
        let change = GrantChange::End { kind, account, id: id.to_owned() };
        self.change_grants(change).await.map(|count| count > 0)
    }

    async fn change_grants(&self, change: GrantChange) -> Result<u64, Error> {
        let kind = match &change {
            GrantChange::Add { grant, .. } => grant.kind,
            GrantChange::End { kind, .. } => *kind,
            GrantChange::Use(_) | GrantChange::Keep { .. } => GrantKind::Token,
        };
        if let (GrantKind::Session, Some(sessions)) = (kind, &self.sessions) {
            return sessions.change(change).await;
        }
        let (job, waiting) = Job::of_grants(Arc::clone(&self.model), change);
        self.put(job)?;
        match waiting.answer(Some(limits::WRITE_WAIT_MAX)).await?.outcome {
            Outcome::Deleted(count) => Ok(count),
            _ => Err(Error::internal("a change of grants had another outcome")),
        }
    }

    /// Records that a grant was used, without waiting for the disk. The uses of all grants are
    /// stored together, at most once a minute each.
    pub(crate) fn note_use(&self, kind: GrantKind, digest: SecretDigest, now: i64) {
        if let (GrantKind::Session, Some(sessions)) = (kind, &self.sessions) {
            return sessions.note_use(digest, now);
        }
        let mut uses = self.uses.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If the database cannot keep up, the oldest session lasts a little shorter.
        if uses.waiting.len() < limits::GRANT_USES_MAX {
            uses.waiting.insert(digest, now);
        }
        if uses.write.as_mut().is_some_and(|write| !write.has_ended()) {
            return;
        }
        let change = GrantChange::Use(mem::take(&mut uses.waiting).into_iter().collect());
        let (job, waiting) = Job::of_grants(Arc::clone(&self.model), change);
        uses.write = self.put(job).is_ok().then_some(waiting);
    }

    /// The id of an account, as URLs spell it.
    pub(crate) fn spelled(&self, accounts: &AccountModel, account: &Account) -> String {
        account.id.spell(self.model[accounts.resource][crate::model::FieldIx::ID].kind)
    }
}

impl fmt::Debug for GrantUses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GrantUses")
    }
}
