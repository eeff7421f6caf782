//! What is set for SQLite as a whole, before the first database is opened: the only call of it without rusqlite.

use std::sync::Once;

use rusqlite::ffi;

static ONCE: Once = Once::new();

/// Has SQLite not count the memory it takes: the count has a lock, for which all workers would wait at every allocation.
///
/// A program that has used SQLite before keeps what it had.
#[expect(unsafe_code, reason = "rusqlite has no function for it")]
pub(super) fn set() {
    ONCE.call_once(|| {
        // SAFETY: `sqlite3_config` takes one `int` after this option (https://sqlite.org/c3ref/c_config_covering_index_scan.html).
        // It must not be called beside any other call of SQLite: it is not thread-safe, but refuses with SQLITE_MISUSE
        // once SQLite is initialized, and what this crate does with SQLite comes after the end of `call_once`.
        let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MEMSTATUS, 0) };
        if code != ffi::SQLITE_OK {
            tracing::debug!(code, "SQLite was in use before, and counts its memory");
        }
    });
}
