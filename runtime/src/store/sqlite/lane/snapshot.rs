//! What a lane reads from: a snapshot, for one read or for all those of a turn, and the revisions
//! of the tables in it.
//!
//! To take a snapshot and to give it back costs more than a point read. A thread that says when its
//! turns end keeps one over a turn; at the end of the turn it holds none, so that an idle thread is
//! never in the way of who empties the WAL.
//!
//! Before each read the lane looks at the state of the WAL (`raw/wal_index.rs`), and takes another
//! snapshot where it is not the one from before the snapshot. So a read sees every commit that was
//! answered before the read began, whichever process committed it:
//!
//! - A commit is in the state before whoever made it goes on. Where the state is the same as before
//!   the snapshot, there was no commit since then, and none since the snapshot, which was taken
//!   later.
//! - A commit between the look at the state and the snapshot is in the snapshot, but not in the
//!   state that is noted. So the next read takes another snapshot, once too often. In the other
//!   order, that commit would never be noticed.
//!
//! SQLite takes the snapshot with the first statement after BEGIN. So the revisions of tables,
//! which must be those of the snapshot, are kept by what SQLite says in it, and not by that state.

use std::{sync::Arc, time::Instant};

use super::Lane;
use crate::{
    base::error::Error,
    http::http_date::Second,
    model::Model,
    plan::{
        ClientKey, Sources,
        validator::{self, CurrentState, Identity},
    },
    store::{
        failure::{Failure, FailureKind},
        row::MemberRow as _,
        session::{ReadSession, Session},
        sink::Sink,
        sqlite::{budget::ReadDeadline, handle::Handle, raw::WalState, system},
    },
};

/// How many reads one snapshot serves: a thread that never becomes idle has no turns, and where
/// nobody commits, its snapshot would keep other programs from emptying the WAL.
const READS_MAX: u32 = 128;

/// A snapshot that is held over a turn.
pub(super) struct HeldSnapshot {
    /// The state from before it.
    state: WalState,
    /// How many reads it has served since the first.
    pub(super) reads: u32,
}

/// The revisions of the tables, as far as they are known.
#[derive(Default)]
pub(super) struct TableRevisions {
    /// What SQLite says of the commits of other connections.
    version: Option<i64>,
    /// Whether it was asked in the snapshot that is read: a member alone needs none of this.
    is_asked: bool,
    tables: Vec<Option<(u64, Second)>>,
}

impl Session for Lane {
    type Statements = Handle;

    fn parts(&mut self) -> (&mut Handle, &Identity) {
        (&mut self.handle, &self.identity)
    }

    /// Of the tables that it depends on, only those are read that are not known yet.
    fn current(
        &mut self,
        model: &Model,
        Sources { seed, place }: Sources,
    ) -> Result<CurrentState, Failure> {
        self.refresh()?;
        let known = &mut self.revisions.tables;
        known.resize(model.resources().len(), None);
        for ix in model.sources(place) {
            let table = &mut known[usize::from(ix.0)];
            if table.is_none() {
                *table =
                    Some(system::read_revision(self.handle.connection(), model[ix].def.table)?);
            }
        }
        let tables = model.sources(place).filter_map(|ix| known[usize::from(ix.0)]);
        Ok(validator::collection(seed, &self.identity, tables))
    }
}

impl ReadSession for Lane {
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // This comes before the snapshot: see above.
        let state = self.handle.wal_state();
        // A snapshot that was taken while the log was wanted keeps it from beginning anew.
        let may_hold = self.has_turns && !self.commits.is_wal_wanted();
        if !self.is_current(state) {
            self.release();
            self.handle.run_system("BEGIN")?;
            self.revisions.is_asked = false;
        }
        let mut snapshot = Snapshot { lane: self, is_kept: false };
        let done = work(snapshot.lane);
        snapshot.is_kept = done.is_ok() && may_hold && snapshot.lane.keeps(state);
        drop(snapshot);
        self.forget_damage(&done);
        done
    }

    /// It is a snapshot of its own where none is held.
    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.has_turns {
            return self.snapshot(work);
        }
        let done = work(self);
        self.forget_damage(&done);
        done
    }

    fn end_at(&mut self, until: Instant) -> Result<(), Error> {
        self.watch(&ReadDeadline::new(until, Arc::default()))
    }

    /// Only the response to a request that our server took can be made elsewhere: hooks and
    /// programs have no other thread.
    fn bytes_max(&self, client: ClientKey, sink: &Sink) -> usize {
        match (client, sink) {
            (ClientKey::Connection(_), Sink::Json(_) | Sink::Ndjson(_) | Sink::Csv(_)) => {
                self.read_bytes_max
            }
            _ => usize::MAX,
        }
    }
}

impl Lane {
    /// Empties the page cache after work that met a damaged page.
    fn forget_damage<T>(&mut self, done: &Result<T, Failure>) {
        if done.as_ref().is_err_and(|failure| failure.kind == FailureKind::Damage) {
            self.handle.forget_pages();
        }
    }

    /// Whether the snapshot that is held shows what there is.
    fn is_current(&mut self, now: Option<WalState>) -> bool {
        let Some(HeldSnapshot { state, reads }) = &mut self.held_snapshot else { return false };
        *reads += 1;
        Some(*state) == now && *reads < READS_MAX && !self.commits.is_wal_wanted()
    }

    /// Keeps the snapshot over the turn, if it may.
    fn keeps(&mut self, state: Option<WalState>) -> bool {
        let Some(state) = state.filter(|_| !self.commits.is_wal_wanted()) else { return false };
        if self.held_snapshot.is_none() {
            self.commits.hold();
            self.held_snapshot = Some(HeldSnapshot { state, reads: 0 });
        }
        true
    }

    /// Lets go of the snapshot; from now on one may be held, since somebody says when to let go.
    pub(super) fn end_turn(&mut self) {
        self.release();
        self.has_turns = self.handle.wal_state().is_some();
    }

    fn release(&mut self) {
        if self.held_snapshot.is_some() {
            self.end();
        }
    }

    /// Ends the snapshot. Where it does not end, the lane is stuck, and is replaced before it is
    /// used again.
    fn end(&mut self) {
        if self.held_snapshot.take().is_some() {
            self.commits.release();
        }
        // After an error of the disk SQLite has ended it by itself, or ends it now with the same
        // error.
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.run_system("COMMIT")
            && !self.handle.connection().is_autocommit()
        {
            tracing::error!(%cause, "a snapshot did not end");
        }
    }

    /// Forgets the revisions where another connection has committed since.
    fn refresh(&mut self) -> rusqlite::Result<()> {
        if self.revisions.is_asked {
            return Ok(());
        }
        let mut version = None;
        self.handle.ask("PRAGMA data_version", |row| {
            version = row.integer(0);
            false
        })?;
        if self.revisions.version != version {
            self.revisions.tables.fill(None);
            self.revisions.version = version;
        }
        self.revisions.is_asked = true;
        Ok(())
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.release();
    }
}

/// A snapshot that ends with its work, however that does, unless it is kept.
struct Snapshot<'l> {
    lane: &'l mut Lane,
    is_kept: bool,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.lane.end();
        }
    }
}
