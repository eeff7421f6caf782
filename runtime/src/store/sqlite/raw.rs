//! The one module that calls SQLite without rusqlite, and contains `unsafe`. [`parts`] and
//! [`wal_index`] are parts of it.
//!
//! rusqlite lends a statement while its connection is borrowed. To use it again means to look it up
//! by its text, which costs as much as a point read. Here a connection owns its statements, and a
//! number finds each. A cell is read with two calls instead of five, and a text is neither copied
//! nor measured.
//!
//! Why it is sound as a whole: the pointers to statements never leave this module, and each is
//! stored beside its connection. Running a statement takes the only reference to both, so no two
//! threads, and no two runs, use it at once. `.ci/run` runs the tests of this module under
//! valgrind, which detects every invalid read or write.

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

/// A connection with its prepared statements.
pub(super) struct Prepared {
    /// The slots of the statements. The slot of a forgotten statement is free. They come before the
    /// connection, since they must be dropped first.
    statements: Vec<Option<Statement>>,
    /// The header of the WAL index, which stays mapped while the connection is open.
    wal_index: Option<WalIndex>,
    connection: Connection,
}

// SAFETY: rusqlite's connection can be sent. A statement can be used by any thread, as long as no
// two threads use it or its connection at once (https://sqlite.org/threadsafe.html, multi-thread).
// Both move together. Neither is shared: a `Connection` is not `Sync`, so this is not either. The
// WAL index is memory of the process.
#[expect(unsafe_code, reason = "a raw pointer is not `Send`")]
unsafe impl Send for Prepared {}

/// The slot of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(usize);

/// The work of statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    /// The rows that their loops visited, including those of sorted results.
    pub(super) rows: u32,
    /// The steps of SQLite's virtual machine.
    pub(super) steps: u32,
}

impl Effort {
    /// The work since `before`. The counters wrap around to 0.
    pub(super) const fn since(self, before: Self) -> Self {
        Self {
            rows: self.rows.wrapping_sub(before.rows),
            steps: self.steps.wrapping_sub(before.steps),
        }
    }

    /// Adds two efforts. The counters wrap around to 0.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows.wrapping_add(other.rows),
            steps: self.steps.wrapping_add(other.steps),
        }
    }
}

impl Prepared {
    pub(super) const fn new(connection: Connection) -> Self {
        Self { statements: vec![], wal_index: None, connection }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sets the progress handler, which SQLite calls after every `steps` steps of its virtual
    /// machine. If it returns true, the statement is interrupted.
    pub(super) fn watch(
        &mut self,
        steps: c_int,
        asked: impl FnMut() -> bool + Send + 'static,
    ) -> Result<()> {
        self.connection.progress_handler(steps, Some(asked))
    }

    /// Finds the header of the WAL index, for a connection that has read and will not leave WAL
    /// mode.
    pub(super) fn find_wal_index(&mut self) {
        self.wal_index = WalIndex::of(&self.connection);
    }

    /// The current state of the WAL, which every commit changes. `None` if there is no WAL.
    #[expect(unsafe_code, reason = "the memory belongs to SQLite")]
    pub(super) fn wal_state(&self) -> Option<WalState> {
        // SAFETY: the connection is open, and its mapping is valid for as long. SQLite unmaps the
        // WAL index when the last connection of the process is closed, or leaves WAL mode. None of
        // ours leaves it. No other program can take a database out of WAL mode while a connection
        // of ours is open, since that holds a lock on it.
        self.wal_index.as_ref().map(|index| unsafe { index.state() })
    }

    /// Sets a function that is called for each row that is inserted, updated or deleted; `None`
    /// removes it.
    pub(super) fn note_rows(
        &mut self,
        noted: Option<impl FnMut(Action, &str, &str, i64) + Send + 'static>,
    ) -> Result<()> {
        self.connection.update_hook(noted)
    }

    /// Prepares a statement and stores it.
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

    /// Finalizes a statement and frees its slot.
    pub(super) fn forget(&mut self, slot: Slot) {
        if let Some(statement) = self.statements.get_mut(slot.0) {
            *statement = None;
        }
    }

    /// Runs a statement with values, and passes its rows to `row` until that returns false.
    pub(super) fn rows<'v>(
        &mut self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
        row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<()> {
        self.run(slot, values)?.rows(row)
    }

    /// Runs a statement that returns no rows, and returns the number of rows that it changed.
    pub(super) fn execute<'v>(
        &mut self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<u64> {
        self.run(slot, values)?.rows(|_| true)?;
        Ok(self.connection.changes())
    }

    /// A counter that SQLite has for a statement, over all of its runs.
    #[cfg(test)]
    pub(super) fn counted(&self, slot: Slot, which: rusqlite::StatementStatus) -> u32 {
        self.status(slot, which as c_int)
    }

    /// The work of a statement, over all of its runs.
    ///
    /// SQLite counts the rows that loops visit in two places. Loops over a whole table or index
    /// count as `SQLITE_STMTSTATUS_FULLSCAN_STEP`. All other loops count under the number 0, which
    /// has no name.
    pub(super) fn effort(&self, slot: Slot) -> Effort {
        let status = |counter| self.status(slot, counter);
        let rows = status(0).wrapping_add(status(ffi::SQLITE_STMTSTATUS_FULLSCAN_STEP));
        Effort { rows, steps: status(ffi::SQLITE_STMTSTATUS_VM_STEP) }
    }

    #[expect(unsafe_code, reason = "rusqlite counts for the statements that it lends")]
    fn status(&self, slot: Slot, counter: c_int) -> u32 {
        let Some(statement) = self.statements.get(slot.0).and_then(Option::as_ref) else {
            return 0;
        };
        // SAFETY: the statement exists, and the counters are numbered from 0.
        unsafe { ffi::sqlite3_stmt_status(statement.0.as_ptr(), counter, 0) }.cast_unsigned()
    }

    /// Begins a run of a statement with values.
    pub(super) fn run<'r, 'v: 'r>(
        &'r self,
        slot: Slot,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<StatementRun<'r, 'v>> {
        let statement =
            self.statements.get(slot.0).and_then(Option::as_ref).ok_or(Error::InvalidQuery)?;
        let run = StatementRun::new(&self.connection, statement);
        (1..).zip(values).try_for_each(|(at, value)| run.bind(at, value))?;
        Ok(run)
    }
}

/// SQLite's last error on a connection.
#[expect(unsafe_code, reason = "rusqlite keeps its own function for it")]
fn failure(connection: &Connection, code: c_int) -> Error {
    // SAFETY: the connection is open as long as it is borrowed. The text ends with a byte of 0, and
    // is copied before anything else is called.
    let text = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(connection.handle())) };
    Error::SqliteFailure(ffi::Error::new(code), Some(text.to_string_lossy().into_owned()))
}

/// Syncs the file of a database to the disk through SQLite's handle. Opening and closing the file
/// otherwise would drop the locks that this process holds on it.
#[expect(unsafe_code, reason = "rusqlite does not lend the file")]
pub(super) fn sync(connection: &Connection) -> Result<()> {
    let Some((file, methods)) = file(connection)? else { return Ok(()) };
    // SAFETY: the file is open, and nobody else uses it meanwhile, since the connection is not
    // `Sync`. `xSync` may be called whenever no other method of the file is running
    // (https://sqlite.org/c3ref/io_methods.html).
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

/// A file of SQLite with its methods.
type File = (NonNull<ffi::sqlite3_file>, NonNull<ffi::sqlite3_io_methods>);

/// The file of a connection, which exists as long as the connection. `None` if it is not open.
#[expect(unsafe_code, reason = "rusqlite does not lend the file")]
fn file(connection: &Connection) -> Result<Option<File>> {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the connection is open as long as it is borrowed. The operation writes a pointer to
    // the given address, and keeps neither
    // (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). The file belongs to the
    // connection, which closes it only when it is closed itself. A file without methods is not
    // open.
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

/// Makes SQLite not count the memory that it allocates. The counter has a lock, for which all
/// workers would wait at every allocation.
///
/// In a program that has used SQLite before, nothing changes.
#[expect(unsafe_code, reason = "rusqlite has no function for it")]
pub(super) fn count_no_memory() {
    ONCE.call_once(|| {
        // SAFETY: `sqlite3_config` takes one `int` after this option
        // (https://sqlite.org/c3ref/c_config_covering_index_scan.html). It is not thread-safe, so
        // no other call of SQLite may run at the same time. Once SQLite is initialized, it refuses
        // with SQLITE_MISUSE. All that this crate does with SQLite comes after the end of
        // `call_once`.
        let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0) };
        if code != ffi::SQLITE_OK {
            tracing::debug!(code, "SQLite was in use before, and counts its memory");
        }
    });
}

#[cfg(test)]
mod tests;
