//! The header of the WAL index. Every commit of every process changes the header. It is read from
//! memory that SQLite has mapped, without a call of SQLite or of the system.
//!
//! The format is documented (<https://sqlite.org/walformat.html#the_wal_index_header>). The WAL
//! index begins with two copies of a header of 48 bytes. A commit increments a counter in the
//! header. The commit also writes the new length of the WAL, the checksum of the WAL's last frame,
//! and the salts of the WAL.
//!
//! A commit writes the second copy of the header before the first copy. So once a commit is visible
//! to readers, the first copy is up to date. Two equal headers mean the same state of the database,
//! even if the WAL was restarted or recovered between the two reads.

use std::{
    array,
    ffi::c_int,
    ptr::{self, NonNull},
    sync::atomic::{Ordering, fence},
};

use rusqlite::{Connection, ffi};

/// The number of 64-bit words in one copy of the header.
const WORDS: usize = 48 / size_of::<u64>();
/// The size of a region of the WAL index, in bytes. Every process maps the WAL index in such
/// regions.
const REGION_BYTES: c_int = 32 * 1024;

/// A state of the database, represented by the header of the WAL index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::sqlite) struct WalState([u64; WORDS]);

/// The address of the header of the WAL index in memory.
pub(super) struct WalIndex(NonNull<u64>);

impl WalIndex {
    /// Returns the header that a connection has mapped into memory. `None` before the first
    /// transaction of the connection, or if the database is not in WAL mode.
    #[expect(unsafe_code, reason = "rusqlite has no function for the WAL index")]
    pub(super) fn of(connection: &Connection) -> Option<Self> {
        let (file, methods) = super::file(connection).ok()??;
        let mut region = ptr::null_mut();
        // SAFETY: the file is open. A table of methods with a version below 2 ends before `xShmMap`
        // (https://sqlite.org/c3ref/io_methods.html). The call has the same arguments as SQLite's
        // own calls: it asks for the first region, without creating it. No other thread uses the
        // connection at the same time, since it is not `Sync`.
        let code = unsafe {
            let methods = methods.as_ptr();
            let map = if (*methods).iVersion < 2 { None } else { (*methods).xShmMap };
            map?(file.as_ptr(), 0, REGION_BYTES, 0, &raw mut region)
        };
        let header = NonNull::new(region.cast::<u64>()).filter(|header| header.is_aligned());
        header.filter(|_| code == ffi::SQLITE_OK).map(Self)
    }

    /// Reads the current state of the database.
    ///
    /// A snapshot that is taken after this call has the returned state or a later one. If another
    /// process writes the header during this call, the result may mix an old and a new header. The
    /// result then equals no other state.
    ///
    /// # Safety
    /// The connection must be open, and must not have left WAL mode.
    #[expect(unsafe_code, reason = "the memory belongs to SQLite")]
    pub(super) unsafe fn state(&self) -> WalState {
        // SAFETY: a region has 32 KiB and begins at a page boundary, so the words exist and are
        // aligned. The caller guarantees that the region stays mapped. The region is not an
        // allocation of Rust, and other processes may write to it at any time. Volatile reads are
        // meant for such memory: each word is read exactly once, and every bit pattern is a valid
        // number.
        let words = array::from_fn(|at| unsafe { self.0.add(at).read_volatile() });
        // A snapshot that is taken after this call must not be older than the state that was read.
        fence(Ordering::Acquire);
        WalState(words)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::sqlite::raw::PreparedConnection;

    fn open(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        connection
    }

    fn prepared(path: &Path) -> PreparedConnection {
        let mut prepared = PreparedConnection::new(open(path));
        prepared.find_wal_index();
        prepared
    }

    #[test]
    fn the_state_changes_with_each_commit_of_another_connection_and_with_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let other = open(&path);
        other.execute_batch("CREATE TABLE t (x)").unwrap();
        let reader = prepared(&path);
        let state = || reader.wal_state().unwrap();
        let mut states = vec![state()];
        for _ in 0..100 {
            other.execute_batch("BEGIN; INSERT INTO t VALUES (1)").unwrap();
            assert_eq!(Some(&state()), states.last(), "the insert is not committed");
            other.execute_batch("COMMIT").unwrap();
            assert!(!states.contains(&state()));
            states.push(state());
        }
        other.execute_batch("BEGIN; INSERT INTO t VALUES (1); ROLLBACK; SELECT * FROM t").unwrap();
        other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        assert_eq!(Some(&state()), states.last(), "a checkpoint does not change the state");
        other.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        assert!(
            !states.contains(&state()),
            "the first commit after the WAL has restarted changes the state"
        );
    }

    #[test]
    fn without_a_wal_there_is_no_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let plain = Connection::open(&path).unwrap();
        plain.execute_batch("CREATE TABLE t (x)").unwrap();
        let mut plain = PreparedConnection::new(plain);
        plain.find_wal_index();
        assert_eq!(plain.wal_state(), None);
        let mut memory = PreparedConnection::new(Connection::open_in_memory().unwrap());
        memory.find_wal_index();
        assert_eq!(memory.wal_state(), None);
    }

    #[test]
    fn it_stays_mapped_while_other_connections_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        open(&path).execute_batch("CREATE TABLE t (x)").unwrap();
        let reader = prepared(&path);
        let before = reader.wal_state().unwrap();
        for _ in 0..3 {
            let other = prepared(&path);
            // The rows need so many pages that the WAL index has several regions.
            let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
                        INSERT INTO t SELECT zeroblob(4000) FROM n";
            other.connection().execute_batch(rows).unwrap();
            assert_eq!(reader.wal_state(), other.wal_state());
        }
        assert_ne!(reader.wal_state().unwrap(), before);
    }
}
