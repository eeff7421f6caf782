//! [`Tx`]: an open transaction, which hooks within a write and [`Store::transaction`] receive.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    PlanResult, Store, inside,
    job::{Job, ProgramTransaction, Transact},
    sink::Sink,
};
use crate::{
    base::error::Error,
    model::value::Value,
    plan::{Caller, Plan},
    store::behaviour::WriteHooks,
};

/// An open transaction. Everything that is read or written through this value happens in it.
///
/// A hook within a write receives the transaction of that write, and the writes of the hook run no
/// hooks. [`Store::transaction`] opens a transaction of its own, whose writes run the `within_*`
/// and `after_*` hooks of their resources. SQLite has a single writer, so no other write runs while
/// a transaction is open.
///
/// ```
/// # use nouns_runtime as nouns;
/// # use nouns::{Resource, typed::{AllMembers, Creates}};
/// use nouns::{Error, Hooks, Tx};
///
/// # fn counted<Zoo: Resource, Note: Resource>(hooks: Hooks<Zoo>, note: fn() -> Note::New) -> Hooks<Zoo>
/// # where
/// #     AllMembers: Creates<Note>,
/// # {
/// hooks.within_create(move |tx: &mut Tx<'_>, _| tx.of::<Note>().create(note()).map(drop))
/// # }
/// ```
pub struct Tx<'t> {
    transaction: &'t mut (dyn Transact + 't),
    store: Cow<'t, Store>,
    /// Whether the writes run the hooks of their resources.
    runs_hooks: bool,
}

impl<'t> Tx<'t> {
    /// Creates the transaction that a hook within a write receives.
    pub(super) const fn of_hook(
        transaction: &'t mut (dyn Transact + 't),
        store: &'t Store,
    ) -> Self {
        Self { transaction, store: Cow::Borrowed(store), runs_hooks: false }
    }

    /// Creates a transaction of the program.
    pub(super) const fn of_program(
        transaction: &'t mut (dyn Transact + 't),
        store: &'t Store,
    ) -> Self {
        Self { transaction, store: Cow::Borrowed(store), runs_hooks: true }
    }

    /// Returns the caller on whose behalf the calls are made.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.store.caller()
    }

    /// Returns the same transaction for calls on behalf of the program itself. No access rules
    /// apply to these calls.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Id, Member, Resource, Tx};
    ///
    /// fn whatever_the_rules<R: Resource>(tx: &mut Tx<'_>, id: Id<R>) -> Result<Member<R>, Error> {
    ///     tx.as_system().of::<R>().get(id)
    /// }
    /// ```
    #[must_use]
    pub fn as_system(&mut self) -> Tx<'_> {
        let store = Cow::Owned(self.store.as_system());
        Tx { transaction: &mut *self.transaction, store, runs_hooks: self.runs_hooks }
    }

    /// Runs a closure in a savepoint. If it returns an error, its writes are undone, and the
    /// transaction continues.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Id, Resource, Tx};
    ///
    /// /// Deletes the members that can be deleted, and returns how many these are.
    /// fn delete_some<R: Resource>(tx: &mut Tx<'_>, ids: Vec<Id<R>>) -> usize {
    ///     let mut delete = |id| tx.savepoint(|tx| tx.of::<R>().delete(id)).is_ok();
    ///     ids.into_iter().filter_map(|id| delete(id).then_some(())).count()
    /// }
    /// ```
    ///
    /// # Errors
    /// The error of the closure. If the database fails, the whole transaction fails.
    pub fn savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.transaction.mark()?;
        let mut savepoint = OpenSavepoint { tx: self, is_open: true };
        let result = work(savepoint.tx);
        savepoint.end(result.is_ok())?;
        result
    }

    /// Returns the store that the transaction belongs to.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Whether the writes run the hooks of their resources.
    pub(crate) const fn runs_hooks(&self) -> bool {
        self.runs_hooks
    }

    /// Runs a plan in the transaction. Its writes run only the given hooks.
    pub(crate) fn run(
        &mut self,
        plan: &Plan,
        sink: Sink,
        hooks: Option<WriteHooks>,
    ) -> Result<PlanResult, Error> {
        self.transaction.run(plan, sink, hooks)
    }

    /// Runs an SQL query, and returns the rows of its result.
    pub(crate) fn select(
        &mut self,
        text: &str,
        values: &[Value],
    ) -> Result<Vec<Vec<Value>>, Error> {
        self.transaction.select(text, values)
    }
}

/// A savepoint whose closure is running. If the closure panics, dropping this undoes its writes, so
/// that code which catches the panic can continue the transaction.
struct OpenSavepoint<'s, 't> {
    tx: &'s mut Tx<'t>,
    is_open: bool,
}

impl OpenSavepoint<'_, '_> {
    fn end(&mut self, keep: bool) -> Result<(), Error> {
        self.is_open = false;
        self.tx.transaction.release(keep)
    }
}

impl Drop for OpenSavepoint<'_, '_> {
    fn drop(&mut self) {
        if self.is_open {
            // An error here is a failure of the transaction, which its commit reports.
            drop(self.end(false));
        }
    }
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tx")
    }
}

impl Store {
    /// Runs a closure in a transaction, and returns its result once the transaction is committed.
    ///
    /// The closure reads and writes through the [`Tx`]. If it returns an error, its writes are
    /// undone. No other write runs at the same time, so what the closure has read is still true
    /// when it writes.
    ///
    /// The closure runs on a thread of the store. It may run twice, if the transaction of several
    /// writes fails to commit, so it must have no effects outside of the transaction. It is
    /// synchronous: a call of the async store from inside is refused with an error, since it would
    /// wait for itself. The transaction has a deadline,
    /// [`WRITE_TIME_MAX`](crate::base::limits::WRITE_TIME_MAX); other writes wait for it.
    ///
    /// The calls act as the [caller](Self::caller) of this handle. The writes run the `within_*`
    /// and `after_*` hooks of their resources, but no `before_*` hooks, because those are async.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// # use nouns::{typed::{AllMembers, Creates}, Revision};
    /// use nouns::{Error, Id, Member, Resource, Store};
    ///
    /// async fn copy<R>(store: &Store, from: Id<R>, new: fn(R) -> R::New) -> Result<Member<R>, Error>
    /// where
    ///     R: Resource,
    /// #   AllMembers: Creates<R>,
    /// {
    ///     store
    ///         .transaction(move |tx| {
    ///             let old = tx.of::<R>().get(from.clone())?;
    ///             tx.of::<R>().create(new(old.into_inner()))
    ///         })
    ///         .await
    /// }
    /// ```
    ///
    /// # Errors
    /// The error of the closure. 503 if the transaction can be retried, 500 if the database fails.
    pub async fn transaction<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, Error> + Send + 'static,
    {
        inside::refuse()?;
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let keep = move |tx: &mut Tx<'_>| {
            let value = work(tx)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            Ok(())
        };
        let program = ProgramTransaction::new(self.clone(), Box::new(keep));
        let (job, waiting) = Job::of_program(Arc::clone(self.model()), program);
        self.put(job)?;
        waiting.answer(None).await?;
        let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Error::internal("the transaction returned no value"))
    }
}
