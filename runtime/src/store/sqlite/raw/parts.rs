//! A connection that syncs its writes to the database file in parts: after a fixed number of bytes.
//!
//! A sync of many pages at once keeps the disk busy for tens of milliseconds. Meanwhile the
//! commit's sync of the WAL, on the same disk, has to wait. Between syncs of parts it waits for at
//! most one part.
//!
//! SQLite writes a file through the table of methods that the file points to. Here the connection's
//! file points to a copy of that table, whose write method also counts and syncs.

use std::{
    ffi::{c_int, c_void},
    ops::Deref,
    ptr::{self, NonNull},
};

use rusqlite::{Connection, Result, ffi};

/// A connection that syncs its writes to the database file in parts.
pub(in crate::store::sqlite) struct SplitWriteConnection {
    /// It comes before the methods, since it must be dropped first.
    connection: Connection,
    /// `None` if the file is not open.
    _methods: Option<Methods>,
}

/// The methods that the file of a connection points to.
struct Methods(NonNull<MethodTable>);

/// A table of methods, with the state of its write method.
#[repr(C)]
struct MethodTable {
    /// It comes first, so a pointer to it is one to the whole.
    methods: ffi::sqlite3_io_methods,
    /// The methods of SQLite.
    before: NonNull<ffi::sqlite3_io_methods>,
    part_bytes: usize,
    /// The number of bytes that were written since the last sync.
    unsynced_bytes: usize,
}

// SAFETY: the table belongs to one file, which belongs to the connection beside it, and a
// connection may be sent.
#[expect(unsafe_code, reason = "a raw pointer is not `Send`")]
unsafe impl Send for Methods {}

impl SplitWriteConnection {
    /// Makes the connection sync the database file after every `part_bytes` bytes that it writes
    /// there.
    ///
    /// # Errors
    /// SQLite does not return the file.
    #[expect(unsafe_code, reason = "rusqlite does not lend the file")]
    pub(in crate::store::sqlite) fn of(connection: Connection, part_bytes: usize) -> Result<Self> {
        let Some((file, before)) = super::file(&connection)? else {
            return Ok(Self { connection, _methods: None });
        };
        // SAFETY: the methods of an open file are a table that stays in place as long as the file
        // is open (https://sqlite.org/c3ref/file.html). SQLite's own tables have the length of the
        // structure, whatever their version. A table of another program may be shorter, so only
        // tables of version 3, the last one, are copied.
        let mut methods = unsafe {
            if (*before.as_ptr()).iVersion < 3 {
                return Ok(Self { connection, _methods: None });
            }
            ptr::read(before.as_ptr())
        };
        methods.xWrite = Some(write);
        let table = Box::new(MethodTable { methods, before, part_bytes, unsynced_bytes: 0 });
        let methods = Methods(NonNull::from(Box::leak(table)));
        // SAFETY: the file is open, and no other thread uses it meanwhile, since the connection is
        // not `Sync`. SQLite reads the pointer whenever it calls a method, and compares it with
        // nothing. The table lives as long as the connection.
        unsafe { (*file.as_ptr()).pMethods = methods.0.as_ptr().cast() };
        Ok(Self { connection, _methods: Some(methods) })
    }
}

impl Deref for SplitWriteConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Methods {
    #[expect(unsafe_code, reason = "the table was leaked, so only the file refers to it")]
    fn drop(&mut self) {
        // SAFETY: it is the table of `of`. The connection was dropped before it, and has closed its
        // file.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Writes as SQLite does, and syncs the file after each part.
///
/// # Safety
/// SQLite calls it as `xWrite`, for a file whose methods are a [`MethodTable`].
#[expect(unsafe_code, reason = "SQLite calls it")]
unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: the file points to a table of ours, and the caller has exclusive use of its
    // connection. The methods of SQLite get the same arguments as without this function.
    unsafe {
        let table = (*file).pMethods.cast_mut().cast::<MethodTable>();
        let before = (*table).before.as_ptr();
        let code = (*before)
            .xWrite
            .map_or(ffi::SQLITE_IOERR_WRITE, |write| write(file, bytes, count, offset));
        if code != ffi::SQLITE_OK {
            return code;
        }
        (*table).unsynced_bytes += usize::try_from(count).unwrap_or(0);
        if (*table).unsynced_bytes < (*table).part_bytes {
            return code;
        }
        (*table).unsynced_bytes = 0;
        (*before).xSync.map_or(ffi::SQLITE_OK, |sync| sync(file, ffi::SQLITE_SYNC_NORMAL))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

    use super::*;

    static SYNCS: AtomicU32 = AtomicU32::new(0);
    static RESULT: AtomicI32 = AtomicI32::new(ffi::SQLITE_OK);

    #[expect(unsafe_code, reason = "SQLite calls it")]
    unsafe extern "C" fn sync(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
        SYNCS.fetch_add(1, Ordering::Relaxed);
        RESULT.load(Ordering::Relaxed)
    }

    /// Counts the syncs of a connection, which return `RESULT`.
    #[expect(unsafe_code, reason = "rusqlite does not lend the file")]
    fn count_syncs(connection: &Connection) {
        let (file, methods) = super::super::file(connection).unwrap().unwrap();
        // SAFETY: as in `SplitWriteConnection::of`; the table is never freed.
        unsafe {
            let mut methods = ptr::read(methods.as_ptr());
            methods.xSync = Some(sync);
            (*file.as_ptr()).pMethods = Box::leak(Box::new(methods));
        }
    }

    #[test]
    fn a_checkpoint_syncs_in_parts_and_fails_where_one_of_them_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        count_syncs(&connection);
        let connection = SplitWriteConnection::of(connection, 64 * 1024).unwrap();
        connection.execute_batch("CREATE TABLE rows (filling BLOB)").unwrap();
        let filled = |bytes: u32| {
            connection.execute("INSERT INTO rows VALUES (randomblob(?1))", [bytes]).unwrap();
            SYNCS.store(0, Ordering::Relaxed);
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get::<_, i64>(2))
        };
        assert!(filled(1024 * 1024).is_ok());
        let syncs = SYNCS.load(Ordering::Relaxed);
        assert!(
            (16..=18).contains(&syncs),
            "{syncs} syncs of one MiB: one for each part, and the last one"
        );
        RESULT.store(ffi::SQLITE_IOERR_FSYNC, Ordering::Relaxed);
        let failed = filled(1024 * 1024).unwrap_err();
        let code = failed.sqlite_error().unwrap().extended_code;
        assert_eq!(
            (code, SYNCS.load(Ordering::Relaxed)),
            (ffi::SQLITE_IOERR_FSYNC, 1),
            "at the first part"
        );
        RESULT.store(ffi::SQLITE_OK, Ordering::Relaxed);
        let frames =
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get::<_, i64>(2));
        assert!(
            frames.unwrap() > 256,
            "the frames of the checkpoint that failed are copied by the next one"
        );
        drop(connection);
        let again = Connection::open(&path).unwrap();
        let rows: i64 =
            again.query_row("SELECT sum(length(filling)) FROM rows", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2 * 1024 * 1024);
    }
}
