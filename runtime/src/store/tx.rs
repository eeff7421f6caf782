//! The transaction of a write, which the hooks within the write receive.

use std::fmt;

use super::{PlanResult, Store, job::Transact, sink::Sink};
use crate::{base::error::Error, plan::Plan};

/// The transaction of a write. Everything that is read or written through this value happens in the
/// same transaction as the write.
///
/// Writes through this value run no hooks. SQLite has a single writer, so no other write runs while
/// a hook runs.
///
/// ```
/// # use nouns_runtime::{Hooks, Resource, typed::{AllMembers, Creates}};
/// # fn counted<Zoo, Note>(hooks: Hooks<Zoo>, note: fn() -> Note::New) -> Hooks<Zoo>
/// # where Zoo: Resource, Note: Resource, AllMembers: Creates<Note> {
/// hooks.within_create(move |tx, _| tx.of::<Note>().create(note()).map(drop))
/// # }
/// ```
pub struct Tx<'t> {
    transaction: &'t mut (dyn Transact + 't),
    store: &'t Store,
}

impl<'t> Tx<'t> {
    pub(super) const fn new(transaction: &'t mut (dyn Transact + 't), store: &'t Store) -> Self {
        Self { transaction, store }
    }

    /// Returns the store that the transaction belongs to.
    pub(crate) const fn store(&self) -> &'t Store {
        self.store
    }

    /// Runs a plan in the transaction.
    pub(crate) fn run(&mut self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        self.transaction.run(plan, sink)
    }
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tx")
    }
}
