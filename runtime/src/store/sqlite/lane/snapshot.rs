//! What a lane reads from: a snapshot, for one read or for all reads of a turn, and the revisions
//! of the tables in it.
//!
//! To begin and end a snapshot costs more than a point read. A thread that signals the end of its
//! turns holds one over a turn. At the end of the turn it holds none, so an idle thread never
//! blocks the checkpoint that empties the WAL.
//!
//! Before each read the lane compares the state of the WAL (`raw/wal_index.rs`) with the state from
//! before its snapshot. If they differ, it takes a new snapshot. So a read sees every commit that
//! was answered before the read began, whichever process committed it:
//!
//! - A commit changes the state before its writer continues. If the state is the same as before the
//!   snapshot, there was no commit since then, so none since the snapshot, which was taken later.
//! - A commit between the reading of the state and the snapshot is in the snapshot, but not in the
//!   noted state. So the next read takes a new snapshot without need. In the other order, that
//!   commit would never be noticed.
//!
//! SQLite takes the snapshot with the first statement after BEGIN. The revisions of tables must be
//! those of the snapshot. So they are valid by SQLite's `data_version` in the snapshot, and not by
//! that state.

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

/// The number of reads that one snapshot serves. A thread that never becomes idle has no end of
/// turns. Without commits, its snapshot would keep other programs from emptying the WAL.
const READS_MAX: u32 = 128;

/// A snapshot that is held over a turn.
pub(super) struct HeldSnapshot {
    /// The state of the WAL from before the snapshot.
    state: WalState,
    /// The number of reads that it has served after the first.
    pub(super) reads: u32,
}

/// The revisions of the tables, as far as they are known.
#[derive(Default)]
pub(super) struct TableRevisions {
    /// SQLite's `data_version`, which the commits of other connections change.
    version: Option<i64>,
    /// Whether `version` was read in this snapshot. A read of one member alone does not need it.
    is_asked: bool,
    tables: Vec<Option<(u64, Second)>>,
}

impl Session for Lane {
    type Statements = Handle;

    fn parts(&mut self) -> (&mut Handle, &Identity) {
        (&mut self.handle, &self.identity)
    }

    /// Reads the revisions of the tables that the collection depends on, if they are not known yet.
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
        // The state is read before the snapshot: see above.
        let state = self.handle.wal_state();
        // A snapshot that is taken during a checkpoint keeps the WAL from restarting.
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

    /// Each statement is its own snapshot if none is held.
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

    /// The bound applies only to requests that our server took. Hooks and programs have no other
    /// thread that could render their pages.
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

    /// Whether the snapshot that is held is up to date.
    fn is_current(&mut self, now: Option<WalState>) -> bool {
        let Some(HeldSnapshot { state, reads }) = &mut self.held_snapshot else { return false };
        *reads += 1;
        Some(*state) == now && *reads < READS_MAX && !self.commits.is_wal_wanted()
    }

    /// Holds the snapshot over the turn, if that is allowed. Returns whether it is.
    fn keeps(&mut self, state: Option<WalState>) -> bool {
        let Some(state) = state.filter(|_| !self.commits.is_wal_wanted()) else { return false };
        if self.held_snapshot.is_none() {
            self.commits.hold();
            self.held_snapshot = Some(HeldSnapshot { state, reads: 0 });
        }
        true
    }

    /// Releases the snapshot. From now on one may be held over a turn, since the end of turns is
    /// signaled.
    pub(super) fn end_turn(&mut self) {
        self.release();
        self.has_turns = self.handle.wal_state().is_some();
    }

    fn release(&mut self) {
        if self.held_snapshot.is_some() {
            self.end();
        }
    }

    /// Ends the snapshot. If that fails, the lane is stuck, and is replaced before it is used
    /// again.
    fn end(&mut self) {
        if self.held_snapshot.take().is_some() {
            self.commits.release();
        }
        // After a disk error SQLite has ended the transaction itself, or ends it now with the same
        // error.
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.run_system("COMMIT")
            && !self.handle.connection().is_autocommit()
        {
            tracing::error!(%cause, "a snapshot did not end");
        }
    }

    /// Forgets the revisions if another connection has committed since they were read.
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

/// A snapshot that ends with its work, even after a panic, unless it is kept.
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
