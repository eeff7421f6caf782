//! The store: one handle for whoever asks, and a closed set of engines behind it.
//!
//! Nothing above this module names a thread, a connection or a database.

mod difference;
mod open;
mod sqlite;

use std::{path::PathBuf, sync::Arc};

use self::sqlite::Sqlite;
pub use self::{difference::Difference, open::OpenError};
use crate::{
    error::Error,
    model::Model,
    plan::{Outcome, Plan},
    sink::Sink,
};

/// Where the members are kept. Clones are handles of the same store.
///
/// The database and the writer end when the last handle is dropped, or earlier by [`Store::close`].
#[derive(Clone, Debug)]
pub struct Store {
    engine: Engine,
    model: Arc<Model>,
}

/// The engines there are.
#[derive(Clone, Debug)]
enum Engine {
    Sqlite(Arc<Sqlite>),
}

/// How a store is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The file of the database; it is made where there is none.
    pub path: PathBuf,
    /// When a write is answered.
    pub synchronous: Synchronous,
    /// Whether additive differences between the declaration and the database are applied.
    pub apply: bool,
}

/// When a write is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When it is on the disk: it survives a loss of power.
    #[default]
    Full,
    /// When the operating system has it: it survives the end of the process.
    Normal,
}

/// A plan that was run.
#[derive(Debug)]
pub struct Ran {
    /// What the store says of it.
    pub outcome: Outcome,
    /// The sink with the rows.
    pub sink: Sink,
    /// How many statements of the plan were run, and to find out why one failed; what keeps the store itself
    /// (transactions, revisions) is not counted.
    pub statements: u32,
}

impl Store {
    /// Opens or makes the database of a model, and says which differences were applied.
    ///
    /// # Errors
    /// One sentence where the file cannot be used, and a list where the database was made for another declaration.
    pub fn open(model: &Arc<Model>, options: &StoreOptions) -> Result<(Self, Vec<Difference>), OpenError> {
        let (engine, applied) = Sqlite::open(model, options)?;
        Ok((Self { engine: Engine::Sqlite(Arc::new(engine)), model: Arc::clone(model) }, applied))
    }

    /// What is kept in it.
    #[must_use]
    pub const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Runs a plan that only reads, in one snapshot.
    ///
    /// # Errors
    /// 503 where it can be tried again, 500 where the database fails.
    pub async fn read(&self, plan: &Plan, sink: Sink) -> Result<Ran, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.read(&self.model, plan, sink).await,
        }
    }

    /// Runs a plan that writes, whole or not at all; the answer comes when it is committed.
    ///
    /// # Errors
    /// 503 where it can be tried again, 500 where the database fails.
    pub async fn write(&self, plan: Plan, sink: Sink) -> Result<Ran, Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.write(&self.model, plan, sink).await,
        }
    }

    /// Gives the thread that calls it a read connection of its own.
    ///
    /// # Errors
    /// Where the database cannot be opened once more.
    pub fn enter_worker(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.enter_worker(),
        }
    }

    /// Ends the store: the writes that are queued are done, and later ones are refused with 503.
    pub async fn close(&self) {
        match &self.engine {
            Engine::Sqlite(engine) => engine.close().await,
        }
    }

    /// Whether the database can be read now.
    ///
    /// # Errors
    /// Where it cannot.
    pub async fn ready(&self) -> Result<(), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.ready().await,
        }
    }
}
