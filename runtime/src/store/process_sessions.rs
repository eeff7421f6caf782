//! [`ProcessSessions`]: sessions in the memory of the process. With a folder, they are in files
//! too, and survive the process.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::session_folder::{SessionFiles, SessionFolder};
use crate::{
    base::{
        error::{Error, text},
        grant_secret::SecretDigest,
        limits,
        secret::Secret,
    },
    model::{
        Model,
        def::{Scheme, SessionStore},
    },
    plan::grant::{Grant, GrantChange, SWEPT_MAX, USE_SECONDS},
};

/// The value of `Retry-After`, in seconds, if there are too many sessions.
const RETRY_SECONDS: u16 = 60;

/// The sessions of a store. Clones share them.
#[derive(Clone)]
pub(super) struct ProcessSessions(Arc<SessionsState>);

struct SessionsState {
    table: Mutex<SessionTable>,
    /// The number of sessions that have ended so far.
    ended: AtomicU64,
    folder: Option<SessionFolder>,
}

#[derive(Default)]
struct SessionTable {
    all: HashMap<SecretDigest, Grant>,
    by_account: HashMap<String, Vec<SecretDigest>>,
    by_end: BTreeSet<(i64, SecretDigest)>,
    /// The open folder. It is opened when the first session is needed.
    files: Option<SessionFiles>,
}

impl ProcessSessions {
    /// Creates the sessions of a model, unless they are in its database.
    pub(super) fn of(model: &Model, database: &Path) -> Option<Self> {
        let auth = model.accounts.as_ref()?.def;
        let folder = match auth.session.store {
            _ if !auth.has(Scheme::Session) => return None,
            SessionStore::Database => return None,
            SessionStore::Memory => None,
            SessionStore::File => Some(SessionFolder::beside(database)),
        };
        Some(Self(Arc::new(SessionsState {
            table: Mutex::default(),
            ended: AtomicU64::new(0),
            folder,
        })))
    }

    /// Returns the sessions of another model with the same database. They are these sessions, if
    /// that model stores them in the same place.
    pub(super) fn with_model(
        before: Option<&Self>,
        model: &Model,
        database: &Path,
    ) -> Option<Self> {
        let sessions = Self::of(model, database)?;
        Some(
            before
                .filter(|before| before.0.folder == sessions.0.folder)
                .cloned()
                .unwrap_or(sessions),
        )
    }

    /// The number of sessions that have ended so far.
    pub(super) fn ended(&self) -> u64 {
        self.0.ended.load(Ordering::Acquire)
    }

    /// Checks that sessions can be stored.
    pub(super) fn ready(&self) -> Result<(), Error> {
        self.table().map(drop)
    }

    pub(super) fn find(&self, digest: SecretDigest) -> Result<Option<Grant>, Error> {
        Ok(self.table()?.all.get(&digest).cloned())
    }

    /// Returns the sessions of an account, the newest first.
    pub(super) fn all(&self, account: &str) -> Result<Vec<Grant>, Error> {
        let table = self.table()?;
        let mut sessions: Vec<_> =
            table.of_account(account).map(|(_, grant)| grant.clone()).collect();
        sessions.sort_by(|one, other| {
            other.created_at.cmp(&one.created_at).then_with(|| one.id.cmp(&other.id))
        });
        Ok(sessions)
    }

    /// Makes a change, and returns the number of sessions that have changed.
    pub(super) async fn change(&self, change: GrantChange) -> Result<u64, Error> {
        match change {
            GrantChange::Add { digest, grant, most } => self.add(digest, grant, most).await,
            GrantChange::End { account, id, .. } => {
                let found = {
                    let table = self.table()?;
                    let mut of_account = table.of_account(&account);
                    of_account.find(|(_, grant)| grant.id == id).map(|(digest, _)| digest)
                };
                let Some(digest) = found else { return Ok(0) };
                self.end(vec![digest]).await?;
                Ok(1)
            }
            GrantChange::Use(_) | GrantChange::Keep { .. } => {
                Err(Error::internal("sessions do not have this change"))
            }
        }
    }

    async fn add(&self, digest: SecretDigest, grant: Grant, most: u32) -> Result<u64, Error> {
        let (mut surplus, saved) = {
            let table = self.table()?;
            let surplus = table.surplus(&grant, most);
            if table.all.len().saturating_sub(surplus.len()) >= limits::PROCESS_SESSIONS_MAX {
                let detail = text!("There are too many sessions.");
                return Err(Error::unavailable(detail, RETRY_SECONDS));
            }
            let saved = table.files.as_ref().map(|files| files.save(digest, &grant)).transpose()?;
            (surplus, saved)
        };
        if let Some(saved) = saved {
            saved.done().await?;
        }
        self.table()?.insert(digest, grant);
        surplus.sort_unstable();
        surplus.dedup();
        self.end(surplus).await?;
        Ok(1)
    }

    /// Ends sessions. They are void at once, and their files are removed before this returns.
    async fn end(&self, digests: Vec<SecretDigest>) -> Result<(), Error> {
        if digests.is_empty() {
            return Ok(());
        }
        let removed = {
            let mut table = self.table()?;
            digests.iter().for_each(|digest| table.remove(*digest));
            self.0.ended.fetch_add(1, Ordering::AcqRel);
            table.files.as_ref().map(|files| files.remove(&digests)).transpose()?
        };
        match removed {
            Some(removed) => removed.done().await,
            None => Ok(()),
        }
    }

    /// Records that a session was used.
    pub(super) fn note_use(&self, digest: SecretDigest, now: i64) {
        let Ok(mut table) = self.table() else { return };
        let Some(grant) = table.all.get_mut(&digest) else { return };
        if now - grant.used_at < USE_SECONDS {
            return;
        }
        grant.used_at = now;
        if let Some(files) = &table.files {
            files.touch(digest, now);
        }
    }

    /// Returns the table, with the sessions of the folder if there is one.
    fn table(&self) -> Result<MutexGuard<'_, SessionTable>, Error> {
        let mut table = self.0.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &self.0.folder
            && table.files.is_none()
        {
            let (files, sessions) = folder.open()?;
            sessions.into_iter().for_each(|(digest, grant)| table.insert(digest, grant));
            table.files = Some(files);
        }
        Ok(table)
    }
}

impl SessionTable {
    fn of_account(&self, account: &str) -> impl Iterator<Item = (SecretDigest, &Grant)> {
        let digests = self.by_account.get(account).into_iter().flatten();
        digests.filter_map(|digest| Some((*digest, self.all.get(digest)?)))
    }

    /// The sessions that end when one more is added: some that have expired, and the oldest of the
    /// account.
    fn surplus(&self, new: &Grant, most: u32) -> Vec<SecretDigest> {
        let expired = self.by_end.iter().take_while(|(end, _)| *end <= new.created_at);
        let expired = expired.take(SWEPT_MAX as usize).map(|(_, digest)| *digest);
        let mut own: Vec<_> = self.of_account(&new.account).collect();
        own.sort_by_key(|(_, grant)| grant.created_at);
        let excess = (own.len() + 1).saturating_sub(most as usize);
        expired.chain(own.into_iter().take(excess).map(|(digest, _)| digest)).collect()
    }

    fn insert(&mut self, digest: SecretDigest, grant: Grant) {
        self.by_account.entry(grant.account.clone()).or_default().push(digest);
        self.by_end.extend(grant.expires_at.map(|end| (end, digest)));
        self.all.insert(digest, grant);
    }

    fn remove(&mut self, digest: SecretDigest) {
        let Some(grant) = self.all.remove(&digest) else { return };
        if let Some(end) = grant.expires_at {
            self.by_end.remove(&(end, digest));
        }
        if let Some(own) = self.by_account.get_mut(&grant.account) {
            own.retain(|one| *one != digest);
            if own.is_empty() {
                self.by_account.remove(&grant.account);
            }
        }
    }
}

impl fmt::Debug for ProcessSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}
