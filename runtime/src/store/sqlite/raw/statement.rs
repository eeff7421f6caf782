//! A statement, a run of it, and the rows that a run returns.

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

/// A statement, which is stored beside its connection.
pub(super) struct Statement(pub(super) NonNull<ffi::sqlite3_stmt>);

impl Statement {
    #[expect(unsafe_code, reason = "rusqlite lends statements only")]
    pub(super) fn new(connection: &Connection, text: &str) -> Result<Self> {
        let bytes = c_int::try_from(text.len()).map_err(|_| Error::InvalidQuery)?;
        let mut statement = ptr::null_mut();
        // SAFETY: the connection is open as long as it is borrowed. The length of the text is that
        // of its bytes, and SQLite does not read it after the call. The statement is finalized
        // once, when this is dropped; SQLite keeps its connection until then
        // (https://sqlite.org/c3ref/close.html: `sqlite3_close` refuses while there are
        // statements).
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
            Some(statement) => Ok(Self(statement)),
            // The text contains no statement.
            None => Err(Error::InvalidQuery),
        }
    }
}

impl Drop for Statement {
    #[expect(unsafe_code, reason = "rusqlite lends statements only")]
    fn drop(&mut self) {
        // SAFETY: it was prepared, and is finalized only here. No run uses it, since a run borrows
        // it.
        unsafe { ffi::sqlite3_finalize(self.0.as_ptr()) };
    }
}

/// A run of a statement. When this is dropped, the statement is reset, and its bindings are
/// cleared.
pub(in crate::store::sqlite) struct StatementRun<'r, 'v> {
    connection: &'r Connection,
    statement: &'r Statement,
    /// The bound values are not copied.
    values: PhantomData<&'v Value>,
}

impl<'r, 'v> StatementRun<'r, 'v> {
    /// Creates a run of a statement of this connection, without bound values.
    pub(super) const fn new(connection: &'r Connection, statement: &'r Statement) -> Self {
        Self { connection, statement, values: PhantomData }
    }

    #[expect(unsafe_code, reason = "rusqlite copies every text that is bound")]
    pub(super) fn bind(&self, at: c_int, value: &'v Value) -> Result<()> {
        let statement = self.statement.0.as_ptr();
        // SAFETY: the statement exists, and SQLite refuses a parameter that it does not have. A
        // text is read as long as it is bound, which is until this is dropped; the caller has
        // borrowed it for longer. It is UTF-8, and the length is that of its bytes.
        let code = unsafe {
            match value {
                Value::Null => ffi::sqlite3_bind_null(statement, at),
                Value::Integer(value) => ffi::sqlite3_bind_int64(statement, at, *value),
                Value::Number(value) => ffi::sqlite3_bind_double(statement, at, *value),
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

    /// Passes the rows of the statement to `row` until that returns false.
    pub(in crate::store::sqlite) fn rows(
        self,
        mut row: impl FnMut(&StatementRow<'_>) -> bool,
    ) -> Result<()> {
        while self.step()? {
            if !row(&StatementRow { statement: self.statement.0, run: PhantomData }) {
                break;
            }
        }
        Ok(())
    }

    /// Steps to the next row, and returns whether there is one.
    #[expect(unsafe_code, reason = "rusqlite lends statements only")]
    fn step(&self) -> Result<bool> {
        // SAFETY: the statement exists, and so do the bound values.
        match unsafe { ffi::sqlite3_step(self.statement.0.as_ptr()) } {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => Ok(false),
            code => Err(failure(self.connection, code)),
        }
    }
}

impl Drop for StatementRun<'_, '_> {
    #[expect(unsafe_code, reason = "rusqlite lends statements only")]
    fn drop(&mut self) {
        let statement = self.statement.0.as_ptr();
        // SAFETY: the statement exists. No cell of it is borrowed: each borrows the row, which is
        // gone. Both calls only return the result of the last step again.
        unsafe {
            ffi::sqlite3_reset(statement);
            ffi::sqlite3_clear_bindings(statement);
        }
    }
}

/// A row that a sink can read.
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
        // SAFETY: the statement is on a row as long as this is borrowed, and SQLite returns null
        // for a cell that it does not have. The value belongs to this connection, which no other
        // thread uses, so it need not be protected (https://sqlite.org/c3ref/value.html). A text is
        // read without conversion, since our databases are UTF-8. So reading it again changes
        // nothing, and it is valid until the next step. Its length is known once it was read
        // (https://sqlite.org/c3ref/column_blob.html).
        unsafe {
            let value = ffi::sqlite3_column_value(self.statement.as_ptr(), at);
            match ffi::sqlite3_value_type(value) {
                ffi::SQLITE_INTEGER => Cell::Integer(ffi::sqlite3_value_int64(value)),
                ffi::SQLITE_FLOAT => Cell::Number(ffi::sqlite3_value_double(value)),
                ffi::SQLITE_TEXT | ffi::SQLITE_BLOB => {
                    let text = ffi::sqlite3_value_blob(value).cast::<u8>();
                    let bytes =
                        usize::try_from(ffi::sqlite3_value_bytes(value)).unwrap_or_default();
                    // An empty text has a null pointer.
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
