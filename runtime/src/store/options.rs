//! The options with which a store is opened.

use super::Location;

/// The options for opening a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The location of the database.
    pub database: Location,
    /// How durable a write must be before its response is sent.
    pub synchronous: Synchronous,
    /// Whether to apply additive differences between the declaration and the database, such as new
    /// tables or columns.
    pub apply: bool,
    /// The maximum number of bytes of the SQLite file that are mapped into memory (`mmap`). The
    /// upper limit is [`MMAP_BYTES_MAX`](crate::base::limits::MMAP_BYTES_MAX); 0 disables mapping.
    ///
    /// Mapping saves a system call for each page that SQLite's page cache does not hold. But if the
    /// disk fails at a mapped page, or the file is truncated, the process is killed (SIGBUS).
    /// Without mapping, only the requests that need the page fail, with a 500.
    pub mmap_bytes: u64,
}

impl StoreOptions {
    /// Creates the default options for a database. A write is answered once it is on the disk, no
    /// differences are applied, and the file is not mapped into memory.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{StoreOptions, Synchronous};
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

/// How durable a write must be before its response is sent (`PRAGMA synchronous`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// The write is on the disk, so it survives a power failure.
    #[default]
    Full,
    /// The write was passed to the operating system, so it survives a crash of the process, but
    /// maybe not a power failure.
    Normal,
}
