//! How a store is opened.

use super::Location;

/// The options for opening a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The location of the database.
    pub database: Location,
    /// The time at which a write is answered.
    pub synchronous: Synchronous,
    /// Whether additive differences between the declaration and the database are applied.
    pub apply: bool,
    /// The most bytes of an SQLite file that are mapped into memory, at most
    /// [`MMAP_BYTES_MAX`](crate::base::limits::MMAP_BYTES_MAX); 0 maps none.
    ///
    /// A map saves a system call for each page that is not in the page cache. But if the disk fails
    /// at a mapped page, or the file is truncated, the process is killed (SIGBUS). If the page is
    /// not mapped, only the requests that need it fail, with a 500.
    pub mmap_bytes: u64,
}

impl StoreOptions {
    /// Creates the options of a database with the defaults: writes are answered once they are on
    /// the disk, no differences are applied, and nothing is mapped.
    ///
    /// ```
    /// use nouns_runtime::store::{StoreOptions, Synchronous};
    ///
    /// let options = StoreOptions { synchronous: Synchronous::Normal, ..StoreOptions::new("zoo.db") };
    /// assert_eq!((options.apply, options.mmap_bytes), (false, 0));
    /// ```
    #[must_use]
    pub fn new(database: impl Into<Location>) -> Self {
        Self {
            database: database.into(),
            synchronous: Synchronous::Full,
            apply: false,
            mmap_bytes: 0,
        }
    }
}

/// The time at which a write is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When it is on the disk: the write survives a loss of power.
    #[default]
    Full,
    /// When the operating system has it: the write survives the end of the process.
    Normal,
}
