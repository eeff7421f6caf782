//! [`Store::temporary`]: a store for tests, whose database is removed afterwards.

use std::{fs, io, path::PathBuf, sync::Arc};

use uuid::Uuid;

use super::{OpenError, Store, StoreOptions, Synchronous};
use crate::model::Model;

/// A folder that is removed when this value is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates an empty folder that other users of the system cannot read.
    fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("nouns-{}", Uuid::now_v7()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(cause) = fs::remove_dir_all(&self.0) {
            tracing::debug!(path = %self.0.display(), %cause, "a temporary folder was not removed");
        }
    }
}

impl Store {
    /// Opens a new database in a temporary folder, for tests. It is a real SQLite database, but
    /// its writes are not synced to the disk ([`Synchronous::Off`]). The folder is removed after
    /// the last clone of the store is dropped.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Service, Store};
    ///
    /// let model = Api::new("City zoos").build()?;
    /// let service = Service::new(Store::temporary(&model)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the folder or the database cannot be created.
    pub fn temporary(model: &Arc<Model>) -> Result<Self, OpenError> {
        let folder = TemporaryFolder::new().map_err(|cause| {
            let path = std::env::temp_dir();
            OpenError::unusable(&path, "cannot be created in this folder").with_source(cause)
        })?;
        let path = folder.0.join("test.db");
        let options = StoreOptions {
            folder: Some(Arc::new(folder)),
            ..StoreOptions::new(path).synchronous(Synchronous::Off)
        };
        Self::open(model, &options).map(|(store, _)| store)
    }
}
