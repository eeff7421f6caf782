//! [`Store::transaction`]: transactions of the program.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    AsSystem, Store, Tx, inside,
    job::{Job, ProgramTransaction},
};
use crate::base::error::Error;

impl Store {
    /// Runs a closure in a transaction, and returns its result once the transaction is committed.
    ///
    /// The closure reads and writes through the [`Tx`], once it has said for whom:
    /// [`as_system`](Tx::as_system) or [`as_caller`](Tx::as_caller), which is the
    /// [caller](Self::caller) of this handle. A program that has no callers uses
    /// [`transaction_as_system`](Self::transaction_as_system). If the closure returns an error, its
    /// writes are undone. No other write runs at the same time, so what the closure has read is
    /// still true when it writes.
    ///
    /// The closure runs on a thread of the store. It may run twice, if the transaction of several
    /// writes fails to commit, so it must have no effects outside of the transaction. It is
    /// synchronous: a call of the async store from inside is refused with an error, since it would
    /// wait for itself. The transaction has a deadline,
    /// [`WRITE_TIME_MAX`](crate::base::limits::WRITE_TIME_MAX); other writes wait for it.
    ///
    /// The writes run the `within_*` and `after_*` hooks of their resources, but no `before_*`
    /// hooks, because those are async.
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
    ///             let mut tx = tx.as_caller();
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

    /// Runs a closure in a transaction on behalf of the program itself, whoever the
    /// [caller](Self::caller) of this handle is. No access rules apply to its calls. All else is as
    /// in [`transaction`](Self::transaction).
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Resource, Store};
    ///
    /// async fn clear<R: Resource>(store: &Store) -> Result<u64, Error> {
    ///     store.transaction_as_system(|tx| tx.of::<R>().delete_many(&R::query())).await
    /// }
    /// ```
    ///
    /// # Errors
    /// The errors of [`transaction`](Self::transaction).
    pub async fn transaction_as_system<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&mut Tx<'_, AsSystem>) -> Result<T, Error> + Send + 'static,
    {
        self.transaction(move |tx| work(&mut tx.as_system())).await
    }
}
