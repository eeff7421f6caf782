//! The open transaction that hooks receive. Plans run in it immediately, on the writer thread.

use std::sync::Arc;

use super::run::{JobOutcome, JobRun};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx},
    plan::{
        Outcome, Plan, Shape,
        validator::{CurrentState, NO_TAG},
    },
    store::{
        PlanResult,
        read::{self, PageSteps},
        session::WriteSession,
        sink::Sink,
    },
};

/// The open transaction of a job. The hooks within the write run their plans through it.
pub(in crate::store) struct Transaction<'t, S> {
    session: &'t mut S,
    model: &'t Arc<Model>,
    /// The tables that the hooks have written.
    written: Vec<ResourceIx>,
    /// The first error that was not a refusal. After such an error the transaction cannot be used,
    /// even if the hook ignores the error.
    failure: Option<Error>,
}

/// Runs plans in an open transaction.
pub(in crate::store) trait Transact: Send {
    /// Runs a plan. The writes of the plan run no hooks.
    fn run(&mut self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error>;
}

impl<S: WriteSession> Transact for Transaction<'_, S> {
    fn run(&mut self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        if self.failure.is_some() {
            return Err(Error::internal("the transaction of a hook has failed already"));
        }
        let result = self.session.check().and_then(|()| match plan.writes.is_empty() {
            true => self.read(plan, sink),
            false => self.write(plan, sink),
        });
        result.map_err(|failure| {
            self.failure = Some(failure);
            Error::internal("the transaction of a hook failed")
        })
    }
}

impl<'t, S: WriteSession> Transaction<'t, S> {
    pub(super) const fn new(session: &'t mut S, model: &'t Arc<Model>) -> Self {
        Self { session, model, written: vec![], failure: None }
    }

    /// Returns whether the table of a resource was written through this value. Returns the first
    /// failure instead, if there was one: the transaction then cannot be used, even if the hook
    /// ignored the error.
    pub(super) fn wrote(self, resource: ResourceIx) -> Result<bool, Error> {
        self.failure.map_or_else(|| Ok(self.written.contains(&resource)), Err)
    }

    fn write(&mut self, plan: &Plan, mut sink: Sink) -> Result<PlanResult, Error> {
        let (session, model, changes) = (&mut *self.session, self.model, &mut vec![]);
        let (to, hooked, stale) = (&mut sink, None, false);
        let run = JobRun { session, model, plan, sink: to, hooked, changes, stale };
        match run.run()? {
            JobOutcome::Done(outcome) => {
                self.written.extend(&plan.writes);
                Ok(PlanResult::new(outcome, sink))
            }
            JobOutcome::Declined(error) => Err(error),
        }
    }

    fn read(&mut self, plan: &Plan, mut sink: Sink) -> Result<PlanResult, Error> {
        let outcome = match plan.steps.as_slice() {
            [step] if matches!(step.shape, Shape::Get { .. }) => {
                read::member(self.session, self.model, &plan.guard, step, &mut sink)
            }
            [list, count @ ..] => {
                // Pages that are read inside a transaction get no validator.
                let current = CurrentState { tag: NO_TAG, modified: None };
                let (statements, sink) = (self.session.statements(), &mut sink);
                let steps = PageSteps { list, count: count.first() };
                read::read_page(statements, self.model, steps, sink, usize::MAX, current)
            }
            [] => Ok(Outcome::Static),
        };
        Ok(PlanResult::new(outcome?, sink))
    }
}
