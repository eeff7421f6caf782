//! [`ProgramTransaction`]: the job of a transaction that the program has written as a closure.

use std::sync::Arc;

use super::{
    run::JobOutcome,
    transaction::{HookedWrite, Transaction},
};
use crate::{
    base::error::Error,
    model::Model,
    plan::Outcome,
    store::{Store, Tx, inside, session::WriteSession},
};

/// The closure of a transaction. It may run more than once, so it keeps its result itself.
type TransactionWork = Box<dyn Fn(&mut Tx<'_>) -> Result<(), Error> + Send>;

/// A transaction that the program has written as a closure.
pub(in crate::store) struct ProgramTransaction {
    work: TransactionWork,
    store: Store,
    /// The writes of the last run whose hooks run after the commit.
    hooked: Vec<HookedWrite>,
}

impl ProgramTransaction {
    /// Creates a transaction of a store handle. Its calls act as the caller of the handle.
    pub(in crate::store) fn new(store: Store, work: TransactionWork) -> Self {
        Self { work, store, hooked: vec![] }
    }

    /// Runs the closure in a savepoint. If the closure returns an error, the savepoint undoes the
    /// writes, and the error declines the job. After an error of this function, the transaction of
    /// the session cannot be used.
    pub(super) fn run(
        &mut self,
        session: &mut impl WriteSession,
        model: &Arc<Model>,
    ) -> Result<JobOutcome, Error> {
        self.hooked.clear();
        let mark = session.mark()?;
        let mut transaction = Transaction::new(session, model);
        let mut tx = Tx::of_program(&mut transaction, &self.store);
        let result = inside::run(|| (self.work)(&mut tx));
        let hooked = transaction.into_hooked()?;
        if !session.is_open() {
            // The error of the statement that has failed, unless the program went on without it.
            let unknown = || Error::internal("the transaction was rolled back while it ran");
            return Err(result.err().unwrap_or_else(unknown));
        }
        session.check()?;
        if let Err(error) = result {
            session.undo(&mark)?;
            session.release(mark)?;
            return Ok(JobOutcome::Declined(error));
        }
        session.release(mark)?;
        self.hooked = hooked;
        Ok(JobOutcome::Done(Outcome::Static))
    }

    /// Starts the hooks that run after the commit.
    pub(super) fn committed(self) {
        for HookedWrite { hooks, changes } in self.hooked {
            hooks.committed(changes);
        }
    }
}
