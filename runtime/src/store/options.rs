//! The options with which a store is opened.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use uuid::Uuid;

use super::Location;

/// The options for opening a store: a location, and settings that have defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreOptions {
    /// The location of the database.
    pub database: Location,
    /// The durability that a write must have before its response is sent.
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
    /// The temporary folder of the database, which is removed after the store is closed.
    pub(super) folder: Option<Arc<TemporaryFolder>>,
}

impl StoreOptions {
    /// Creates the default options for a database. A write is answered once it is on the disk,
    /// additive differences are applied, and the file is not mapped into memory.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{StoreOptions, Synchronous};
    ///
    /// let options = StoreOptions::new("zoo.db").synchronous(Synchronous::Normal).apply(false);
    /// assert_eq!((options.apply, options.mmap_bytes), (false, 0));
    /// ```
    #[must_use]
    pub fn new(database: impl Into<Location>) -> Self {
        Self {
            database: database.into(),
            synchronous: Synchronous::Full,
            apply: true,
            mmap_bytes: 0,
            folder: None,
        }
    }

    /// Sets how durable a write must be before its response is sent.
    #[must_use]
    pub fn synchronous(self, synchronous: Synchronous) -> Self {
        Self { synchronous, ..self }
    }

    /// Sets whether additive differences are applied. If not, a database with such differences is
    /// not opened.
    #[must_use]
    pub fn apply(self, apply: bool) -> Self {
        Self { apply, ..self }
    }

    /// Sets how many bytes of the file are mapped into memory.
    #[must_use]
    pub fn mmap_bytes(self, mmap_bytes: u64) -> Self {
        Self { mmap_bytes, ..self }
    }
}

/// The durability that a write must have before its response is sent (`PRAGMA synchronous`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// The write is on the disk, so it survives a power failure.
    #[default]
    Full,
    /// The write was passed to the operating system, so it survives a crash of the process, but
    /// maybe not a power failure.
    Normal,
    /// The write was passed to the operating system. A power failure may also damage the database,
    /// so this is for tests and for data that can be made again.
    Off,
}

/// A folder that is removed when this value is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates an empty folder that other users of the system cannot read.
    pub(super) fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("nouns-{}", Uuid::now_v7()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }

    /// The path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(cause) = fs::remove_dir_all(&self.0) {
            tracing::debug!(path = %self.0.display(), %cause, "a temporary folder was not removed");
        }
    }
}
