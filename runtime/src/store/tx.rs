//! [`Tx`]: an open transaction, which hooks within a write and [`Store::transaction`] receive.

mod actor;

use std::{borrow::Cow, fmt, marker::PhantomData};

pub use self::actor::{Actor, AsCaller, AsSystem, NoActor};
use super::{PlanResult, Store, sink::Sink};
use crate::{
    base::error::Error,
    model::value::Value,
    plan::{Caller, Plan},
    store::behaviour::WriteHooks,
};

/// Runs plans in an open transaction.
pub(super) trait Transact: Send {
    /// Runs a plan. Its writes run only the given hooks.
    fn run(
        &mut self,
        plan: &Plan,
        sink: Sink,
        hooks: Option<WriteHooks>,
    ) -> Result<PlanResult, Error>;

    /// Runs an SQL query of user code, and returns the rows of the result. An invalid query is a
    /// failure of the transaction.
    fn select(&mut self, text: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, Error>;

    /// Creates a savepoint.
    fn mark(&mut self) -> Result<(), Error>;

    /// Releases the last savepoint. Unless `keep`, all changes since the savepoint are undone
    /// before.
    fn release(&mut self, keep: bool) -> Result<(), Error>;
}

/// An open transaction. Everything that is read or written through this value happens in it.
///
/// A hook within a write receives the transaction of that write, and the writes of the hook run no
/// hooks. [`Store::transaction`] opens a transaction of its own, whose writes run the `within_*`
/// and `after_*` hooks of their resources. No other write changes what a transaction has read until
/// it ends.
///
/// **A transaction says for whom it reads and writes**, before it does. Otherwise it does not
/// compile:
///
/// - [`as_system`](Self::as_system) finds all rows. Rules about other rows need it, since access
///   rules may hide these rows from the caller.
/// - [`as_caller`](Self::as_caller) has the access rules of the caller.
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
/// hooks.within_create(move |tx: &mut Tx<'_>, _| {
///     tx.as_system().of::<Note>().create(note()).map(drop)
/// })
/// # }
/// ```
pub struct Tx<'t, A = NoActor> {
    open: OpenTransaction<'t>,
    actor: PhantomData<fn() -> A>,
}

/// An open transaction, with the store handle whose caller it acts for.
pub(crate) struct OpenTransaction<'t> {
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
        let open = OpenTransaction { transaction, store: Cow::Borrowed(store), runs_hooks: false };
        Self { open, actor: PhantomData }
    }

    /// Creates a transaction of the program.
    pub(super) const fn of_program(
        transaction: &'t mut (dyn Transact + 't),
        store: &'t Store,
    ) -> Self {
        let open = OpenTransaction { transaction, store: Cow::Borrowed(store), runs_hooks: true };
        Self { open, actor: PhantomData }
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
    pub fn as_system(&mut self) -> Tx<'_, AsSystem> {
        let OpenTransaction { transaction, store, runs_hooks } = &mut self.open;
        let store = match store.caller() {
            Caller::System => Cow::Borrowed(&**store),
            _ => Cow::Owned(store.as_system()),
        };
        let open =
            OpenTransaction { transaction: &mut **transaction, store, runs_hooks: *runs_hooks };
        Tx { open, actor: PhantomData }
    }

    /// Returns the same transaction for calls on behalf of the caller of the request, or of the
    /// caller of the store that has begun it. The access rules of the caller apply to these calls:
    /// what the caller may not read is not there.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Resource, Tx};
    ///
    /// fn is_visible<R: Resource>(tx: &mut Tx<'_>) -> Result<bool, Error> {
    ///     tx.as_caller().of::<R>().exists(&R::query())
    /// }
    /// ```
    #[must_use]
    pub fn as_caller(&mut self) -> Tx<'_, AsCaller> {
        let OpenTransaction { transaction, store, runs_hooks } = &mut self.open;
        let store = Cow::Borrowed(&**store);
        let open =
            OpenTransaction { transaction: &mut **transaction, store, runs_hooks: *runs_hooks };
        Tx { open, actor: PhantomData }
    }
}

impl<'t, A> Tx<'t, A> {
    /// Returns the caller on whose behalf the calls are made. Of a transaction that does not say
    /// yet for whom it acts, it is the caller of the request.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        self.open.store.caller()
    }

    /// Runs a closure in a savepoint. If it returns an error, its writes are undone, and the
    /// transaction continues.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Actor, Error, Id, Resource, Tx};
    ///
    /// /// Deletes the members that can be deleted, and returns how many these are.
    /// fn delete_some<R: Resource, A: Actor>(tx: &mut Tx<'_, A>, ids: Vec<Id<R>>) -> usize {
    ///     let mut delete = |id| tx.savepoint(|tx| tx.of::<R>().delete(id)).is_ok();
    ///     ids.into_iter().filter_map(|id| delete(id).then_some(())).count()
    /// }
    /// ```
    ///
    /// # Errors
    /// The error of the closure. If the database fails, the whole transaction fails.
    pub fn savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.open.transaction.mark()?;
        let mut savepoint = OpenSavepoint { tx: self, is_open: true };
        let result = work(savepoint.tx);
        savepoint.end(result.is_ok())?;
        result
    }

    /// Returns the open transaction, for calls on behalf of its actor.
    pub(crate) const fn open(&mut self) -> &mut OpenTransaction<'t> {
        &mut self.open
    }
}

impl OpenTransaction<'_> {
    /// Returns the store that the transaction belongs to. Its caller is the one for whom the calls
    /// are made.
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
struct OpenSavepoint<'s, 't, A> {
    tx: &'s mut Tx<'t, A>,
    is_open: bool,
}

impl<A> OpenSavepoint<'_, '_, A> {
    fn end(&mut self, keep: bool) -> Result<(), Error> {
        self.is_open = false;
        self.tx.open.transaction.release(keep)
    }
}

impl<A> Drop for OpenSavepoint<'_, '_, A> {
    fn drop(&mut self) {
        if self.is_open {
            // An error here is a failure of the transaction, which its commit reports.
            drop(self.end(false));
        }
    }
}

impl<A> fmt::Debug for Tx<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tx")
    }
}
