//! What all connections of a store have in common: the address, and when to try it again.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use uuid::Uuid;

use super::{
    address::PostgresAddress,
    fault,
    handle::PostgresHandle,
    system,
    wire::{Driver, WaitLimit, Wire},
};
use crate::{
    base::{error::Error, limits},
    plan::validator::{DeclaredTime, Identity},
    store::{StoreMetrics, failure::Failure, metrics::WriterTimes},
};

/// The shortest and the longest time between two attempts to connect, while all fail.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// The settings of each connection. Dates and times travel in binary form, and a transaction whose
/// process hangs must not hold its locks for long: not for longer than an export waits for its
/// client.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = '60s'; SET jit = off; SET TimeZone = 'UTC'; \
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
/// A transaction that writes may hold locks that others need, and has ended after 5 s.
const WRITE_SETTINGS: &str = "; SET idle_in_transaction_session_timeout = '15s'";

/// The database of a store, as its connections see it.
pub(super) struct Home {
    address: PostgresAddress,
    /// The name by which this process holds slots of counters.
    holder: Uuid,
    /// When the current declaration was first used. All connections share it.
    declared: DeclaredTime,
    attempts: Mutex<Attempts>,
    /// The largest number of rows that a deletion may change.
    deletion_rows_max: AtomicU64,
    times: Mutex<WriterTimes>,
}

/// The attempts to connect since the last that succeeded.
#[derive(Default)]
struct Attempts {
    failures: u32,
    next: Option<Instant>,
}

/// A new connection, and what its server says about the database.
pub(super) struct ConnectedDatabase {
    pub(super) handle: PostgresHandle,
    pub(super) identity: Identity,
    /// The history of the server in which the connection writes. `None` if it has none to tell.
    pub(super) history: Option<String>,
}

impl Home {
    pub(super) fn new(address: PostgresAddress, declared: DeclaredTime) -> Arc<Self> {
        let attempts = Mutex::default();
        let deletion_rows_max = AtomicU64::new(limits::DELETION_ROWS_MAX);
        let times = Mutex::default();
        let holder = Uuid::now_v7();
        Arc::new(Self { address, holder, declared, attempts, deletion_rows_max, times })
    }

    /// The name by which this process holds slots of counters.
    pub(super) const fn holder(&self) -> Uuid {
        self.holder
    }

    /// How the servers are reached.
    pub(super) const fn address(&self) -> &PostgresAddress {
        &self.address
    }

    /// When the current declaration was first used.
    pub(super) const fn declared(&self) -> &DeclaredTime {
        &self.declared
    }

    /// Records a commit of one write, and how long it took.
    pub(super) fn note_commit(&self, took: Duration) {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.commits.record_time(took);
        times.batches.record(1);
    }

    /// Adds what was recorded to the numbers of the store.
    pub(super) fn add_times(&self, metrics: &mut StoreMetrics) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add_to(metrics);
    }

    pub(super) fn deletion_rows_max(&self) -> u64 {
        self.deletion_rows_max.load(Ordering::Relaxed)
    }

    pub(super) fn set_deletion_rows_max(&self, rows: u64) {
        self.deletion_rows_max.store(rows, Ordering::Relaxed);
    }

    /// Opens a connection. While the database is away, an attempt comes only now and then; other
    /// calls fail at once.
    pub(super) fn connect(
        &self,
        writes: bool,
        limit: &WaitLimit,
    ) -> Result<ConnectedDatabase, Error> {
        let opened = self.reach(Driver::own()?, writes, limit)?;
        if opened.is_err() {
            let mut attempts = self.lock();
            let pause = PAUSE * 2_u32.saturating_pow(attempts.failures).min(64);
            attempts.failures = attempts.failures.saturating_add(1);
            attempts.next = Some(Instant::now() + pause.min(PAUSE_MAX));
        }
        opened
    }

    /// Opens a connection that a runtime drives. Others need not wait if that fails: the server may
    /// only have no room for so many.
    pub(super) fn connect_on(
        &self,
        driver: Driver,
        writes: bool,
    ) -> Result<ConnectedDatabase, Error> {
        self.reach(driver, writes, &WaitLimit::default())?
    }

    /// Tries to open a connection. The outer error means that it is not the time for an attempt.
    fn reach(
        &self,
        driver: Driver,
        writes: bool,
        limit: &WaitLimit,
    ) -> Result<Result<ConnectedDatabase, Error>, Error> {
        if self.lock().next.is_some_and(|next| Instant::now() < next) {
            return Err(fault::away("the last attempt to connect has failed a moment ago"));
        }
        let opened = open(&self.address, driver, writes, limit).and_then(|mut handle| {
            let (database, history) = system::database(&mut handle)?;
            let identity = Identity { database, declared: self.declared.clone() };
            Ok(ConnectedDatabase { handle, identity, history })
        });
        if opened.is_ok() {
            *self.lock() = Attempts::default();
        }
        Ok(opened)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a connection with the settings of Nouns.
pub(super) fn open(
    address: &PostgresAddress,
    driver: Driver,
    writes: bool,
    limit: &WaitLimit,
) -> Result<PostgresHandle, Error> {
    let mut wire = Wire::open(address, driver)?;
    wire.set_limit(limit.clone());
    let mut handle = PostgresHandle::new(wire, writes);
    let more = if writes { WRITE_SETTINGS } else { "" };
    handle.script(&format!("{SETTINGS}{more}")).map_err(|failure: Failure| Error::from(failure))?;
    Ok(handle)
}
