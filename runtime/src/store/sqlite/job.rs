//! One write inside a transaction: its preconditions, its steps, and what is done instead.

use std::sync::Arc;

use super::{
    deadline::Deadline,
    handle::Handle,
    refusal::{self, Stop},
    revisions::Revisions,
    system,
};
use crate::{
    base::error::Error,
    model::{FieldIx, Model, ResourceIx, value::Value},
    plan::{
        Columns, Echo, Guard, LookColumns, Outcome, Plan, Refusal, Shape, Sources, Step,
        validator::{self, Current, Identity},
    },
    store::{
        behaviour::{Changed, Hooked},
        sink::{RowSink, Sink},
    },
};

/// What a write works on: the writing connection inside a transaction, and its own data.
pub(super) struct Run<'j> {
    pub(super) handle: &'j mut Handle,
    pub(super) deadline: &'j Deadline,
    pub(super) revisions: &'j mut Revisions,
    pub(super) identity: &'j Identity,
    pub(super) model: &'j Arc<Model>,
    pub(super) plan: &'j Plan,
    pub(super) sink: &'j mut Sink,
    /// What the author's hooks add to it.
    pub(super) hooked: Option<&'j Hooked>,
    /// What it has changed, where hooks want to know it after the commit.
    pub(super) changes: &'j mut Vec<Changed>,
    /// Whether a hook has written the table, so that what was changed before may have changed again.
    pub(super) stale: bool,
}

/// What becomes of a job that leaves the transaction of use: an outcome, or the error of a hook that refused.
pub(super) type Settled = Result<Outcome, Error>;

/// A member that was written.
pub(super) struct Written {
    pub(super) id: Value,
    pub(super) current: Current,
    /// The ids of its ancestors, outermost first, if it may have got another parent.
    pub(super) place: Option<Vec<Value>>,
}

/// What one step has done.
pub(super) enum Done {
    Written(Written),
    Deleted(u64),
    /// There was no such member, or no such chain.
    Nothing,
    /// It is known already which link is missing.
    Refused(Refusal),
}

impl Run<'_> {
    /// Runs the plan. What was refused has changed nothing; after an error the transaction is of no use.
    pub(super) fn run(mut self) -> Result<Settled, Error> {
        self.sink.reset();
        self.changes.clear();
        if let Some(first) = self.repeated()? {
            return Ok(Ok(first));
        }
        let outcome = match self.guarded() {
            Ok(outcome) => outcome,
            Err(Stop::Refused(refusal)) => Outcome::Refused(refusal),
            Err(Stop::Declined(error)) => return Ok(Err(error)),
            Err(Stop::Failed(error)) => return Err(error),
        };
        let changed = match &outcome {
            Outcome::Members { written, .. } => !written.is_empty(),
            Outcome::Deleted(count) => *count > 0,
            _ => false,
        };
        if changed {
            self.revisions.touch(self.model, &self.plan.writes);
        }
        self.keep_answer(&outcome)?;
        Ok(Ok(outcome))
    }

    fn guarded(&mut self) -> Result<Outcome, Stop> {
        let Some(first) = self.plan.steps.first() else {
            return Ok(Outcome::Members { written: vec![], created: false, modified: None, place: None });
        };
        let admitted = self.plan.guard.is_open() || self.admitted(first)?;
        match self.plan.steps.as_slice() {
            [step] if self.hooked.is_none() && !is_judged(step, self.model) => self.steps(admitted),
            _ => self.atomically(admitted),
        }
    }

    /// Undoes the steps before one that is refused, and what hooks did; a single statement undoes itself, unless it is
    /// refused for what it has merged.
    fn atomically(&mut self, admitted: bool) -> Result<Outcome, Stop> {
        self.handle.keep("SAVEPOINT \"job\"")?;
        let touched = self.revisions.touched();
        let outcome = self.steps(admitted).and_then(|outcome| self.settled(outcome));
        if matches!(outcome, Err(Stop::Failed(_))) {
            return outcome;
        }
        if outcome.is_err() {
            self.changes.clear();
            self.revisions.forget(touched);
            self.handle.keep("ROLLBACK TO \"job\"")?;
            self.revisions.reload(self.handle.connection())?;
        }
        self.handle.keep("RELEASE \"job\"")?;
        outcome
    }

    fn steps(&mut self, admitted: bool) -> Result<Outcome, Stop> {
        let mut written = vec![];
        let mut deleted = None;
        let (mut modified, mut place) = (None, None);
        let plan = self.plan;
        for (at, step) in plan.steps.iter().enumerate() {
            if !admitted {
                return self.otherwise(step);
            }
            match self.step(at, step)? {
                Done::Written(member) => {
                    (modified, place) = (member.current.modified, member.place);
                    written.push((member.id, member.current.tag));
                }
                Done::Deleted(count) => deleted = Some(deleted.unwrap_or_default() + count),
                Done::Nothing => return self.otherwise(step),
                Done::Refused(refusal) => return Err(Stop::Refused(refusal)),
            }
            if at > 0 && self.sink.is_too_large() {
                return Err(Stop::Refused(Refusal::TooMuch));
            }
        }
        let created = self.plan.steps.iter().all(|step| matches!(step.shape, Shape::Insert { .. }));
        Ok(deleted.map_or(Outcome::Members { written, created, modified, place }, Outcome::Deleted))
    }

    /// What is done where a step finds no member.
    fn otherwise(&mut self, step: &Step) -> Result<Outcome, Stop> {
        if let Some(other) = &self.plan.otherwise {
            match self.step(0, other)? {
                Done::Written(Written { id, current: Current { tag, modified }, .. }) => {
                    let written = vec![(id, tag)];
                    return Ok(Outcome::Members { written, created: true, modified, place: None });
                }
                Done::Refused(refusal) => return Err(Stop::Refused(refusal)),
                Done::Nothing | Done::Deleted(_) => {}
            }
        }
        Err(Stop::Refused(refusal::missing(self.handle, self.model, step)?))
    }

    fn step(&mut self, at: usize, step: &Step) -> Result<Done, Stop> {
        self.deadline.check().map_err(Stop::Failed)?;
        if let Some(refusal) = refusal::hidden(self.handle, self.model, at, step)? {
            return Ok(Done::Refused(refusal));
        }
        if let Some(hooked) = self.hooked {
            return self.hooked_step(at, step, hooked);
        }
        let done = match step.shape {
            Shape::Insert { .. } | Shape::Update { .. } => self.write(step),
            Shape::Delete { .. } => self.delete(step, false),
            Shape::DeleteMany { .. } => self.delete(step, true),
            _ => return Err(Stop::Failed(Error::internal("a write has only steps that write"))),
        };
        done.map_err(|error| refusal::explain(self.handle, self.model, at, step, &error))
    }

    fn write(&mut self, step: &Step) -> rusqlite::Result<Done> {
        let stamps = self.stamps();
        let mut done = Done::Nothing;
        let (sink, model, identity) = (&mut *self.sink, self.model, self.identity);
        let changed = Columns::of(model, &step.shape).ok_or(rusqlite::Error::InvalidQuery)?.changed();
        self.handle.rows(self.model, &step.shape, step.values.iter().chain(&stamps), |row| {
            sink.row(model, row);
            let revision = row.revision().unwrap_or_default();
            let current = validator::member(revision, identity, row.changed(changed));
            done = match row.fits(model, &step.shape) {
                true if !row.is_permitted(model, &step.shape) => Done::Refused(Refusal::Forbidden),
                true => {
                    let (id, place) = (row.value(Columns::ID), row.place(model, &step.shape));
                    Done::Written(Written { id, current, place })
                }
                false => Done::Refused(Refusal::TooLarge),
            };
            true
        })?;
        Ok(done)
    }

    /// The time and the revision of a change.
    pub(super) fn stamps(&mut self) -> [Value; 2] {
        [Value::Text(self.revisions.time().into()), Value::Integer(self.revisions.next().cast_signed())]
    }

    /// A deletion fires triggers, which count on their own.
    pub(super) fn delete(&mut self, step: &Step, many: bool) -> rusqlite::Result<Done> {
        self.revisions.flush(self.handle.connection())?;
        let model = self.model;
        let deleted = self.deadline.counting(self.handle, |handle| handle.execute(model, step));
        if !self.handle.connection().is_autocommit() {
            self.revisions.reload(self.handle.connection())?;
        }
        match deleted? {
            0 if many => {
                Ok(refusal::broken(self.handle, self.model, step)?.map_or(Done::Deleted(0), Done::Refused))
            }
            0 => Ok(Done::Nothing),
            count => Ok(Done::Deleted(count)),
        }
    }

    /// Tests the preconditions; false where there is no member and something else is done then.
    fn admitted(&mut self, first: &Step) -> Result<bool, Stop> {
        match first.shape {
            Shape::Update { .. } | Shape::Delete { .. } => self.member_admitted(first),
            _ => self.collection_admitted(first).map(|()| true),
        }
    }

    fn member_admitted(&mut self, first: &Step) -> Result<bool, Stop> {
        let plan = self.plan;
        let place = first.shape.place();
        let fields = plan.guard.echoes.iter().map(|echo| echo.field).collect();
        let columns = LookColumns(plan.guard.echoes.len());
        let mut found = None;
        let key = &first.values[..=usize::from(place.depth)];
        self.handle.rows(self.model, &Shape::Look { place, fields }, key, |row| {
            let echoes = plan.guard.echoes.iter().enumerate();
            let wrong = echoes.filter(|(at, echo)| {
                !self.model[place.resource][echo.field].same(&row.value(columns.field(*at)), &echo.value)
            });
            let revision = row.revision().unwrap_or_default();
            let changed = row.changed(columns.changed());
            let current = validator::member(revision, self.identity, changed);
            found = Some((Some(current), wrong.map(|(_, echo)| echo.field).collect::<Vec<_>>()));
            false
        })?;
        let exists = found.is_some();
        if !exists && plan.otherwise.is_none() {
            return Err(Stop::Refused(refusal::missing(self.handle, self.model, first)?));
        }
        let (current, wrong) = found.unwrap_or_else(|| (None, self.unmet(first)));
        tested(&plan.guard, current)?;
        if !wrong.is_empty() {
            return Err(Stop::Refused(Refusal::Echoes(wrong)));
        }
        Ok(exists)
    }

    /// Echoes of a member that is yet to be made: what it is made with can be repeated, and its parent.
    fn unmet(&self, first: &Step) -> Vec<FieldIx> {
        let place = first.shape.place();
        let depth = usize::from(place.depth);
        let parent = self.model[place.resource].parent.filter(|_| depth > 0).map(|(_, field)| field);
        let known = |echo: &Echo| {
            self.is_made_with(echo)
                || Some(echo.field) == parent && first.values.get(depth.wrapping_sub(1)) == Some(&echo.value)
        };
        self.plan.guard.echoes.iter().filter(|echo| !known(echo)).map(|echo| echo.field).collect()
    }

    /// Whether the member that is made instead gets the value of an echo.
    fn is_made_with(&self, echo: &Echo) -> bool {
        let Some(Step { shape: Shape::Insert { place, columns, .. }, values }) = &self.plan.otherwise else {
            return false;
        };
        let given = columns.iter().zip(&values[usize::from(place.depth)..]);
        let field = &self.model[place.resource][echo.field];
        given.into_iter().any(|(ix, value)| *ix == echo.field && field.same(value, &echo.value))
    }

    /// A precondition on a collection is tested against its validator in this transaction.
    fn collection_admitted(&mut self, first: &Step) -> Result<(), Stop> {
        if let Some(refusal) = refusal::broken(self.handle, self.model, first)? {
            return Err(Stop::Refused(refusal));
        }
        let Sources { seed, place } = self.plan.reads.ok_or(rusqlite::Error::InvalidQuery)?;
        self.revisions.store(self.handle.connection())?;
        let connection = self.handle.connection();
        let model = self.model;
        let read = |ix: ResourceIx| system::read_revision(connection, model[ix].def.table);
        let tables = model.sources(place).map(read).collect::<rusqlite::Result<Vec<_>>>()?;
        let current = validator::collection(seed, self.identity, tables.into_iter());
        tested(&self.plan.guard, Some(current))
    }
}

/// Whether only what a step has written tells whether it is refused.
fn is_judged(step: &Step, model: &Model) -> bool {
    step.shape.merges() || step.shape.leaves(model).is_some()
}

fn tested(guard: &Guard, current: Option<Current>) -> Result<(), Stop> {
    guard.conditions.refuse(current).map_or(Ok(()), |refusal| Err(Stop::Refused(refusal)))
}
