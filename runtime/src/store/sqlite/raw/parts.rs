//! A connection that syncs its writes to the database file in parts: once after every fixed number
//! of bytes.
//!
//! A sync of many pages at once keeps the disk busy for tens of milliseconds. The sync of a commit
//! in the WAL, on the same disk, has to wait in that time. With parts, the commit waits for at most
//! one part.
//!
//! SQLite calls the I/O methods of a file through a table that the file object points to. This
//! module makes the file object of the connection point to a copy of that table. The write method
//! of the copy also counts bytes and syncs.

use std::{
    ffi::{c_int, c_void},
    ops::Deref,
    ptr::{self, NonNull},
};

use rusqlite::{Connection, Result, ffi};

/// A connection that syncs the database file after every `part_bytes` bytes that it writes to the
/// file.
pub(in crate::store::sqlite) struct SplitWriteConnection {
    /// The connection. This field comes before `_methods`, since the connection must be dropped
    /// first.
    connection: Connection,
    /// The replaced table of methods. `None` if the connection keeps SQLite's own table, and so
    /// does not sync in parts.
    _methods: Option<Methods>,
}

/// The owned table of I/O methods that the file of a connection points to.
struct Methods(NonNull<MethodTable>);

/// A table of I/O methods, followed by the state of its write method.
#[repr(C)]
struct MethodTable {
    /// The table for SQLite. This field comes first, so a pointer to the table is also a pointer to
    /// the whole struct.
    methods: ffi::sqlite3_io_methods,
    /// SQLite's own table of methods for the file.
    before: NonNull<ffi::sqlite3_io_methods>,
    part_bytes: usize,
    /// The number of bytes that were written since the last sync of a part.
    unsynced_bytes: usize,
}

// SAFETY: only one file points to the table. The file belongs to the connection in the same struct,
// and a connection is `Send`.
#[expect(unsafe_code, reason = "a raw pointer is not `Send`")]
unsafe impl Send for Methods {}

impl SplitWriteConnection {
    /// Makes a connection sync the database file after every `part_bytes` bytes that it writes to
    /// the file. A connection without an open file stays unchanged, and so does one with a table of
    /// I/O methods below version 3.
    ///
    /// # Errors
    /// SQLite does not return the file of the connection.
    #[expect(unsafe_code, reason = "rusqlite gives no access to the file of a connection")]
    pub(in crate::store::sqlite) fn of(connection: Connection, part_bytes: usize) -> Result<Self> {
        let Some((file, before)) = super::file(&connection)? else {
            return Ok(Self { connection, _methods: None });
        };
        // SAFETY: the table of methods of an open file stays in place as long as the file is open
        // (https://sqlite.org/c3ref/file.html). SQLite's own tables have the size of the struct,
        // whatever their version. A table of another program may be shorter. So only tables of
        // version 3, the last version, are copied.
        let mut methods = unsafe {
            if (*before.as_ptr()).iVersion < 3 {
                return Ok(Self { connection, _methods: None });
            }
            ptr::read(before.as_ptr())
        };
        methods.xWrite = Some(write);
        let table = Box::new(MethodTable { methods, before, part_bytes, unsynced_bytes: 0 });
        let methods = Methods(NonNull::from(Box::leak(table)));
        // SAFETY: the file is open. No other thread uses the file at the same time, since the
        // connection is not `Sync`. SQLite reads the pointer to the table whenever it calls a
        // method, and does not compare the pointer with anything. The table lives longer than the
        // connection.
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
    #[expect(unsafe_code, reason = "the table was leaked from a box, so this must free it")]
    fn drop(&mut self) {
        // SAFETY: `SplitWriteConnection::of` has leaked this table from a box. The connection was
        // dropped before the table, and has closed the file that pointed to the table.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Writes to a file with SQLite's own write method, and syncs the file after each part.
///
/// # Safety
/// The caller must be SQLite, which calls this function as the `xWrite` method of a file whose
/// table of methods is a [`MethodTable`].
#[expect(unsafe_code, reason = "SQLite calls this C function")]
unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    count: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    // SAFETY: the file points to a `MethodTable`, and the caller has exclusive use of the
    // connection. SQLite's own methods get the same arguments as without this function.
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

    #[expect(unsafe_code, reason = "SQLite calls this C function")]
    unsafe extern "C" fn sync(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
        SYNCS.fetch_add(1, Ordering::Relaxed);
        RESULT.load(Ordering::Relaxed)
    }

    /// Replaces the sync method of a connection's file. The new method counts its calls in `SYNCS`,
    /// and returns `RESULT`.
    #[expect(unsafe_code, reason = "rusqlite gives no access to the file of a connection")]
    fn count_syncs(connection: &Connection) {
        let (file, methods) = super::super::file(connection).unwrap().unwrap();
        // SAFETY: the conditions of `SplitWriteConnection::of` hold. The new table is never freed.
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
            "{syncs} syncs of one MiB: 16 parts of 64 KiB, and one sync at the end, were expected"
        );
        RESULT.store(ffi::SQLITE_IOERR_FSYNC, Ordering::Relaxed);
        let failed = filled(1024 * 1024).unwrap_err();
        let code = failed.sqlite_error().unwrap().extended_code;
        assert_eq!(
            (code, SYNCS.load(Ordering::Relaxed)),
            (ffi::SQLITE_IOERR_FSYNC, 1),
            "the checkpoint fails at the failed sync of its first part"
        );
        RESULT.store(ffi::SQLITE_OK, Ordering::Relaxed);
        let frames =
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get::<_, i64>(2));
        assert!(
            frames.unwrap() > 256,
            "the next checkpoint copies the frames of the failed checkpoint"
        );
        drop(connection);
        let again = Connection::open(&path).unwrap();
        let rows: i64 =
            again.query_row("SELECT sum(length(filling)) FROM rows", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2 * 1024 * 1024);
    }
}
