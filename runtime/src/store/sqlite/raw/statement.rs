//! A prepared statement, a run of the statement, and the rows that the run returns.

use std::{
    ffi::{c_char, c_int, c_uchar, c_uint},
    marker::PhantomData,
    ptr::{self, NonNull},
    slice,
};

use rusqlite::{Connection, Error, Result, ffi};

use super::failure;
use crate::{
    model::value::Value,
    store::sink::{Cell, Row},
};

/// A prepared statement. The struct that owns the statement also owns the connection.
pub(super) struct Statement {
    pointer: NonNull<ffi::sqlite3_stmt>,
    /// Whether a run of the statement has begun and not ended.
    is_running: std::cell::Cell<bool>,
}

impl Statement {
    #[expect(unsafe_code, reason = "rusqlite only lends statements, and does not give them away")]
    pub(super) fn new(connection: &Connection, text: &str) -> Result<Self> {
        let bytes = c_int::try_from(text.len()).map_err(|_| Error::InvalidQuery)?;
        let mut statement = ptr::null_mut();
        // SAFETY: the connection is open as long as it is borrowed. The passed length is the number
        // of bytes of the text, and SQLite does not read the text after the call. The statement is
        // finalized once, when the `Statement` is dropped. Until then SQLite keeps the connection
        // alive (https://sqlite.org/c3ref/close.html: `sqlite3_close` refuses while the connection
        // has statements).
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                connection.handle(),
                text.as_ptr().cast::<c_char>(),
                bytes,
                ffi::SQLITE_PREPARE_PERSISTENT as c_uint,
                &raw mut statement,
                ptr::null_mut(),
            )
        };
        match NonNull::new(statement) {
            _ if code != ffi::SQLITE_OK => Err(failure(connection, code)),
            Some(pointer) => Ok(Self { pointer, is_running: std::cell::Cell::default() }),
            // SQLite returns a null pointer for a text without a statement, such as a comment.
            None => Err(Error::InvalidQuery),
        }
    }

    pub(super) const fn as_ptr(&self) -> *mut ffi::sqlite3_stmt {
        self.pointer.as_ptr()
    }
}

impl Drop for Statement {
    #[expect(unsafe_code, reason = "rusqlite only lends statements, and does not give them away")]
    fn drop(&mut self) {
        // SAFETY: the statement was prepared, and is finalized only here. No run uses the statement
        // any more, since a run borrows it.
        unsafe { ffi::sqlite3_finalize(self.as_ptr()) };
    }
}

/// A run of a statement. When the run is dropped, the statement is reset, and its bound values are
/// cleared.
pub(in crate::store::sqlite) struct StatementRun<'r, 'v> {
    connection: &'r Connection,
    statement: &'r Statement,
    /// The lifetime of the bound values, which SQLite reads without copying them.
    values: PhantomData<&'v Value>,
}

impl<'r, 'v> StatementRun<'r, 'v> {
    /// Creates a run of a statement without bound values. `connection` is the connection of the
    /// statement. `None` if the statement already runs: to step or to reset it would end the row
    /// that its first run is at.
    pub(super) fn new(connection: &'r Connection, statement: &'r Statement) -> Option<Self> {
        let was_running = statement.is_running.replace(true);
        // A run that is dropped resets its statement, so none is made here.
        (!was_running).then(|| Self { connection, statement, values: PhantomData })
    }

    #[expect(unsafe_code, reason = "rusqlite copies every text that is bound")]
    pub(super) fn bind(&self, at: c_int, value: &'v Value) -> Result<()> {
        let statement = self.statement.as_ptr();
        // SAFETY: the statement has not been finalized, and SQLite returns an error for a parameter
        // that the statement does not have. SQLite reads a text until the run is dropped, and the
        // text is borrowed for longer than that (`'v`). The text is UTF-8, and the passed length is
        // its number of bytes.
        let code = unsafe {
            match value {
                Value::Null => ffi::sqlite3_bind_null(statement, at),
                Value::Integer(value) => ffi::sqlite3_bind_int64(statement, at, *value),
                Value::Number(value) => ffi::sqlite3_bind_double(statement, at, *value),
                // Passwords are hashed before an action becomes a plan.
                Value::Password(_) => ffi::SQLITE_MISUSE,
                Value::Text(text) => ffi::sqlite3_bind_text64(
                    statement,
                    at,
                    text.as_ptr().cast::<c_char>(),
                    text.len() as ffi::sqlite3_uint64,
                    ffi::SQLITE_STATIC(),
                    ffi::SQLITE_UTF8 as c_uchar,
                ),
            }
        };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(failure(self.connection, code)) }
    }

    /// Runs the statement, and passes its rows to `row` until `row` returns false.
    pub(in crate::store::sqlite) fn rows(
        self,
        mut row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<()> {
        while self.step()? {
            if !row(&StatementRow { statement: self.statement.pointer, run: PhantomData }) {
                break;
            }
        }
        Ok(())
    }

    /// Steps to the next row of the statement. Returns whether there is one.
    #[expect(unsafe_code, reason = "rusqlite only lends statements, and does not give them away")]
    fn step(&self) -> Result<bool> {
        // SAFETY: the statement has not been finalized, and the bound values are still borrowed.
        match unsafe { ffi::sqlite3_step(self.statement.as_ptr()) } {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => Ok(false),
            code => Err(failure(self.connection, code)),
        }
    }
}

impl Drop for StatementRun<'_, '_> {
    #[expect(unsafe_code, reason = "rusqlite only lends statements, and does not give them away")]
    fn drop(&mut self) {
        let statement = self.statement.as_ptr();
        // SAFETY: the statement has not been finalized. No cell is borrowed any more, since a cell
        // borrows its row, and the row is gone. Both functions only return the result of the last
        // step again, so their results are ignored.
        unsafe {
            ffi::sqlite3_reset(statement);
            ffi::sqlite3_clear_bindings(statement);
        }
        self.statement.is_running.set(false);
    }
}

/// The current row of a run. A sink reads the cells of the row.
pub(in crate::store::sqlite) struct StatementRow<'r> {
    statement: NonNull<ffi::sqlite3_stmt>,
    run: PhantomData<&'r ()>,
}

impl Row for StatementRow<'_> {
    #[expect(
        unsafe_code,
        reason = "rusqlite copies a text to end it with a byte of 0, and makes five calls per cell"
    )]
    fn cell(&self, at: usize) -> Cell<'_> {
        let at = c_int::try_from(at).unwrap_or(c_int::MAX);
        // SAFETY: the statement stays on this row as long as the row is borrowed, and SQLite
        // returns NULL for a column that does not exist. The value is not a protected one, and need
        // not be, since no other thread uses the connection (https://sqlite.org/c3ref/value.html).
        // The databases of this crate are UTF-8, so a text is read without a conversion. To read
        // the text again changes nothing, and the text is valid until the next step. The number of
        // bytes is valid after the text was read (https://sqlite.org/c3ref/column_blob.html).
        unsafe {
            let value = ffi::sqlite3_column_value(self.statement.as_ptr(), at);
            match ffi::sqlite3_value_type(value) {
                ffi::SQLITE_INTEGER => Cell::Integer(ffi::sqlite3_value_int64(value)),
                ffi::SQLITE_FLOAT => Cell::Number(ffi::sqlite3_value_double(value)),
                ffi::SQLITE_TEXT | ffi::SQLITE_BLOB => {
                    let text = ffi::sqlite3_value_blob(value).cast::<u8>();
                    let bytes =
                        usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or_default();
                    // SQLite returns a null pointer for an empty text.
                    Cell::Text(if text.is_null() {
                        &[]
                    } else {
                        slice::from_raw_parts(text, bytes)
                    })
                }
                _ => Cell::Null,
            }
        }
    }
}
