//! The questions that a run asks the database for its caller, to find the reason for a refusal.

use std::sync::Arc;

use super::run::JobRun;
use crate::{
    model::Model,
    plan::{Refusal, Step},
    store::{
        failure::Failure,
        refusal::{self, JobError},
        session::{CallerStatements, WriteSession},
    },
};

impl<S: WriteSession> JobRun<'_, S> {
    /// Returns the answer to a question about a step.
    pub(super) fn ask<T>(
        &mut self,
        step: &Step,
        question: impl FnOnce(&mut CallerStatements<'_, S::Statements>, &Arc<Model>, &Step) -> T,
    ) -> T {
        question(&mut self.session.acting_for(&self.plan.caller), self.model, step)
    }

    /// Returns the refusal of a step that refers to members which the caller may not see.
    pub(super) fn hidden(&mut self, at: usize, step: &Step) -> Result<Option<Refusal>, Failure> {
        self.ask(step, |statements, model, step| refusal::hidden(statements, model, at, step))
    }

    /// Returns why the database has rejected a step.
    pub(super) fn explain(&mut self, at: usize, step: &Step, failure: Failure) -> JobError {
        refusal::explain(self.session, self.model, &self.plan.caller, at, step, failure)
    }
}
