//! The common state of all connections of a store: the address, and when to try it again.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    address::{ConnectError, PostgresAddress},
    epoch::Epochs,
    fault,
    handle::PostgresHandle,
    others_triggers::ForeignTriggers,
    slots::CounterSlots,
    system,
    wire::{Driver, WaitLimit, Wire},
};
use crate::{
    base::{error::Error, limits},
    plan::{
        TagCipher,
        validator::{DeclaredTime, Identity},
    },
    store::{StoreMetrics, answer_sizes::AnswerSizes, failure::Failure, metrics::WriterTimes},
};

/// The shortest and the longest time between two attempts to connect, while all fail.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// The time in which a server must answer all statements that open a connection.
const OPENING_TIME_MAX: Duration = Duration::from_secs(5);
/// The time between two looks at a server that is slow to answer.
const PROBE_PAUSE: Duration = Duration::from_secs(1);

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
    slots: Arc<CounterSlots>,
    /// When the current declaration was first used. All connections share it.
    declared: DeclaredTime,
    /// The cipher that hides the revisions in tags.
    cipher: TagCipher,
    attempts: Mutex<Attempts>,
    epochs: Epochs,
    /// Whether a thread finds out if the server still answers.
    is_probing: AtomicBool,
    /// The largest number of rows that a deletion may change.
    deletion_rows_max: AtomicU64,
    times: Mutex<WriterTimes>,
    others_triggers: ForeignTriggers,
    answer_sizes: Arc<AnswerSizes>,
}

/// The attempts to connect since the last that succeeded.
#[derive(Default)]
struct Attempts {
    failures: u32,
    /// The time of the first failure.
    since: Option<Instant>,
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
    pub(super) fn new(
        address: PostgresAddress,
        declared: DeclaredTime,
        cipher: TagCipher,
    ) -> Arc<Self> {
        let attempts = Mutex::default();
        let deletion_rows_max = AtomicU64::new(limits::DELETION_ROWS_MAX);
        let times = Mutex::default();
        let (epochs, is_probing) = (Epochs::new(), AtomicBool::default());
        Arc::new(Self {
            address,
            slots: CounterSlots::new(),
            declared,
            cipher,
            attempts,
            epochs,
            is_probing,
            deletion_rows_max,
            times,
            others_triggers: ForeignTriggers::new(),
            answer_sizes: Arc::default(),
        })
    }

    /// The sizes of the stored responses of callers.
    pub(super) const fn answer_sizes(&self) -> &Arc<AnswerSizes> {
        &self.answer_sizes
    }

    /// The slots of counters that this process has leased.
    pub(super) const fn slots(&self) -> &Arc<CounterSlots> {
        &self.slots
    }

    /// The address of the servers.
    pub(super) const fn address(&self) -> &PostgresAddress {
        &self.address
    }

    /// When the current declaration was first used.
    pub(super) const fn declared(&self) -> &DeclaredTime {
        &self.declared
    }

    /// The cipher that hides the revisions in tags.
    pub(super) const fn cipher(&self) -> &TagCipher {
        &self.cipher
    }

    /// The triggers that somebody else has written into the database.
    pub(super) const fn others_triggers(&self) -> &ForeignTriggers {
        &self.others_triggers
    }

    /// Records a commit of this many writes, and how long it took.
    pub(super) fn note_commit(&self, took: Duration, writes: usize) {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.commits.record_time(took);
        times.batches.record(writes as u64);
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
        self: &Arc<Self>,
        driver: Driver,
        writes: bool,
        limit: &WaitLimit,
    ) -> Result<ConnectedDatabase, Error> {
        self.test_pause()?;
        let opened = self.reach(driver, writes, limit);
        if opened.is_err() {
            let mut attempts = self.lock();
            let pause = PAUSE * 2_u32.saturating_pow(attempts.failures).min(64);
            attempts.failures = attempts.failures.saturating_add(1);
            attempts.since.get_or_insert_with(Instant::now);
            attempts.next = Some(Instant::now() + pause.min(PAUSE_MAX));
        }
        opened
    }

    /// Opens a connection beside others. These need not wait if that fails: the server may only
    /// have no room for so many.
    pub(super) fn connect_beside(
        self: &Arc<Self>,
        driver: Driver,
        writes: bool,
    ) -> Result<ConnectedDatabase, Error> {
        self.test_pause()?;
        self.reach(driver, writes, &opening_limit())
    }

    fn test_pause(&self) -> Result<(), Error> {
        match self.lock().next.is_some_and(|next| Instant::now() < next) {
            true => Err(fault::away("the last attempt to connect has failed a moment ago")),
            false => Ok(()),
        }
    }

    /// Tries to open a connection.
    fn reach(
        self: &Arc<Self>,
        driver: Driver,
        writes: bool,
        limit: &WaitLimit,
    ) -> Result<ConnectedDatabase, Error> {
        let mut handle = open(&self.address, driver, writes, limit)?;
        let (database, history) = system::database(&mut handle)?;
        let former = || fault::away("another server has taken over from this one");
        let epoch = self.epochs.join(self, &database).ok_or_else(former)?;
        handle.wire().belong(epoch);
        if let Some(since) = std::mem::take(&mut *self.lock()).since {
            let seconds = since.elapsed().as_secs();
            tracing::info!(target: "nouns", seconds, "the database is available again");
        }
        let identity = Identity { database, declared: self.declared.clone(), cipher: self.cipher };
        Ok(ConnectedDatabase { handle, identity, history })
    }

    /// Finds out on another thread whether the server still answers. If it does not, or if another
    /// one has taken over, all connections to it are discarded.
    pub(super) fn suspect(self: &Arc<Self>) {
        if self.is_probing.swap(true, Ordering::Relaxed) {
            return;
        }
        let home = Arc::clone(self);
        let probe = move || {
            home.probe();
            thread::sleep(PROBE_PAUSE);
            home.is_probing.store(false, Ordering::Relaxed);
        };
        if thread::Builder::new().name("nouns-probe".into()).spawn(probe).is_err() {
            self.is_probing.store(false, Ordering::Relaxed);
        }
    }

    fn probe(self: &Arc<Self>) {
        let number = self.epochs.number();
        let reached = Driver::own().and_then(|driver| self.reach(driver, false, &opening_limit()));
        if let Err(error) = reached
            && let Some(source) = error.source()
            && source.is::<ConnectError>()
        {
            tracing::warn!(target: "nouns", "the database does not answer: its connections are closed");
            self.epochs.end(number);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the limit of the statements that open a connection.
pub(super) fn opening_limit() -> WaitLimit {
    WaitLimit::new(Instant::now() + OPENING_TIME_MAX)
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
