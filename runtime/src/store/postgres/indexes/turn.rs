//! The turn to change the tables, which one session has at a time, and what is logged meanwhile.
//!
//! The turn is an advisory lock of the session, as no lock of a transaction can be held during
//! `CREATE INDEX CONCURRENTLY`. It ends with the session. So if a node is killed, the turn ends
//! when the server has finished the build. Poolers that share a session are refused at the start.
//!
//! A build waits for all older snapshots of the database. So nobody waits for the turn in a
//! statement, whose snapshot the build would wait for: one asks again, with no open transaction.

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use crate::store::{
    failure::Failure,
    postgres::{
        address::PostgresAddress,
        build::BuildFailure,
        handle::PostgresHandle,
        home,
        wire::{Driver, WaitLimit},
    },
};

/// The first half of the key of the advisory lock. The second half is the number of a table, since
/// several schemas of a database may have tables of Nouns.
const LOCK: i32 = 0x6e6f_756e;
/// The time between two attempts to take the turn.
const PAUSE: Duration = Duration::from_millis(250);
/// The time between two log lines about a build that goes on.
const LOG_PERIOD: Duration = Duration::from_secs(10);

/// A build takes as long as it takes. A session without anything to do has lost its node.
const SETTINGS: &str =
    "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_session_timeout = '60s'";
const RESET: &str = "RESET statement_timeout; RESET lock_timeout";

const TAKE: &str = "SELECT pg_try_advisory_lock($1, '\"_nouns_state\"'::regclass::oid::integer)";
const TAKE_SHORTLY: &str =
    "SELECT pg_try_advisory_xact_lock($1, '\"_nouns_state\"'::regclass::oid::integer)";
const RELEASE: &str = "SELECT pg_advisory_unlock($1, '\"_nouns_state\"'::regclass::oid::integer)";
/// Roles that may not see the work of the session see only its number.
const PROGRESS: &str = "SELECT l.pid, p.phase, c.relname::text, p.blocks_done, p.blocks_total, pg_blocking_pids(l.pid) \
    FROM pg_locks AS l LEFT JOIN pg_stat_progress_create_index AS p ON p.pid = l.pid LEFT JOIN pg_class AS c ON c.oid = p.relid \
    WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1::integer::oid AND l.objid = '\"_nouns_state\"'::regclass::oid \
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// The turn of a session to change the tables.
pub(in crate::store::postgres) struct MigrationTurn<'a> {
    address: &'a PostgresAddress,
    is_taken: bool,
    logged: Option<Instant>,
}

impl<'a> MigrationTurn<'a> {
    /// The turn that a session does not have yet.
    pub(in crate::store::postgres) const fn new(address: &'a PostgresAddress) -> Self {
        Self { address, is_taken: false, logged: None }
    }

    /// Whether the session has the turn.
    pub(in crate::store::postgres) const fn is_taken(&self) -> bool {
        self.is_taken
    }

    /// Takes the turn. Returns false if another session has it.
    pub(in crate::store::postgres) fn take(
        &mut self,
        handle: &mut PostgresHandle,
    ) -> Result<bool, Failure> {
        if !self.is_taken {
            let rows = handle.ask(TAKE, &[&LOCK])?;
            self.is_taken = rows.first().is_some_and(|row| row.get(0));
        }
        Ok(self.is_taken)
    }

    /// Waits for a moment, outside of a transaction, and logs now and then what is waited for.
    pub(in crate::store::postgres) fn wait(&mut self, handle: &mut PostgresHandle) {
        if self.logged.is_none_or(|at| at.elapsed() >= LOG_PERIOD) {
            self.logged = Some(Instant::now());
            tracing::info!("another node changes the tables; this one waits");
            log_progress(handle);
        }
        thread::sleep(PAUSE);
    }

    /// Releases the turn. If that fails, it ends with the connection.
    pub(in crate::store::postgres) fn release(&mut self, handle: &mut PostgresHandle) {
        if self.is_taken && handle.ask(RELEASE, &[&LOCK]).is_ok() {
            self.is_taken = false;
        }
    }

    /// Does work outside of a transaction that may take long, and logs its progress.
    pub(super) fn watched(
        &self,
        handle: &mut PostgresHandle,
        work: impl FnOnce(&mut PostgresHandle) -> Result<(), BuildFailure>,
    ) -> Result<(), BuildFailure> {
        handle.script(SETTINGS)?;
        let ((over, ended), address) = (mpsc::channel(), self.address);
        let result = thread::scope(|scope| {
            let watcher = thread::Builder::new().name("nouns-build".into());
            if let Err(error) = watcher.spawn_scoped(scope, move || watch(address, &ended)) {
                tracing::warn!(%error, "the progress of a build is not logged");
            }
            let result = work(handle);
            drop::<mpsc::Sender<()>>(over);
            result
        });
        let reset = handle.script(RESET);
        result?;
        Ok(reset?)
    }
}

/// Whether no session has the turn. None takes it before the transaction ends.
pub(in crate::store::postgres) fn is_turn_free(
    handle: &mut PostgresHandle,
) -> Result<bool, Failure> {
    let rows = handle.ask(TAKE_SHORTLY, &[&LOCK])?;
    Ok(rows.first().is_some_and(|row| row.get(0)))
}

/// Logs the progress of work that goes on, by a connection of its own.
fn watch(address: &PostgresAddress, ended: &Receiver<()>) {
    while ended.recv_timeout(LOG_PERIOD) == Err(RecvTimeoutError::Timeout) {
        let opened = Driver::own()
            .and_then(|driver| home::open(address, driver, false, &WaitLimit::default()));
        match opened {
            Ok(mut handle) => log_progress(&mut handle),
            Err(error) => tracing::debug!(?error, "the progress of a build is not known"),
        }
    }
}

/// Logs the work of the session that has the turn.
fn log_progress(handle: &mut PostgresHandle) {
    let Ok(rows) = handle.ask(PROGRESS, &[&LOCK]) else { return };
    for row in rows {
        let phase: Option<&str> = row.get(1);
        let table: Option<&str> = row.get(2);
        let (done, total): (Option<i64>, Option<i64>) = (row.get(3), row.get(4));
        let waits_for: Vec<i32> = row.get(5);
        tracing::info!(
            session = row.get::<_, i32>(0),
            table,
            phase,
            blocks_done = done,
            blocks_total = total,
            ?waits_for,
            "the tables are being changed"
        );
    }
}
