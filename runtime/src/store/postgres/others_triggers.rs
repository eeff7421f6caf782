//! The triggers that somebody else has written into the database. They may come while servers run,
//! and servers have to look for them.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_postgres::Row as ServerRow;

/// The time for which the triggers are known. A look costs one statement.
const LOOK_AFTER: Duration = Duration::from_secs(5);

/// The tables with triggers that are neither ours nor the server's own.
pub(super) const TABLES: &str = "SELECT DISTINCT c.relname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
    WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND NOT starts_with(t.tgname, '_nouns_') AND pg_table_is_visible(c.oid)";

/// The tables that have triggers of others. All connections of a store share them.
pub(super) struct ForeignTriggers(Mutex<KnownTriggers>);

struct KnownTriggers {
    tables: Arc<[String]>,
    /// Whether any look has found out which these are.
    has_looked: bool,
    /// The time at which the next look is due.
    next: Instant,
}

impl ForeignTriggers {
    /// Creates the state of a store that has not looked yet.
    pub(super) fn new() -> Self {
        let (tables, next) = (Arc::default(), Instant::now());
        Self(Mutex::new(KnownTriggers { tables, has_looked: false, next }))
    }

    fn lock(&self) -> MutexGuard<'_, KnownTriggers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller has to look now. One of those that ask at the same time has to. Before
    /// the first look has ended, all of them have to.
    pub(super) fn is_due(&self) -> bool {
        let (mut known, now) = (self.lock(), Instant::now());
        let is_due = known.next <= now;
        if is_due && known.has_looked {
            known.next = now + LOOK_AFTER;
        }
        is_due
    }

    /// Whether a table has triggers of others. `None` if a look is due.
    pub(super) fn known(&self, table: &str) -> Option<bool> {
        let known = self.lock();
        (Instant::now() < known.next).then(|| known.tables.iter().any(|each| each == table))
    }

    /// Notes what a look has found: the rows of [`TABLES`].
    pub(super) fn note(&self, rows: &[ServerRow]) {
        let (mut known, tables) = (self.lock(), rows.iter().map(|row| row.get(0)).collect());
        (known.tables, known.has_looked) = (tables, true);
        known.next = Instant::now() + LOOK_AFTER;
    }

    /// Returns the tables that have triggers of others.
    pub(super) fn tables(&self) -> Arc<[String]> {
        Arc::clone(&self.lock().tables)
    }
}
