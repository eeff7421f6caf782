//! [`Store::temporary`]: a store for tests, whose database is removed afterwards.

use std::sync::Arc;

use super::{OpenError, Store, StoreOptions, Synchronous, options::TemporaryFolder};
use crate::model::Model;

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
        let path = folder.path().join("test.db");
        let options = StoreOptions {
            folder: Some(Arc::new(folder)),
            ..StoreOptions::new(path).synchronous(Synchronous::Off)
        };
        Self::open(model, &options).map(|(store, _)| store)
    }
}
