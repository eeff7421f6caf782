//! The header of the WAL index, which changes with every commit of every process. It is read in the
//! memory that SQLite has mapped, without a call of SQLite or the system.
//!
//! The format is documented (<https://sqlite.org/walformat.html#the_wal_index_header>): the index
//! begins with two copies of a header of 48 bytes. A commit increments a counter in it. It also
//! writes the new length of the WAL, the checksum of its last frame, and the salts of the WAL.
//!
//! The second copy is written first, so the first one is new once the commit is visible. Equal
//! headers mean the same state of the database, even if the WAL restarted or was recovered between
//! them.

use std::{
    array,
    ffi::c_int,
    ptr::{self, NonNull},
    sync::atomic::{Ordering, fence},
};

use rusqlite::{Connection, ffi};

/// The number of words in one copy of the header.
const WORDS: usize = 48 / size_of::<u64>();
/// The size of the regions in which every process maps the index.
const REGION_BYTES: c_int = 32 * 1024;

/// A state of the database, as its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::sqlite) struct WalState([u64; WORDS]);

/// The address of the header.
pub(super) struct WalIndex(NonNull<u64>);

impl WalIndex {
    /// The header that a connection has mapped. `None` before its first transaction, or without a
    /// WAL.
    #[expect(unsafe_code, reason = "rusqlite has no function for it")]
    pub(super) fn of(connection: &Connection) -> Option<Self> {
        let (file, methods) = super::file(connection).ok()??;
        let mut region = ptr::null_mut();
        // SAFETY: the file is open. Methods of a version below 2 end before `xShmMap`
        // (https://sqlite.org/c3ref/io_methods.html). It is called as SQLite calls it: for the
        // first region, which is not created if it does not exist. No other thread uses the
        // connection meanwhile, since it is not `Sync`.
        let code = unsafe {
            let methods = methods.as_ptr();
            let map = if (*methods).iVersion < 2 { None } else { (*methods).xShmMap };
            map?(file.as_ptr(), 0, REGION_BYTES, 0, &raw mut region)
        };
        let header = NonNull::new(region.cast::<u64>()).filter(|header| header.is_aligned());
        header.filter(|_| code == ffi::SQLITE_OK).map(Self)
    }

    /// The current state.
    ///
    /// A snapshot that is taken afterwards has that state, or a later one. A header that is being
    /// written may be read in parts. It then equals no other, since its commit counter is that of
    /// one of the two.
    ///
    /// # Safety
    /// The connection is open, and has not left WAL mode.
    #[expect(unsafe_code, reason = "the memory belongs to SQLite")]
    pub(super) unsafe fn state(&self) -> WalState {
        // SAFETY: a region has 32 KiB and begins with a page, so the words exist and are aligned.
        // The caller promises that it stays mapped. It is not an allocation of Rust, and other
        // processes write it at any time. Volatile reads are meant for that: each happens once, and
        // finds a number, whatever it is.
        let words = array::from_fn(|at| unsafe { self.0.add(at).read_volatile() });
        // The next snapshot must not be older than this.
        fence(Ordering::Acquire);
        WalState(words)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::sqlite::raw::Prepared;

    fn open(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        connection
    }

    fn prepared(path: &Path) -> Prepared {
        let mut prepared = Prepared::new(open(path));
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
        let mut seen = vec![state()];
        for _ in 0..100 {
            other.execute_batch("BEGIN; INSERT INTO t VALUES (1)").unwrap();
            assert_eq!(Some(&state()), seen.last(), "nothing is committed yet");
            other.execute_batch("COMMIT").unwrap();
            assert!(!seen.contains(&state()));
            seen.push(state());
        }
        other.execute_batch("BEGIN; INSERT INTO t VALUES (1); ROLLBACK; SELECT * FROM t").unwrap();
        other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(())).unwrap();
        assert_eq!(Some(&state()), seen.last(), "a checkpoint changes no row");
        other.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        assert!(!seen.contains(&state()), "the WAL has begun again");
    }

    #[test]
    fn without_a_wal_there_is_no_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.db");
        let plain = Connection::open(&path).unwrap();
        plain.execute_batch("CREATE TABLE t (x)").unwrap();
        let mut plain = Prepared::new(plain);
        plain.find_wal_index();
        assert_eq!(plain.wal_state(), None);
        let mut memory = Prepared::new(Connection::open_in_memory().unwrap());
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
            // These rows are so large that the index has several regions.
            let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
                        INSERT INTO t SELECT zeroblob(4000) FROM n";
            other.connection().execute_batch(rows).unwrap();
            assert_eq!(reader.wal_state(), other.wal_state());
        }
        assert_ne!(reader.wal_state().unwrap(), before);
    }
}
