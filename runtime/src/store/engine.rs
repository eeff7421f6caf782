//! The database engines that a store can use, and calls of a store that go to its engine. The
//! location of a database decides which engine opens it.

use std::sync::Arc;

use super::{
    Difference, Location, OpenError, Store, StoreOptions,
    attempts::{AttemptEnd, BegunAttempt, SignInAttempt},
    sqlite::Sqlite,
};
#[cfg(feature = "postgres")]
use super::{location::is_postgres, postgres::Postgres};
use crate::{
    base::error::Error,
    model::Model,
    plan::{CallerValues, LookupRows, Outcome, Step, idempotency::IdempotentRequest},
};

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
            location @ Location::Url(url) if is_postgres(url) => {
                let (engine, applied) = Postgres::open(model, location, url, options.apply)?;
                Ok((Self::Postgres(Arc::new(engine)), applied))
            }
            url @ Location::Url(_) => Err(OpenError::no_engine(url)),
        }
    }
}

impl Store {
    /// Runs the look-ups of a web page for a caller. Returns the rows of each, and the number of
    /// statements.
    ///
    /// # Errors
    /// The same errors as [`read`](Self::read). A look-up that takes too long is no error.
    pub(crate) async fn look_up(
        &self,
        steps: &[Step],
        caller: &CallerValues,
    ) -> Result<(Vec<LookupRows>, u32), Error> {
        match &self.engine {
            Engine::Sqlite(engine) => engine.look_up(&self.model, steps, caller).await,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.look_up(&self.model, steps, caller).await,
        }
    }

    /// Registers an idempotent request as in progress, and looks up the first response to it, if
    /// anything is done before the write: hooks run, or passwords are hashed. Else `None` is
    /// returned: the write itself looks the response up in its transaction.
    pub(crate) async fn repeated(
        &self,
        once: &Arc<IdempotentRequest>,
    ) -> Result<Option<Outcome>, Error> {
        self.under_way.enter(once)?;
        let has_passwords =
            self.model.accounts.as_ref().is_some_and(|one| one.resource == once.resource);
        if self.model[once.resource].hooks.is_none() && !has_passwords {
            return Ok(None);
        }
        let answer = match &self.engine {
            Engine::Sqlite(engine) => engine.first_answer(&self.model, once).await?,
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => engine.first_answer(&self.model, once).await?,
        };
        answer.map(|answer| answer.outcome(&self.model, once)).transpose()
    }

    /// Begins an attempt to sign in, which counts as a failure until it has ended otherwise.
    ///
    /// # Errors
    /// 429 with `Retry-After` if there were too many failures. 503 if they cannot be read.
    pub(super) async fn begin_attempt(
        &self,
        attempt: &SignInAttempt,
    ) -> Result<BegunAttempt, Error> {
        match &self.engine {
            Engine::Sqlite(_) => self.failed.begin(attempt).map(BegunAttempt::Here),
            #[cfg(feature = "postgres")]
            Engine::Postgres(engine) => {
                engine.begin_attempt(attempt.names()).await?.map(BegunAttempt::Shared)
            }
        }
    }

    /// Records how an attempt has ended.
    ///
    /// # Errors
    /// 503 if that cannot be recorded. Then nobody must learn whether the password was right.
    pub(super) async fn end_attempt(
        &self,
        attempt: &SignInAttempt,
        begun: BegunAttempt,
        end: AttemptEnd,
    ) -> Result<(), Error> {
        match (&self.engine, begun) {
            (_, BegunAttempt::Here(counted)) => self.failed.end(attempt, counted, end),
            #[cfg(feature = "postgres")]
            (Engine::Postgres(engine), BegunAttempt::Shared(counted))
                if end != AttemptEnd::Wrong =>
            {
                engine.end_attempt(attempt.names(), counted, end).await?;
            }
            #[cfg(feature = "postgres")]
            (_, BegunAttempt::Shared(_)) => {}
        }
        Ok(())
    }
}
