//! The open transaction that hooks and transactions of the program receive. Plans run in it
//! immediately, on the writer thread.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Arc,
};

use super::run::{JobOutcome, JobRun};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx, value::Value},
    plan::{
        Outcome, Plan, Shape,
        validator::{CurrentState, NO_TAG},
    },
    store::{
        PlanResult,
        after::TRANSACTION_TASKS_MAX,
        behaviour::{ChangedMember, WriteHooks},
        failure,
        read::{self, PageSteps},
        session::WriteSession,
        sink::Sink,
        tx::Transact,
    },
};

/// The open transaction of a job. User code runs its plans through it.
pub(in crate::store) struct Transaction<'t, S: WriteSession> {
    session: &'t mut S,
    model: &'t Arc<Model>,
    /// The tables that user code has written.
    written: Vec<ResourceIx>,
    /// The writes whose hooks run after the commit.
    hooked: Vec<HookedWrite>,
    /// The open savepoints, outermost first.
    savepoints: Vec<Savepoint<S::Mark>>,
    /// The first error that was not a refusal. After such an error the transaction cannot be used,
    /// even if user code ignores the error.
    failure: Option<Error>,
}

/// A write that has hooks, and the changes that the write has made.
pub(in crate::store) struct HookedWrite {
    pub(super) hooks: WriteHooks,
    pub(super) changes: Vec<ChangedMember>,
}

/// A savepoint, and the number of hooked writes before it.
struct Savepoint<M> {
    mark: M,
    hooked: usize,
}

impl<S: WriteSession> Transact for Transaction<'_, S> {
    fn run(
        &mut self,
        plan: &Plan,
        mut sink: Sink,
        hooks: Option<WriteHooks>,
    ) -> Result<PlanResult, Error> {
        let outcome = self.guarded(|this| match plan.writes.is_empty() {
            true => this.read(plan, &mut sink).map(JobOutcome::Done),
            false => this.write(plan, &mut sink, hooks),
        })?;
        match outcome {
            JobOutcome::Done(outcome) => Ok(PlanResult::new(outcome, sink)),
            JobOutcome::Declined(error) => Err(error),
        }
    }

    fn select(&mut self, text: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, Error> {
        self.guarded(|this| Ok(this.session.select(text, values)?))
    }

    fn mark(&mut self) -> Result<(), Error> {
        self.guarded(|this| {
            let savepoint = Savepoint { mark: this.session.mark()?, hooked: this.hooked.len() };
            this.savepoints.push(savepoint);
            Ok(())
        })
    }

    fn release(&mut self, keep: bool) -> Result<(), Error> {
        self.guarded(|this| {
            let none = || Error::internal("the transaction has no savepoint");
            let Savepoint { mark, hooked } = this.savepoints.pop().ok_or_else(none)?;
            if !keep {
                this.hooked.truncate(hooked);
                this.session.undo(&mark)?;
            }
            Ok(this.session.release(mark)?)
        })
    }
}

impl<'t, S: WriteSession> Transaction<'t, S> {
    pub(super) const fn new(session: &'t mut S, model: &'t Arc<Model>) -> Self {
        Self { session, model, written: vec![], hooked: vec![], savepoints: vec![], failure: None }
    }

    /// Returns whether the table of a resource was written through this value. Returns the first
    /// failure instead, if there was one: the transaction then cannot be used, even if the hook
    /// ignored the error.
    pub(super) fn wrote(self, resource: ResourceIx) -> Result<bool, Error> {
        self.failure.map_or_else(|| Ok(self.written.contains(&resource)), Err)
    }

    /// Returns the writes whose hooks run after the commit. Returns the first failure instead, if
    /// there was one.
    pub(super) fn into_hooked(self) -> Result<Vec<HookedWrite>, Error> {
        self.failure.map_or(Ok(self.hooked), Err)
    }

    /// Does work in the transaction. An error of the work is a failure of the transaction.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.failure.is_some() {
            return Err(Error::internal("the transaction has failed already"));
        }
        let result =
            catch_unwind(AssertUnwindSafe(|| self.session.check().and_then(|()| work(self))));
        // After a panic, for example of a hook, the state of the savepoints is unknown. So the
        // transaction fails, even if user code catches the panic.
        let result = result.unwrap_or_else(|panic| {
            self.failure = Some(failure::panicked("a write", &*panic));
            resume_unwind(panic)
        });
        result.map_err(|failure| {
            self.failure = Some(failure);
            Error::internal("the transaction failed")
        })
    }

    fn write(
        &mut self,
        plan: &Plan,
        sink: &mut Sink,
        hooks: Option<WriteHooks>,
    ) -> Result<JobOutcome, Error> {
        let waits = |hooks: &WriteHooks| hooks.permit.is_some();
        let waiting = self.hooked.iter().filter(|write| waits(&write.hooks)).count();
        if hooks.as_ref().is_some_and(waits) && waiting >= TRANSACTION_TASKS_MAX {
            return Err(Error::internal(format!(
                "a transaction has at most {TRANSACTION_TASKS_MAX} writes with `after_*` hooks; create many members with `create_many`"
            )));
        }
        let (session, model, mut changes) = (&mut *self.session, self.model, vec![]);
        let (hooked, stale) = (hooks.as_ref(), false);
        let run = JobRun { session, model, plan, sink, hooked, changes: &mut changes, stale };
        let outcome = run.run()?;
        if let JobOutcome::Done(done) = &outcome
            && !matches!(done, Outcome::Refused(_))
        {
            self.written.extend(&plan.writes);
            self.hooked.extend(hooks.map(|hooks| HookedWrite { hooks, changes }));
        }
        Ok(outcome)
    }

    fn read(&mut self, plan: &Plan, sink: &mut Sink) -> Result<Outcome, Error> {
        match plan.steps.as_slice() {
            [step] if matches!(step.shape, Shape::Get { .. }) => {
                Ok(read::member(self.session, self.model, plan, (step, None), sink)?)
            }
            [list, count @ ..] => {
                // Pages that are read inside a transaction get no validator.
                let current =
                    CurrentState { tag: NO_TAG, passed: 0, modified: None, is_ordered: true };
                let statements = &mut self.session.acting_for(&plan.caller);
                let steps = PageSteps { list, count: count.first() };
                Ok(read::read_page(statements, self.model, steps, sink, usize::MAX, current)?)
            }
            [] => Ok(Outcome::Static),
        }
    }
}
