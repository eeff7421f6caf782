//! The run of one write inside a transaction: its preconditions, its steps, and what comes instead.

use std::sync::Arc;

use crate::{
    base::error::{Error, text},
    model::{FieldIx, Model, value::Value},
    plan::{
        Columns, Echo, LookColumns, Outcome, Plan, Refusal, Shape, Step,
        validator::{self, CurrentState, Identity},
    },
    store::{
        behaviour::{ChangedMember, WriteHooks},
        failure::Failure,
        idempotency::StoredAnswer,
        refusal::{self, JobError},
        row::MemberRow as _,
        session::WriteSession,
        sink::{Row, RowSink, Sink},
        sql::parameters::RunInputs,
    },
};

/// The value of `Retry-After`, in seconds, if the account of the caller has changed.
const RETRY_SECONDS: u16 = 1;

/// The state of a running write. The session is inside the transaction of the write.
pub(super) struct JobRun<'j, S> {
    pub(super) session: &'j mut S,
    pub(super) model: &'j Arc<Model>,
    pub(super) plan: &'j Plan,
    pub(super) sink: &'j mut Sink,
    /// The hooks that run within the write and after it, or `None` if there are none.
    pub(super) hooked: Option<&'j WriteHooks>,
    /// The changes that the write has made so far. The hooks after the commit receive them.
    pub(super) changes: &'j mut Vec<ChangedMember>,
    /// Whether a hook has written the table of the resource. Members in `changes` may then be out
    /// of date.
    pub(super) stale: bool,
}

/// The result of a job that leaves the transaction usable.
pub(in crate::store) enum JobOutcome {
    /// The plan has run, or was refused.
    Done(Outcome),
    /// A hook refused the write with this error.
    Declined(Error),
}

/// A member that a step has created or changed.
pub(in crate::store) struct WrittenMember {
    pub(in crate::store) id: Value,
    pub(in crate::store) current: CurrentState,
    /// The ids of the member's ancestors, outermost first, or `None` if the step cannot have
    /// changed its parent.
    pub(in crate::store) place: Option<Vec<Value>>,
}

impl WrittenMember {
    /// Reads a member from the row that its write returns.
    pub(in crate::store) fn of(
        row: &impl Row,
        model: &Model,
        shape: &Shape,
        identity: &Identity,
    ) -> Self {
        let changed = Columns::of(model, shape).and_then(|columns| row.changed(columns.changed()));
        let current = validator::member(row.revision().unwrap_or_default(), identity, changed);
        Self { id: row.value(Columns::ID), current, place: row.place(model, shape) }
    }
}

/// The result of one step of a plan.
pub(super) enum StepOutcome {
    Written(WrittenMember),
    Deleted(u64),
    /// The member, or one of the ancestors in the URL, does not exist.
    Nothing,
    /// The step is refused for this reason.
    Refused(Refusal),
}

impl<S: WriteSession> JobRun<'_, S> {
    /// Runs the plan. A refused plan changes nothing. After an error, the transaction cannot be
    /// used.
    pub(super) fn run(mut self) -> Result<JobOutcome, Error> {
        self.sink.reset();
        self.changes.clear();
        let writes = &self.plan.writes;
        if let Some(step) = &self.plan.account
            && let is_written = writes.contains(&step.shape.place().resource)
            && !self.session.holds(self.model, step, &self.plan.caller, is_written)?
        {
            let detail =
                text!("Your account has changed at the same time. Send the request again.");
            return Ok(JobOutcome::Declined(Error::unavailable(detail, RETRY_SECONDS)));
        }
        if let Some(first) = self.repeated()? {
            return Ok(JobOutcome::Done(first));
        }
        let outcome = match self.guarded() {
            Ok(outcome) => {
                self.leave_out_hidden(&outcome)?;
                outcome
            }
            Err(JobError::Refused(refusal)) => Outcome::Refused(refusal),
            Err(JobError::Declined(error)) => return Ok(JobOutcome::Declined(error)),
            Err(JobError::Failed(error)) => return Err(error),
        };
        let changed = match &outcome {
            Outcome::Members { written, .. } => !written.is_empty(),
            Outcome::Deleted(count) => *count > 0,
            _ => false,
        };
        if changed {
            self.session.touch(self.model, &self.plan.writes);
            if let Some(change) = &self.plan.grants {
                self.session.change_grants(change)?;
            }
        }
        self.store_answer(&outcome)?;
        Ok(JobOutcome::Done(outcome))
    }

    /// Returns the outcome of an idempotent request that was answered before, or `None` for a new
    /// request.
    fn repeated(&mut self) -> Result<Option<Outcome>, Error> {
        let Some(once) = &self.plan.guard.idempotency else { return Ok(None) };
        let answer = self.session.first_answer(self.model, once)?;
        answer.map(|answer| answer.outcome(self.model, once)).transpose()
    }

    /// Stores the response to an idempotent request that has succeeded.
    fn store_answer(&mut self, outcome: &Outcome) -> Result<(), Error> {
        let (Some(once), Outcome::Members { written, modified, .. }) =
            (&self.plan.guard.idempotency, outcome)
        else {
            return Ok(());
        };
        let answer = StoredAnswer::new(self.model, once, written, *modified, self.sink.content());
        Ok(self.session.store_answer(self.model, once, &answer)?)
    }

    fn guarded(&mut self) -> Result<Outcome, JobError> {
        let Some(first) = self.plan.steps.first() else {
            return Ok(Outcome::written(vec![], false, None, None));
        };
        let admitted = self.plan.guard.is_open() || self.admitted(first)?;
        let mut tested = self.plan.steps.iter().chain(self.plan.otherwise.as_deref());
        let is_tested = tested.any(|step| is_rule_tested(step, self.model));
        match self.plan.steps.len() {
            1 if self.hooked.is_none() && !is_tested && !self.is_triggered() => {
                self.steps(admitted)
            }
            _ => self.atomically(admitted),
        }
    }

    /// Runs the steps in a savepoint. If a step or a hook refuses, the savepoint undoes all earlier
    /// steps and the writes of the hooks. This function is not used for a plan with a single
    /// statement, unless the resource has hooks, the written row is tested afterwards, or triggers
    /// of others may refuse the write: `RAISE(FAIL, …)` would keep the row.
    fn atomically(&mut self, admitted: bool) -> Result<Outcome, JobError> {
        let mark = self.session.mark()?;
        let outcome = self.steps(admitted).and_then(|outcome| self.settle(outcome));
        let outcome = outcome.and_then(|outcome| self.reread(outcome));
        if matches!(outcome, Err(JobError::Failed(_))) {
            return outcome;
        }
        if outcome.is_err() {
            self.changes.clear();
            self.session.undo(&mark)?;
        }
        self.session.release(mark)?;
        outcome
    }

    fn steps(&mut self, admitted: bool) -> Result<Outcome, JobError> {
        let mut written = vec![];
        let mut deleted = None;
        let (mut modified, mut place) = (None, None);
        let plan = self.plan;
        for (at, step) in plan.steps.iter().enumerate() {
            if !admitted {
                return self.otherwise(step);
            }
            match self.step_of_array(at, step)? {
                StepOutcome::Written(member) => {
                    (modified, place) = (member.current.modified, member.place);
                    written.push((member.id, member.current.tag));
                }
                StepOutcome::Deleted(count) => deleted = Some(deleted.unwrap_or_default() + count),
                StepOutcome::Nothing => return self.otherwise(step),
                StepOutcome::Refused(refusal) => return Err(JobError::Refused(refusal)),
            }
            if at > 0 && self.sink.is_too_large() {
                return Err(JobError::Refused(Refusal::TooMuch));
            }
        }
        let created = self.plan.steps.iter().all(|step| matches!(step.shape, Shape::Insert { .. }));
        Ok(match deleted {
            Some(deleted) => Outcome::Deleted(deleted),
            None => Outcome::written(written, created, modified, place),
        })
    }

    /// Runs the alternative step of the plan, for example an insert, after `step` has found no
    /// member. Refuses the write if there is no alternative step or if it changes nothing.
    fn otherwise(&mut self, step: &Step) -> Result<Outcome, JobError> {
        if let Some(other) = &self.plan.otherwise {
            match self.step(0, other)? {
                StepOutcome::Written(WrittenMember {
                    id,
                    current: CurrentState { tag, modified, .. },
                    ..
                }) => {
                    return Ok(Outcome::written(vec![(id, tag)], true, modified, None));
                }
                StepOutcome::Refused(refusal) => return Err(JobError::Refused(refusal)),
                StepOutcome::Nothing | StepOutcome::Deleted(_) => {}
            }
        }
        Err(JobError::Refused(self.ask(step, refusal::missing)?))
    }

    pub(super) fn step(&mut self, at: usize, step: &Step) -> Result<StepOutcome, JobError> {
        self.session.check().map_err(JobError::Failed)?;
        if let Some(refusal) = self.hidden(at, step)? {
            return Ok(StepOutcome::Refused(refusal));
        }
        if let Some(hooked) = self.hooked {
            return self.hooked_step(at, step, hooked);
        }
        let outcome = match step.shape {
            Shape::Insert { .. } | Shape::Update { .. } => self.firing(|run| run.write(step)),
            Shape::Delete { .. } => self.delete(step, false),
            Shape::DeleteMany { .. } => self.delete(step, true),
            _ => {
                return Err(JobError::Failed(Error::internal(
                    "a write plan contains a step that does not write",
                )));
            }
        };
        outcome.map_err(|failure| self.explain(at, step, failure))
    }

    fn write(&mut self, step: &Step) -> Result<StepOutcome, Failure> {
        let stamps = self.session.stamps()?;
        let mut outcome = StepOutcome::Nothing;
        let (sink, model) = (&mut *self.sink, self.model);
        let no_member = || Failure::internal("the statement of a write does not return a member");
        Columns::of(model, &step.shape).ok_or_else(no_member)?;
        let (mut statements, identity) = self.session.parts_for(&self.plan.caller);
        statements.query(model, &step.shape, RunInputs::from(step).stamped(&stamps), |row| {
            sink.row(model, row);
            outcome = match row.fits(model, &step.shape) {
                true if !row.is_permitted(model, &step.shape) => {
                    StepOutcome::Refused(Refusal::Forbidden)
                }
                true => StepOutcome::Written(WrittenMember::of(row, model, &step.shape, identity)),
                false => StepOutcome::Refused(Refusal::TooLarge),
            };
            true
        })?;
        Ok(outcome)
    }

    pub(super) fn delete(&mut self, step: &Step, many: bool) -> Result<StepOutcome, Failure> {
        let due = self.ask(step, refusal::to_delete)?;
        match self.firing(|run| run.session.delete(run.model, step, &run.plan.caller))? {
            count if count < due => Ok(StepOutcome::Refused(Refusal::Forbidden)),
            0 if many => {
                let broken = self.ask(step, refusal::broken)?;
                Ok(broken.map_or(StepOutcome::Deleted(0), StepOutcome::Refused))
            }
            0 => Ok(StepOutcome::Nothing),
            count => Ok(StepOutcome::Deleted(count)),
        }
    }

    /// Tests the preconditions of the request. Returns false if the member does not exist and the
    /// plan has an alternative step, such as an insert.
    fn admitted(&mut self, first: &Step) -> Result<bool, JobError> {
        match self.plan.tests_collection() {
            true => self.collection_admitted(first).map(|()| true),
            false => self.member_admitted(first),
        }
    }

    fn member_admitted(&mut self, first: &Step) -> Result<bool, JobError> {
        let plan = self.plan;
        let place = first.shape.place();
        let fields = plan.guard.echoes.iter().map(|echo| echo.field).collect();
        let columns = LookColumns(plan.guard.echoes.len());
        let mut found = None;
        let key = &first.values[..=usize::from(place.depth)];
        let (mut statements, identity) = self.session.parts_for(&self.plan.caller);
        statements.query(self.model, &Shape::Look { place, fields }, key, |row| {
            let echoes = plan.guard.echoes.iter().enumerate();
            let wrong = echoes.filter(|(at, echo)| {
                !self.model[place.resource][echo.field]
                    .same(&row.value(columns.field(*at)), &echo.value)
            });
            let revision = row.revision().unwrap_or_default();
            let changed = row.changed(columns.changed());
            let current = validator::member(revision, identity, changed);
            found = Some((Some(current), wrong.map(|(_, echo)| echo.field).collect::<Vec<_>>()));
            false
        })?;
        let exists = found.is_some();
        if !exists && plan.otherwise.is_none() {
            return Err(JobError::Refused(self.ask(first, refusal::missing)?));
        }
        let (current, wrong) = found.unwrap_or_else(|| (None, self.wrong_echoes(first)));
        let refusal = plan.guard.conditions.refuse(current);
        let refusal = refusal.or_else(|| (!wrong.is_empty()).then_some(Refusal::Echoes(wrong)));
        match refusal {
            Some(refusal) => Err(self.refused(first, exists, refusal)),
            None => Ok(exists),
        }
    }

    /// Returns the reason for which a step is refused whose preconditions fail. An access rule that
    /// forbids the change of what exists takes precedence (RFC 9110 §13.2.1).
    fn refused(&mut self, step: &Step, exists: bool, refusal: Refusal) -> JobError {
        let is_forbidden = match exists {
            true => self.ask(step, refusal::is_forbidden),
            false => Ok(false),
        };
        match is_forbidden {
            Ok(true) => JobError::Refused(Refusal::Forbidden),
            Ok(false) => JobError::Refused(refusal),
            Err(failure) => failure.into(),
        }
    }

    /// Returns the echoes (read-only fields in the body) that are wrong for a new member. An echo
    /// is right if it equals the value that the member is created with, or the id of the parent.
    fn wrong_echoes(&self, first: &Step) -> Vec<FieldIx> {
        let place = first.shape.place();
        let depth = usize::from(place.depth);
        let parent =
            self.model[place.resource].parent.filter(|_| depth > 0).map(|(_, field)| field);
        let is_right = |echo: &Echo| {
            self.is_made_with(echo)
                || Some(echo.field) == parent
                    && first.values.get(depth.wrapping_sub(1)) == Some(&echo.value)
        };
        self.plan
            .guard
            .echoes
            .iter()
            .filter(|echo| !is_right(echo))
            .map(|echo| echo.field)
            .collect()
    }

    /// Whether the plan has an alternative step that inserts the member, and a read-only field in
    /// the body has the value that would be inserted.
    fn is_made_with(&self, echo: &Echo) -> bool {
        let Some(Step { shape: Shape::Insert { place, columns, .. }, values }) =
            self.plan.otherwise.as_deref()
        else {
            return false;
        };
        let given = columns.iter().zip(&values[usize::from(place.depth)..]);
        let field = &self.model[place.resource][echo.field];
        given.into_iter().any(|(ix, value)| *ix == echo.field && field.same(value, &echo.value))
    }

    /// Tests the preconditions against the collection's validator in this transaction. Refuses the
    /// write if an ancestor in the URL does not exist.
    fn collection_admitted(&mut self, first: &Step) -> Result<(), JobError> {
        if let Some(refusal) = self.ask(first, refusal::broken)? {
            return Err(JobError::Refused(refusal));
        }
        let no_sources = || Failure::internal("a precondition on a collection has no sources");
        let sources = self.plan.reads.as_ref().ok_or_else(no_sources)?;
        let current = self.session.current(self.model, sources)?;
        match self.plan.guard.conditions.refuse(Some(current)) {
            Some(refusal) => Err(self.refused(first, true, refusal)),
            None => Ok(()),
        }
    }
}

/// Whether the store tests the row that a step has written, and may then refuse the step.
fn is_rule_tested(step: &Step, model: &Model) -> bool {
    let keeps_some =
        matches!(step.shape, Shape::DeleteMany { .. }) && step.shape.changes(model).is_some();
    step.shape.merges() || step.shape.leaves(model).is_some() || keeps_some
}
