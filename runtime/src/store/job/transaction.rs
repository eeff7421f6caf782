//! The open transaction for hooks: plans run in it at once, on the thread of the writer.

use std::sync::Arc;

use super::run::JobRun;
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

/// A session within a job.
pub(in crate::store) struct Transaction<'t, S> {
    session: &'t mut S,
    model: &'t Arc<Model>,
    /// The tables that were written.
    written: Vec<ResourceIx>,
    /// The first failure that was not merely a refusal. After it the transaction cannot be used,
    /// even if the hook ignores it.
    failure: Option<Error>,
}

/// Runs plans in an open transaction.
pub(in crate::store) trait Transact: Send {
    /// Runs a plan. Hooks are not run for its writes.
    fn run(&mut self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error>;
}

impl<S: WriteSession> Transact for Transaction<'_, S> {
    fn run(&mut self, plan: &Plan, sink: Sink) -> Result<PlanResult, Error> {
        if self.failure.is_some() {
            return Err(Error::internal("the transaction of a hook failed before"));
        }
        let ran = self.session.check().and_then(|()| match plan.writes.is_empty() {
            true => self.read(plan, sink),
            false => self.write(plan, sink),
        });
        ran.map_err(|failure| {
            self.failure = Some(failure);
            Error::internal("the transaction of a hook failed")
        })
    }
}

impl<'t, S: WriteSession> Transaction<'t, S> {
    pub(super) const fn new(session: &'t mut S, model: &'t Arc<Model>) -> Self {
        Self { session, model, written: vec![], failure: None }
    }

    /// Whether the members of a resource were written in it. Returns an error after a failure that
    /// was not merely a refusal: then the transaction cannot be used, even if the hook ignored it.
    pub(super) fn wrote(self, resource: ResourceIx) -> Result<bool, Error> {
        self.failure.map_or_else(|| Ok(self.written.contains(&resource)), Err)
    }

    fn write(&mut self, plan: &Plan, mut sink: Sink) -> Result<PlanResult, Error> {
        let (session, model, changes) = (&mut *self.session, self.model, &mut vec![]);
        let (to, hooked, stale) = (&mut sink, None, false);
        let outcome = JobRun { session, model, plan, sink: to, hooked, changes, stale }.run()??;
        self.written.extend(&plan.writes);
        Ok(PlanResult::new(outcome, sink))
    }

    fn read(&mut self, plan: &Plan, mut sink: Sink) -> Result<PlanResult, Error> {
        let outcome = match plan.steps.as_slice() {
            [step] if matches!(step.shape, Shape::Get { .. }) => {
                read::member(self.session, self.model, &plan.guard, step, &mut sink)
            }
            [list, count @ ..] => {
                // Reads in a transaction have no validator.
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
