//! Steps of a write to a resource with hooks. They read the member before and after the change, and
//! run the hooks.

use super::{
    run::{JobRun, StepOutcome, WrittenMember},
    transaction::Transaction,
    triggered::gone,
};
use crate::{
    base::{error::Error, limits},
    http::http_date::Second,
    model::{FieldIx, Place, View, def::Operation, value::Value},
    plan::{
        LookColumns, Outcome, Refusal, Shape, Step,
        validator::{self, CurrentState},
    },
    store::{
        Tx,
        behaviour::{ChangedMember, MemberValues, WriteHooks},
        inside,
        refusal::JobError,
        row::MemberRow as _,
        session::WriteSession,
        sink::{RowSink, ValueSink},
        sql::parameters::RunInputs,
    },
};

impl<S: WriteSession> JobRun<'_, S> {
    /// Runs a step and its hooks. The hooks receive members with all fields, read through a
    /// `ValueSink`.
    pub(super) fn hooked_step(
        &mut self,
        at: usize,
        step: &Step,
        hooked: &WriteHooks,
    ) -> Result<StepOutcome, JobError> {
        match &step.shape {
            Shape::Insert { place, .. } => self.watched_write(at, step, hooked, *place, None),
            Shape::Update { place, .. } => match self.whole(*place, &step.values)? {
                None => Ok(StepOutcome::Nothing),
                before => self.watched_write(at, step, hooked, *place, before),
            },
            Shape::Delete { place } => match self.whole(*place, &step.values)? {
                None => Ok(StepOutcome::Nothing),
                Some(before) => self.watched_delete(at, step, hooked, before),
            },
            Shape::DeleteMany { .. } => self.watched_delete_many(at, step, hooked),
            _ => Err(JobError::Failed(Error::internal(
                "a write plan contains a step that does not write",
            ))),
        }
    }

    /// Reads a member with all its fields. The first values of the step are the ids in the member's
    /// URL. Returns `None` if the member does not exist.
    fn whole(&mut self, place: Place, values: &[Value]) -> Result<Option<MemberValues>, JobError> {
        let shape = Shape::Get { place, selection: View::Whole.into() };
        let key = &values[..=usize::from(place.depth)];
        let rows = self.owned_rows(place, |run, sink| {
            let model = run.model;
            run.session.acting_for(&run.plan.caller).query(model, &shape, key, |row| {
                sink.row(model, row);
                true
            })
        });
        Ok(rows?.pop())
    }

    /// Runs a closure that reads rows, and returns the rows as owned values.
    fn owned_rows<E>(
        &mut self,
        place: Place,
        work: impl FnOnce(&mut Self, &mut ValueSink) -> Result<(), E>,
    ) -> Result<Vec<MemberValues>, E> {
        let mut sink = ValueSink::new(place.resource);
        work(self, &mut sink)?;
        Ok(sink.into_rows())
    }

    fn watched_write(
        &mut self,
        at: usize,
        step: &Step,
        hooked: &WriteHooks,
        place: Place,
        before: Option<MemberValues>,
    ) -> Result<StepOutcome, JobError> {
        let (mut fits, mut permitted) = (true, true);
        let written = self.owned_rows(place, |run, sink| {
            run.firing(|run| {
                let (model, stamps) = (run.model, run.session.stamps()?);
                let inputs = RunInputs::from(step).stamped(&stamps);
                run.session.acting_for(&run.plan.caller).query(model, &step.shape, inputs, |row| {
                    sink.row(model, row);
                    fits = row.fits(model, &step.shape);
                    permitted = row.is_permitted(model, &step.shape);
                    true
                })
            })
        });
        let mut written = written.map_err(|failure| self.explain(at, step, failure))?;
        let Some(after) = written.pop() else { return Ok(StepOutcome::Nothing) };
        if !fits {
            return Ok(StepOutcome::Refused(Refusal::TooLarge));
        }
        if !permitted {
            return Ok(StepOutcome::Refused(Refusal::Forbidden));
        }
        let operation = hooked.operation_of(before.is_some());
        let id = after.values[usize::from(FieldIx::ID.0)].clone();
        let after = match self.is_triggered() {
            true => {
                self.stale = true;
                let left = self.whole(Place::new(place.resource, 0), std::slice::from_ref(&id))?;
                left.ok_or_else(|| JobError::Declined(gone()))?
            }
            false => after,
        };
        let current = self.current(&after);
        let done = StepOutcome::Written(WrittenMember { id, current, place: None });
        self.run_hooks(hooked, at, ChangedMember { operation, before, after: Some(after) })?;
        Ok(done)
    }

    fn watched_delete(
        &mut self,
        at: usize,
        step: &Step,
        hooked: &WriteHooks,
        before: MemberValues,
    ) -> Result<StepOutcome, JobError> {
        let deleted = self.delete(step, false);
        let done = deleted.map_err(|failure| self.explain(at, step, failure))?;
        if matches!(done, StepOutcome::Deleted(_)) {
            let operation = Operation::Delete;
            let change = ChangedMember { operation, before: Some(before), after: None };
            self.run_hooks(hooked, at, change)?;
        }
        Ok(done)
    }

    /// Deletes the matching members one by one, so that the hooks run for each of them.
    fn watched_delete_many(
        &mut self,
        at: usize,
        step: &Step,
        hooked: &WriteHooks,
    ) -> Result<StepOutcome, JobError> {
        let ids = self.matching(step)?;
        if ids.is_empty() {
            let none = self.delete(step, true);
            return none.map_err(|failure| self.explain(at, step, failure));
        }
        let place = step.shape.place();
        let chain = &step.values[..usize::from(place.depth)];
        let mut count = 0;
        for id in ids {
            self.session.check().map_err(JobError::Failed)?;
            let values = chain.iter().cloned().chain([id]).collect();
            let one = Step { shape: Shape::Delete { place }, values };
            // A hook, or a cascade of an earlier deletion, may have deleted this member already.
            if let StepOutcome::Deleted(more) = self.hooked_step(at, &one, hooked)? {
                count += more;
            }
        }
        Ok(StepOutcome::Deleted(count))
    }

    /// Returns the ids of the members that a deletion step would delete. More than
    /// [`limits::ARRAY_MEMBERS_MAX`] members are an error.
    fn matching(&mut self, step: &Step) -> Result<Vec<Value>, JobError> {
        let Shape::DeleteMany { place, filter, listed } = &step.shape else { return Ok(vec![]) };
        let shape = Shape::Ids { place: *place, filter: filter.clone(), listed: *listed };
        let limit = Value::Integer(limits::ARRAY_MEMBERS_MAX as i64 + 1);
        let mut ids = vec![];
        self.session.acting_for(&self.plan.caller).query(
            self.model,
            &shape,
            RunInputs::from(step).limited(&limit),
            |row| {
                ids.push(row.value(0));
                true
            },
        )?;
        if ids.len() > limits::ARRAY_MEMBERS_MAX {
            return Err(JobError::Declined(crate::store::behaviour::too_many()));
        }
        Ok(ids)
    }

    /// Runs the hooks for a change, one after the other. A hook may refuse the change. If a hook
    /// writes the table, the member is read again for the later hooks.
    fn run_hooks(
        &mut self,
        hooked: &WriteHooks,
        at: usize,
        mut change: ChangedMember,
    ) -> Result<(), JobError> {
        let mut nth = 0;
        while let Some(wrote) = self.run_hook(nth, hooked, at, &change)? {
            if wrote {
                self.stale = true;
                self.refresh(hooked, &mut change)?;
            }
            nth += 1;
        }
        self.changes.push(change);
        Ok(())
    }

    /// Runs the hook with index `nth`, and returns whether it wrote the table of the resource.
    /// Returns `None` if there is no hook with this index. In a posted array, `at` is the index of
    /// the member.
    fn run_hook(
        &mut self,
        nth: usize,
        hooked: &WriteHooks,
        at: usize,
        change: &ChangedMember,
    ) -> Result<Option<bool>, JobError> {
        let mut transaction = Transaction::new(self.session, self.model);
        let mut tx = Tx::of_hook(&mut transaction, hooked.context.store());
        let Some(decision) = inside::run(|| hooked.within(nth, &mut tx, change)) else {
            return Ok(None);
        };
        let wrote = transaction.wrote(hooked.resource).map_err(JobError::Failed)?;
        if !self.session.is_open() {
            // The error of the statement that has failed, unless the hook went on without it.
            let unknown = || Error::internal("the transaction was rolled back while a hook ran");
            return Err(JobError::Failed(decision.err().unwrap_or_else(unknown)));
        }
        match decision {
            Ok(()) => Ok(Some(wrote)),
            Err(error) if hooked.is_array => {
                Err(JobError::Declined(error.at_element(&format!("/{at}"))))
            }
            Err(error) => Err(JobError::Declined(error)),
        }
    }

    /// Returns the validator and the change time of a member with all fields. The last field is the
    /// time of the last change.
    fn current(
        &mut self,
        MemberValues { revision, values: row, .. }: &MemberValues,
    ) -> CurrentState {
        let changed = match row.last() {
            Some(Value::Text(changed)) => Second::of_stored(changed),
            _ => None,
        };
        validator::member(*revision, self.session.parts().1, changed)
    }

    /// Reads a written member again, after a hook has written its table. It is an error if a hook
    /// has deleted the member.
    fn refresh(&mut self, hooked: &WriteHooks, change: &mut ChangedMember) -> Result<(), JobError> {
        let Some(MemberValues { values: row, .. }) = &change.after else { return Ok(()) };
        let id = [row[usize::from(FieldIx::ID.0)].clone()];
        change.after = self.whole(Place::new(hooked.resource, 0), &id)?;
        if change.after.is_some() {
            return Ok(());
        }
        let name = self.model[hooked.resource].def.name;
        let cause = format!(
            "a hook within the write of a `{name}` deleted the written member; the hook must return an error instead"
        );
        Err(JobError::Declined(Error::internal(cause)))
    }

    /// Renders the written members into the sink, with the changes that hooks have made to them.
    /// For a resource without hooks, `outcome` is returned unchanged, since its members are already
    /// rendered.
    pub(super) fn settle(&mut self, outcome: Outcome) -> Result<Outcome, JobError> {
        let (Some(hooked), Outcome::Members { created, .. }) = (self.hooked, &outcome) else {
            return Ok(outcome);
        };
        let mut changes = std::mem::take(self.changes);
        let mut written = Vec::with_capacity(changes.len());
        let (mut modified, mut place) = (None, None);
        for change in &mut changes {
            if self.stale {
                self.refresh(hooked, change)?;
            }
            if let Some(after) = &change.after {
                self.sink.member(self.model, hooked.resource, after);
                if !written.is_empty() && self.sink.is_too_large() {
                    return Err(JobError::Refused(Refusal::TooMuch));
                }
                let current = self.current(after);
                modified = current.modified;
                place = self.place(&after.values)?;
                written.push((after.values[usize::from(FieldIx::ID.0)].clone(), current.tag));
            }
        }
        *self.changes = changes;
        Ok(Outcome::written(written, *created, modified, place))
    }

    /// Returns the ids of the ancestors of a written member, outermost first, for its URL. Returns
    /// `None` if the write cannot have changed the parent of the member.
    fn place(&mut self, row: &[Value]) -> Result<Option<Vec<Value>>, JobError> {
        let (plan, model) = (self.plan, self.model);
        let Some(step) = plan.steps.first() else { return Ok(None) };
        let Place { resource, depth, .. } = step.shape.place();
        if !step.shape.moves(&model[resource]) {
            return Ok(None);
        }
        let mut ids = vec![];
        let mut at =
            model[resource].parent.map(|(above, field)| (above, row[usize::from(field.0)].clone()));
        while let Some((above, id)) =
            at.take().filter(|(_, id)| !id.is_null() && ids.len() < depth.into())
        {
            if let Some((further, field)) = model[above].parent {
                let shape = Shape::Look { place: Place::new(above, 0), fields: vec![field] };
                self.session.acting_for(&self.plan.caller).query(model, &shape, &id, |row| {
                    at = Some((further, row.value(LookColumns(1).field(0))));
                    false
                })?;
            }
            ids.insert(0, id);
        }
        Ok(Some(ids))
    }
}
