//! The open transaction as a hook has it: plans are run in it at once, on the thread that writes.

use std::sync::Arc;

use super::{deadline::Deadline, fault, handle::Handle, job::Run, read, revisions::Revisions};
use crate::{
    base::error::Error,
    model::{Model, ResourceIx},
    plan::{
        Outcome, Plan, Shape,
        validator::{Current, Identity, NO_TAG},
    },
    store::{Ran, sink::Sink},
};

/// The writing connection in the middle of a job.
pub(in crate::store) struct Transaction<'t> {
    pub(super) handle: &'t mut Handle,
    pub(super) deadline: &'t Deadline,
    pub(super) revisions: &'t mut Revisions,
    pub(super) identity: &'t Identity,
    pub(super) model: &'t Arc<Model>,
    /// The tables that were written.
    pub(in crate::store) written: Vec<ResourceIx>,
    /// After a failure, and not merely a refusal, the transaction is of no use, whatever the hook makes of it.
    pub(in crate::store) failure: Option<Error>,
}

impl Transaction<'_> {
    /// Runs a plan. Hooks of what it writes are not run.
    pub(in crate::store) fn run(&mut self, plan: &Plan, sink: Sink) -> Result<Ran, Error> {
        if self.failure.is_some() {
            return Err(Error::internal("the transaction of a hook failed before"));
        }
        let ran = self.deadline.check().and_then(|()| match plan.writes.is_empty() {
            true => self.read(plan, sink),
            false => self.write(plan, sink),
        });
        ran.map_err(|failure| {
            self.failure = Some(failure);
            Error::internal("the transaction of a hook failed")
        })
    }

    fn write(&mut self, plan: &Plan, mut sink: Sink) -> Result<Ran, Error> {
        let Self { handle, deadline, revisions, identity, model, .. } = self;
        let (changes, to) = (&mut vec![], &mut sink);
        let (hooked, stale) = (None, false);
        let run =
            Run { handle, deadline, revisions, identity, model, plan, sink: to, hooked, changes, stale };
        let outcome = run.run()??;
        self.written.extend(&plan.writes);
        Ok(Ran::new(outcome, sink))
    }

    fn read(&mut self, plan: &Plan, mut sink: Sink) -> Result<Ran, Error> {
        let outcome = match plan.steps.as_slice() {
            [step] if matches!(step.shape, Shape::Get { .. }) => {
                read::member((self.handle, self.identity), self.model, &plan.guard, step, &mut sink)
            }
            [list, count @ ..] => {
                // What a transaction reads has no validator.
                let current = Current { tag: NO_TAG, modified: None };
                read::listed(self.handle, self.model, (list, count), (&mut sink, usize::MAX), current)
            }
            [] => Ok(Outcome::Static),
        };
        Ok(Ran::new(outcome.map_err(|cause| fault::error(&cause))?, sink))
    }
}
