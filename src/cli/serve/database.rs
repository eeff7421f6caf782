//! The database of a server: which it is, how it is opened, and what fills it.

use std::{path::Path, sync::Arc};

use nouns_codegen::schema::Schema;
use nouns_runtime::{
    CopyProgress, Location, Model, Store, backup, store::StoreOptions, value::now,
};
use tracing::subscriber::{NoSubscriber, with_default};

use super::{Serve, open};
use crate::cli::{Failure, mock, schema_file};

impl Serve {
    /// Opens the database.
    pub(super) fn open(
        &self,
        model: &Arc<Model>,
        options: &StoreOptions,
    ) -> Result<Store, Failure> {
        if self.is_temporary() { Ok(Store::temporary(model)?) } else { open(model, options) }
    }

    /// Fills the empty collections of a store, if that is wanted.
    pub(super) fn filled(&self, store: Store, schema: &Schema) -> Result<Store, Failure> {
        let Some(count) = self.mock else { return Ok(store) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (count, seed) = (count.into(), self.mock_seed);
        let order = mock::MockOrder { count, seed, has_accounts: self.is_temporary() };
        let filled = mock::fill(&store, schema, order);
        // These are no requests of clients, so the log does not have them.
        with_default(NoSubscriber::new(), || runtime.block_on(filled))
    }

    /// Copies the database, before its tables are made again. Returns the name of the copy.
    pub(super) fn copied(&self, schema: &Schema) -> Result<String, Failure> {
        let database = self.options(schema).database;
        let copy = format!("{database}.replaced-{}", now().replace(':', ""));
        let copied = backup(&database, Path::new(&copy), false, &CopyProgress::default());
        copied.map_err(|error| Failure(format!("error: {error}")))?;
        Ok(copy)
    }

    /// Whether the database is a temporary one, which ends with the server.
    pub(super) const fn is_temporary(&self) -> bool {
        self.mock.is_some() && self.database.is_none()
    }

    /// The name of the database for people. The path of a file is between quotes.
    pub(super) fn database_name(&self, options: &StoreOptions, quote: &str) -> String {
        match self.is_temporary() {
            true => "a temporary database".to_owned(),
            false => format!("{quote}{}{quote}", options.database),
        }
    }

    /// Whether additions to the schema are applied to the database.
    pub(super) const fn applies_additions(&self) -> bool {
        self.apply || self.watch
    }

    /// Returns the options with which the database is opened.
    pub(super) fn options(&self, schema: &Schema) -> StoreOptions {
        let database = schema_file::database(self.database.clone(), schema, &self.file);
        let synchronous = self.synchronous.unwrap_or_else(|| schema.server.synchronous.into());
        StoreOptions::new(database)
            .synchronous(synchronous.into())
            .apply(self.applies_additions())
            .mmap_bytes(self.mmap)
    }
}

/// Whether a database is a file that does not exist yet.
pub(super) fn is_missing(database: &Location) -> bool {
    matches!(database, Location::File(path) if !path.exists())
}
