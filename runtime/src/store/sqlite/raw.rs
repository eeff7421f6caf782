//! The only module that calls SQLite without rusqlite, and that contains `unsafe`. [`parts`] and
//! [`wal_index`] are submodules of this module.
//!
//! rusqlite lends a cached statement only while the connection is borrowed. Each further use looks
//! the statement up by its text, which costs as much as a read of one member. In this module a
//! connection owns its statements, and a number identifies each of them. A cell is read with two
//! calls of SQLite instead of five. A text is not copied, and its length is not counted.
//!
//! Why this is sound: pointers to statements never leave this module, and each pointer is stored
//! beside its connection. A run borrows both, so no other thread uses them, and no statement is
//! finalized. While a row of one statement is read, others may run, as for the lists that come with
//! a row. A statement that runs cannot run a second time. `.ci/run` runs the tests of this module
//! under valgrind, which detects every invalid read or write.

mod parts;
mod statement;
mod wal_index;

use std::{
    ffi::{CStr, c_int, c_void},
    ptr::{self, NonNull},
    sync::Once,
};

use rusqlite::{Connection, Error, Result, ffi, hooks::Action};

pub(super) use self::{parts::SplitWriteConnection, statement::StatementRow, wal_index::WalState};
use self::{
    statement::{Statement, StatementRun},
    wal_index::WalIndex,
};
use crate::model::value::Value;

/// An SQLite connection with its prepared statements.
pub(super) struct PreparedConnection {
    /// The statements, by slot. A free slot is `None`. This field comes before `connection`, since
    /// the statements must be dropped before their connection.
    statements: Vec<Option<Statement>>,
    /// The header of the WAL index. It stays mapped into memory while the connection is open.
    wal_index: Option<WalIndex>,
    connection: Connection,
}

// SAFETY: a connection of rusqlite is `Send`. Any thread may use a statement, as long as no two
// threads use the statement or its connection at once (https://sqlite.org/threadsafe.html,
// multi-thread). A `PreparedConnection` moves the connection and its statements together. It is not
// `Sync`, since a `Connection` is not `Sync`. So two threads never share it. The WAL index is
// memory of the whole process.
#[expect(unsafe_code, reason = "a raw pointer is not `Send`")]
unsafe impl Send for PreparedConnection {}

/// The number of a prepared statement of a [`PreparedConnection`] connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(usize);

/// The work that statements have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    /// The number of rows that the statements read from tables, indexes and sorted results.
    pub(super) rows: u32,
    /// The number of steps of SQLite's virtual machine.
    pub(super) steps: u32,
}

impl Effort {
    /// The work done since `before` was read: each counter minus its value in `before`. A counter
    /// may have wrapped around to 0 in between.
    pub(super) const fn since(self, before: Self) -> Self {
        Self {
            rows: self.rows.wrapping_sub(before.rows),
            steps: self.steps.wrapping_sub(before.steps),
        }
    }

    /// Adds another effort to this one. The counters may wrap around to 0.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows.wrapping_add(other.rows),
            steps: self.steps.wrapping_add(other.steps),
        }
    }
}

impl PreparedConnection {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { statements: vec![], wal_index: None, connection }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sets the progress handler: a function that SQLite calls after every `steps` steps of its
    /// virtual machine. If the function returns true, the running statement is interrupted.
    pub(super) fn watch(
        &mut self,
        steps: c_int,
        must_end: impl FnMut() -> bool + Send + 'static,
    ) -> Result<()> {
        self.connection.progress_handler(steps, Some(must_end))
    }

    /// Finds the header of the WAL index. The connection must have read from the database before,
    /// and must stay in WAL mode.
    pub(super) fn find_wal_index(&mut self) {
        self.wal_index = WalIndex::of(&self.connection);
    }

    /// The current state of the WAL. Every commit changes the state. `None` if there is no WAL.
    #[expect(unsafe_code, reason = "the memory belongs to SQLite")]
    pub(super) fn wal_state(&self) -> Option<WalState> {
        // SAFETY: the connection is open, and the WAL index stays mapped for as long. SQLite unmaps
        // the WAL index when the last connection of the process is closed or leaves WAL mode. No
        // connection of this crate leaves WAL mode. No other program can take the database out of
        // WAL mode either, since every open connection of this crate holds a lock on the database.
        self.wal_index.as_ref().map(|index| unsafe { index.state() })
    }

    /// Sets a function that is called for each row that a statement inserts, updates or deletes.
    /// `None` removes the function.
    pub(super) fn note_rows(
        &mut self,
        callback: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> Result<()> {
        self.connection.update_hook(callback)
    }

    /// Prepares a statement, and stores it in a free slot.
    pub(super) fn prepare(&mut self, text: &str) -> Result<Slot> {
        let statement = Statement::new(&self.connection, text)?;
        let free = self.statements.iter().position(Option::is_none);
        let at = free.unwrap_or_else(|| {
            self.statements.push(None);
            self.statements.len() - 1
        });
        self.statements[at] = Some(statement);
        Ok(Slot(at))
    }

    /// Finalizes a statement, and frees its slot for another statement.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(statement) = self.statements.get_mut(slot.0) {
            *statement = None;
        }
    }

    /// Runs a statement with values. Passes the rows to `row` until `row` returns false.
    pub(super) fn rows<'v>(
        &mut self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<()> {
        self.run(slot, values)?.rows(row)
    }

    /// Runs a statement that returns no rows. Returns the number of changed rows.
    pub(super) fn execute<'v>(
        &mut self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<u64> {
        self.run(slot, values)?.rows(|_| true)?;
        Ok(self.connection.changes())
    }

    /// The value of a counter (`sqlite3_stmt_status`) of a statement, over all of its runs.
    #[cfg(test)]
    pub(super) fn counted(&self, slot: Slot, which: rusqlite::StatementStatus) -> u32 {
        self.status(slot, which as c_int)
    }

    /// The work that a statement has done, over all of its runs.
    ///
    /// SQLite has two counters for the rows that loops visit. `SQLITE_STMTSTATUS_FULLSCAN_STEP`
    /// counts the rows of loops over a whole table or index. A counter without a name, with the
    /// number 0, counts the rows of all other loops.
    pub(super) fn effort(&self, slot: Slot) -> Effort {
        let status = |counter| self.status(slot, counter);
        let rows = status(0).wrapping_add(status(ffi::SQLITE_STMTSTATUS_FULLSCAN_STEP));
        Effort { rows, steps: status(ffi::SQLITE_STMTSTATUS_VM_STEP) }
    }

    #[expect(unsafe_code, reason = "rusqlite returns counters only for statements that it lends")]
    fn status(&self, slot: Slot, counter: c_int) -> u32 {
        let Some(statement) = self.statements.get(slot.0).and_then(Option::as_ref) else {
            return 0;
        };
        // SAFETY: the statement has not been finalized, and the numbers of the counters begin at 0.
        unsafe { ffi::sqlite3_stmt_status(statement.as_ptr(), counter, 0) }.cast_unsigned()
    }

    /// Begins a run of a statement, and binds the values to its parameters. Other statements may
    /// run meanwhile.
    ///
    /// # Errors
    /// The statement already runs, or a value cannot be bound.
    pub(super) fn run<'r, 'v: 'r>(
        &'r self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<StatementRun<'r, 'v>> {
        self.run_bound(slot, values.into_iter().map(Some))
    }

    /// Begins a run as [`run`](Self::run) does. A value that is `None` is an error, too.
    pub(super) fn run_bound<'r, 'v: 'r>(
        &'r self,
        slot: Slot,
        values: impl Iterator<Item = Option<&'v Value>>,
    ) -> Result<StatementRun<'r, 'v>> {
        let statement = self.statements.get(slot.0).and_then(Option::as_ref);
        let run = statement.and_then(|statement| StatementRun::new(&self.connection, statement));
        let Some(run) = run else { return Err(Error::InvalidQuery) };
        for (at, value) in (1..).zip(values) {
            let Some(value) = value else { return Err(Error::InvalidQuery) };
            run.bind(at, value)?;
        }
        Ok(run)
    }
}

/// The error for a failed call on a connection: the result code, and SQLite's message about the
/// last error.
#[expect(unsafe_code, reason = "rusqlite does not export its function for this error")]
fn failure(connection: &Connection, code: c_int) -> Error {
    // SAFETY: the connection is open as long as it is borrowed. The message ends with a byte of 0,
    // and is copied before SQLite is called again.
    let text = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(connection.handle())) };
    Error::SqliteFailure(ffi::Error::new(code), Some(text.to_string_lossy().into_owned()))
}

/// Syncs the database file to the disk, through the file handle of SQLite. To open and close the
/// file a second time would drop the locks that this process holds on the file.
#[expect(unsafe_code, reason = "rusqlite gives no access to the file of a connection")]
pub(super) fn sync(connection: &Connection) -> Result<()> {
    let Some((file, methods)) = file(connection)? else { return Ok(()) };
    // SAFETY: the file is open. No other thread uses the file at the same time, since the
    // connection is not `Sync`. `xSync` may be called whenever no other method of the file is
    // running (https://sqlite.org/c3ref/io_methods.html).
    let code = unsafe {
        let sync = (*methods.as_ptr()).xSync;
        sync.map_or(ffi::SQLITE_OK, |sync| sync(file.as_ptr(), ffi::SQLITE_SYNC_NORMAL))
    };
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(Error::SqliteFailure(ffi::Error::new(code), None))
    }
}

/// An open file of SQLite, and the table of its I/O methods.
type File = (NonNull<ffi::sqlite3_file>, NonNull<ffi::sqlite3_io_methods>);

/// The database file of a connection. The pointers are valid as long as the connection is open.
/// `None` if the file is not open, as for an in-memory database.
#[expect(unsafe_code, reason = "rusqlite gives no access to the file of a connection")]
fn file(connection: &Connection) -> Result<Option<File>> {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the connection is open as long as it is borrowed. `SQLITE_FCNTL_FILE_POINTER` writes
    // a pointer to the given address, and SQLite keeps neither of the arguments
    // (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). The file belongs to the
    // connection, and is closed only together with it. A file without methods is not open.
    let (code, methods) = unsafe {
        let to = (&raw mut file).cast::<c_void>();
        let of = (connection.handle(), c"main".as_ptr());
        let code = ffi::sqlite3_file_control(of.0, of.1, ffi::SQLITE_FCNTL_FILE_POINTER, to);
        (code, file.as_ref().map(|file| file.pMethods.cast_mut()))
    };
    match code {
        ffi::SQLITE_OK => Ok(NonNull::new(file).zip(methods.and_then(NonNull::new))),
        code => Err(Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

static ONCE: Once = Once::new();

/// Turns off the memory statistics of SQLite. They have a lock, and all workers would wait for that
/// lock at every allocation.
///
/// Has no effect if the program has used SQLite before.
#[expect(unsafe_code, reason = "rusqlite has no function for this option")]
pub(super) fn count_no_memory() {
    ONCE.call_once(|| {
        // SAFETY: with this option, `sqlite3_config` takes one further argument, an `int`
        // (https://sqlite.org/c3ref/c_config_covering_index_scan.html). `sqlite3_config` is not
        // thread-safe, so no other call of SQLite may run at the same time. This crate calls SQLite
        // only after the end of `call_once`. If SQLite is already initialized, `sqlite3_config`
        // returns SQLITE_MISUSE and does nothing.
        let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0) };
        if code != ffi::SQLITE_OK {
            tracing::debug!(code, "SQLite was already in use, so its memory statistics stay on");
        }
    });
}

#[cfg(test)]
mod tests;
