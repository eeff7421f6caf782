//! The database engines that a store can use. The location of a database decides which one opens
//! it.

use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::postgres::Postgres;
use super::{Difference, Location, OpenError, StoreOptions, sqlite::Sqlite};
use crate::model::Model;

/// An open database, with its engine.
#[derive(Clone, Debug)]
pub(super) enum Engine {
    Sqlite(Arc<Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(Arc<Postgres>),
}

impl Engine {
    /// Opens or creates the database of a model. Returns the differences from the declaration that
    /// were corrected.
    pub(super) fn open(
        model: &Arc<Model>,
        options: &StoreOptions,
    ) -> Result<(Self, Vec<Difference>), OpenError> {
        match &options.database {
            Location::File(path) => {
                let (engine, applied) = Sqlite::open(model, path, options)?;
                Ok((Self::Sqlite(Arc::new(engine)), applied))
            }
            #[cfg(feature = "postgres")]
            location @ Location::Url(url) if super::open::is_postgres(url) => {
                let (engine, applied) = Postgres::open(model, location, url, options.apply)?;
                Ok((Self::Postgres(Arc::new(engine)), applied))
            }
            url @ Location::Url(_) => Err(OpenError::no_engine(url)),
        }
    }
}
