//! The search for further conflicts of a posted array, after one of its members was refused.

use std::time::Instant;

use super::run::{JobRun, StepOutcome};
use crate::{
    base::limits,
    plan::{Refusal, Step, WriteConflict},
    store::{
        refusal::{JobError, RefusedMembers},
        session::WriteSession,
        sql::parameters::RunInputs,
    },
};

impl<S: WriteSession> JobRun<'_, S> {
    /// Runs a step of the plan. If the step is refused for a conflict, the refusal has the
    /// conflicts of the later members of the array, too.
    pub(super) fn step_of_array(
        &mut self,
        at: usize,
        step: &Step,
    ) -> Result<StepOutcome, JobError> {
        match self.step(at, step) {
            Ok(StepOutcome::Refused(Refusal::Conflicts(conflicts)))
            | Err(JobError::Refused(Refusal::Conflicts(conflicts))) => {
                let all = self.with_further_conflicts(at, conflicts)?;
                Ok(StepOutcome::Refused(Refusal::Conflicts(all)))
            }
            other => other,
        }
    }

    /// Adds the conflicts of the members after the one at `first` to its own.
    ///
    /// Each later member is inserted as it would be alone, but without hooks, so its conflict is
    /// the one that it would be refused for alone. The caller of this function undoes all inserts.
    /// The search ends with as many conflicts as a response lists, or after a time.
    fn with_further_conflicts(
        &mut self,
        first: usize,
        mut conflicts: Vec<WriteConflict>,
    ) -> Result<Vec<WriteConflict>, JobError> {
        let (plan, until) = (self.plan, Instant::now() + limits::CONFLICTS_TIME_MAX);
        let mut refused = RefusedMembers::new(self.model, &plan.steps[first]);
        for (at, step) in plan.steps.iter().enumerate().skip(first + 1) {
            let is_over = Instant::now() > until || self.session.check().is_err();
            if is_over || refused.count() >= limits::FAULTS_MAX {
                break;
            }
            let Some(conflict) = self.conflict(at, step, &refused)? else { continue };
            conflicts.extend(refused.without_references(step, conflict));
            refused.add(step);
        }
        Ok(conflicts)
    }

    /// Inserts a member of the array, and returns its conflict if it has one. A member that is
    /// refused for another reason has none.
    fn conflict(
        &mut self,
        at: usize,
        step: &Step,
        refused: &RefusedMembers<'_>,
    ) -> Result<Option<WriteConflict>, JobError> {
        if let Some(conflict) = refused.conflict(at, step) {
            return Ok(Some(conflict));
        }
        let hidden = self.hidden(at, step)?;
        let inserted = match hidden {
            Some(refusal) => Err(JobError::Refused(refusal)),
            None => self.insert_alone(at, step),
        };
        match inserted {
            Err(JobError::Refused(Refusal::Conflicts(conflicts))) => {
                Ok(conflicts.into_iter().next())
            }
            Err(JobError::Failed(error)) => Err(JobError::Failed(error)),
            Ok(()) | Err(JobError::Refused(_) | JobError::Declined(_)) => Ok(None),
        }
    }

    /// Inserts a member without its hooks, and discards the written row.
    fn insert_alone(&mut self, at: usize, step: &Step) -> Result<(), JobError> {
        let inserted = self.firing(|run| {
            let (model, stamps) = (run.model, run.session.stamps()?);
            let inputs = RunInputs::from(step).stamped(&stamps);
            run.session.acting_for(&run.plan.caller).query(model, &step.shape, inputs, |_| true)
        });
        inserted.map_err(|failure| self.explain(at, step, failure))
    }
}
