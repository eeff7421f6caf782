//! The transaction of a write, as a hook within it has it.

use std::fmt;

use super::{Ran, Store, sqlite::Transaction};
use crate::{base::error::Error, model::ResourceIx, plan::Plan, store::sink::Sink};

/// The transaction of a write: what is read and written through it happens with the write, or not at all.
///
/// Hooks of what it writes are not run. It is the writer's own connection: while a hook works, no other write does.
///
/// ```
/// use nouns_runtime::{Error, Resource, hook::Hooks};
///
/// fn counted<Zoo: Resource, Note: Resource>(hooks: Hooks<Zoo>, note: fn() -> Note::New) -> Hooks<Zoo>
/// where
///     nouns_runtime::typed::Anywhere: nouns_runtime::typed::Creates<Note>,
/// {
///     hooks.within_create(move |tx, _| tx.of::<Note>().create(note()).map(drop))
/// }
/// ```
pub struct Tx<'t> {
    engine: Engine<'t>,
    store: &'t Store,
}

/// The transactions of the engines there are.
enum Engine<'t> {
    Sqlite(Transaction<'t>),
}

impl<'t> Tx<'t> {
    pub(super) const fn new(transaction: Transaction<'t>, store: &'t Store) -> Self {
        Self { engine: Engine::Sqlite(transaction), store }
    }

    /// The store of the transaction.
    pub(crate) const fn store(&self) -> &'t Store {
        self.store
    }

    /// Runs a plan.
    pub(crate) fn run(&mut self, plan: &Plan, sink: Sink) -> Result<Ran, Error> {
        match &mut self.engine {
            Engine::Sqlite(transaction) => transaction.run(plan, sink),
        }
    }

    /// Whether the members of a resource were written through it. An error where something has failed, and was not
    /// merely refused: the transaction is of no use then, whatever the hook made of it.
    pub(super) fn wrote(self, resource: ResourceIx) -> Result<bool, Error> {
        match self.engine {
            Engine::Sqlite(Transaction { failure: Some(failure), .. }) => Err(failure),
            Engine::Sqlite(transaction) => Ok(transaction.written.contains(&resource)),
        }
    }
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tx")
    }
}
