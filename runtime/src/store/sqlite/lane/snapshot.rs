//! The snapshot that a lane (a read connection) reads from, and the revisions of the tables in that
//! snapshot.
//!
//! To begin and end a snapshot costs more than a read of one member. So a lane may hold a snapshot
//! for all reads of a turn: the time in which a worker thread runs until it becomes idle. An idle
//! worker holds no snapshot, so it never prevents a checkpoint from resetting the WAL.
//!
//! Before each read the lane compares the current WAL state (`raw/wal_index.rs`) with the WAL state
//! that it read before it took the snapshot. If the two differ, the lane takes a new snapshot. So a
//! read sees every commit that was confirmed before the read began, whichever process committed:
//!
//! - A commit changes the WAL state before the writer continues. The lane reads the WAL state first
//!   and takes the snapshot afterwards. If the WAL state is unchanged, the snapshot contains all
//!   commits.
//! - A commit may come between reading the WAL state and taking the snapshot. The snapshot contains
//!   that commit, but the recorded WAL state does not. So the next read takes a new snapshot
//!   without need. If the lane took the snapshot first, such a commit would never be noticed.
//!
//! SQLite takes the snapshot at the first statement after BEGIN. The cached table revisions must
//! belong to the snapshot. So the lane checks them by SQLite's `data_version` in the snapshot, not
//! by the WAL state.

use std::{mem, sync::Arc, time::Instant};

use super::Lane;
use crate::{
    base::error::Error,
    http::http_date::Second,
    model::Model,
    plan::{CollectionState, Plan, Sources, validator::Identity},
    store::{
        end_demand::EndDemand,
        failure::{Failure, FailureKind},
        row::MemberRow as _,
        session::{ReadSession, Session},
        sink::Sink,
        sqlite::{budget::ReadDeadline, grants, handle::Handle, raw::WalState, system},
    },
};

/// The maximum number of reads that one snapshot serves. A thread that never becomes idle takes a
/// new snapshot only after a commit, or after this number of reads. An old snapshot keeps other
/// programs from resetting the WAL.
const READS_MAX: u32 = 128;

/// A snapshot that a lane holds from one read to the next, until its thread becomes idle.
pub(super) struct HeldSnapshot {
    /// The WAL state that was read before the snapshot was taken.
    state: WalState,
    /// The number of reads that the snapshot has served, without the first one.
    pub(super) reads: u32,
}

/// The cached revisions of tables. A table whose revision was not read has `None`.
#[derive(Default)]
pub(super) struct TableRevisions {
    /// SQLite's `data_version` when the cached revisions were read. A commit on another connection
    /// changes `data_version`.
    version: Option<i64>,
    /// Whether [`current`](Session::current) has already read `version` in this snapshot.
    is_version_current: bool,
    /// The fingerprint of the model whose resources `tables` has.
    model: u64,
    tables: Vec<Option<(u64, Second)>>,
    /// The revision of the table of grants.
    grants: Option<u64>,
}

impl Session for Lane {
    type Statements = Handle;

    fn parts(&mut self) -> (&mut Handle, &Identity) {
        (&mut self.handle, &self.identity)
    }

    /// Returns the state of the tables of a collection. Reads the revisions of the tables that the
    /// collection depends on, unless they are cached.
    fn tables_state(
        &mut self,
        model: &Model,
        sources: &Sources,
    ) -> Result<CollectionState, Failure> {
        self.refresh()?;
        let TableRevisions { model: known, tables: revisions, .. } = &mut self.revisions;
        if mem::replace(known, model.fingerprint) != model.fingerprint {
            revisions.clear();
        }
        revisions.resize(model.resources().len(), None);
        let mut failure = None;
        let tables = sources.tables(model).map_while(|ix| {
            let table = &mut revisions[usize::from(ix.0)];
            if table.is_none() {
                let read = system::read_revision(self.handle.connection(), model[ix].def.table);
                *table = read.map_err(|cause| failure = Some(cause)).ok();
            }
            *table
        });
        let state = sources.state(model, &self.identity, tables);
        failure.map_or(Ok(state), |cause| Err(cause.into()))
    }
}

impl ReadSession for Lane {
    fn snapshot<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // The WAL state is read before the snapshot is taken. In the reverse order, a commit
        // between the two would never be noticed.
        let state = self.handle.wal_state();
        // While the writer waits to checkpoint the WAL, no snapshot is held after its read: an open
        // snapshot would prevent the WAL from being reset.
        let may_hold = self.has_turns && !self.commits.is_wal_wanted();
        if !self.is_current(state) {
            self.release();
            self.handle.run_system("BEGIN")?;
            self.revisions.is_version_current = false;
        }
        let mut snapshot = Snapshot { lane: self, is_kept: false };
        let result = work(snapshot.lane);
        snapshot.is_kept = result.is_ok() && may_hold && snapshot.lane.keeps(state);
        drop(snapshot);
        self.forget_damage(&result);
        result
    }

    /// Runs each statement in its own implicit transaction, unless this lane may hold a snapshot
    /// between reads.
    fn statement<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.has_turns {
            return self.snapshot(work);
        }
        let result = work(self);
        self.forget_damage(&result);
        result
    }

    fn end_at(&mut self, until: Instant, demand: &Arc<EndDemand>) -> Result<(), Error> {
        self.long_read = Some(self.begin_long_read(demand));
        self.watch(&ReadDeadline::new(until, Arc::clone(demand.flag())))
    }

    /// Returns the maximum size of a page in bytes. Only pages in JSON, NDJSON and CSV have a
    /// limit, and only if another thread can render a larger one.
    fn bytes_max(&self, plan: &Plan, sink: &Sink) -> usize {
        match sink {
            Sink::Json(_) | Sink::Ndjson(_) | Sink::Csv(_) if plan.is_movable => {
                self.read_bytes_max
            }
            _ => usize::MAX,
        }
    }
}

impl Lane {
    /// Empties the page cache if the result is an error about a damaged page.
    fn forget_damage<T>(&mut self, result: &Result<T, Failure>) {
        if result.as_ref().is_err_and(|failure| failure.kind == FailureKind::Damage) {
            self.handle.forget_pages();
        }
    }

    /// Whether the lane holds a snapshot that the next read may use. `now` is the current WAL
    /// state. Also adds the next read to the number of reads of the snapshot.
    fn is_current(&mut self, now: Option<WalState>) -> bool {
        let Some(HeldSnapshot { state, reads }) = &mut self.held_snapshot else { return false };
        *reads += 1;
        Some(*state) == now && *reads < READS_MAX && !self.commits.is_wal_wanted()
    }

    /// Holds the current snapshot for the next reads, and returns true. Returns false if there is
    /// no WAL state, or if the writer wants to reset the WAL.
    fn keeps(&mut self, state: Option<WalState>) -> bool {
        let Some(state) = state.filter(|_| !self.commits.is_wal_wanted()) else { return false };
        if self.held_snapshot.is_none() {
            self.commits.hold();
            self.held_snapshot = Some(HeldSnapshot { state, reads: 0 });
        }
        true
    }

    /// Releases the held snapshot. From now on the lane may hold snapshots between reads (in WAL
    /// mode only): this call shows that its thread signals when it becomes idle.
    pub(super) fn end_turn(&mut self) {
        self.release();
        self.has_turns = self.handle.wal_state().is_some();
    }

    fn release(&mut self) {
        if self.held_snapshot.is_some() {
            self.end();
        }
    }

    /// Ends the snapshot's transaction. If COMMIT fails, the lane counts as stuck, and is replaced
    /// before its next use.
    fn end(&mut self) {
        if self.held_snapshot.take().is_some() {
            self.commits.release();
        }
        // After a disk error, SQLite has already ended the transaction, or COMMIT fails with the
        // same error and ends it.
        if !self.handle.connection().is_autocommit()
            && let Err(cause) = self.handle.run_system("COMMIT")
            && !self.handle.connection().is_autocommit()
        {
            tracing::error!(%cause, "the read transaction of a snapshot could not be ended");
        }
    }

    /// Returns the number of grants that have ended in the current snapshot.
    pub(in crate::store::sqlite) fn ended_grants(&mut self) -> Result<u64, Failure> {
        self.refresh()?;
        if let Some(known) = self.revisions.grants {
            return Ok(known);
        }
        let (revision, _) = system::read_revision(self.handle.connection(), grants::TABLE)?;
        self.revisions.grants = Some(revision);
        Ok(revision)
    }

    /// Discards the cached revisions if another connection has committed since they were read.
    fn refresh(&mut self) -> rusqlite::Result<()> {
        if self.revisions.is_version_current {
            return Ok(());
        }
        let mut version = None;
        self.handle.ask("PRAGMA data_version", |row| {
            version = row.integer(0);
            false
        })?;
        if self.revisions.version != version {
            self.revisions.tables.fill(None);
            self.revisions.grants = None;
            self.revisions.version = version;
        }
        self.revisions.is_version_current = true;
        Ok(())
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.release();
    }
}

/// A snapshot that ends when this is dropped, also by a panic, unless `is_kept` is set.
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
