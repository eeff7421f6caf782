//! Plain writes: each writes one member by one statement, which counts the change and tests all
//! that it depends on. Such a statement either succeeds as a whole, or it changes nothing.

use std::{sync::Arc, time::Instant};

use super::{
    batches::{self, BatchKey, SharedValues, WaitingWrite, WriteTurn},
    cells::BinaryRow,
    fault::{self, Remedy},
    home::Home,
    lane::{LaneFailure, PostgresLane, WriteForm},
    lanes::{self, WorkerLanes},
    others_triggers,
    slots::UsedSlot,
};
use crate::{
    base::error::Error,
    model::{
        FieldIx, Model,
        def::{IdKind, OnDelete},
        value::Value,
    },
    plan::{Guard, Outcome, Plan, Preconditions, Shape, Step, TagCipher, Tags},
    store::{
        job::{LARGE_BYTES_MIN, WrittenMember, text_bytes},
        refusal,
        sink::{RowSink as _, Sink},
        sql::{
            CountedWrite,
            parameters::{CountedRunInputs, RunInputs},
        },
    },
};

/// A plan that is a single statement, which writes one member.
struct PlainWrite<'p> {
    model: &'p Arc<Model>,
    plan: &'p Plan,
    step: &'p Step,
    /// The revision that the member must have, or null for any.
    expected: Value,
    /// The size of its text values.
    bytes: usize,
}

/// Runs a plan that writes one member. `None` if it has to run on a thread of a pool: then it has
/// changed nothing.
///
/// # Errors
/// 503 if the connection is lost, so that it is not known whether the write was done.
pub(super) async fn write(
    home: &Arc<Home>,
    model: &Arc<Model>,
    plan: &Plan,
    sink: &mut Sink,
) -> Result<Option<Outcome>, Error> {
    let Some(write) = PlainWrite::of(home, model, plan) else { return Ok(None) };
    let Some(worker) = lanes::own(home) else { return Ok(None) };
    // A trigger of others may change the row after the statement has returned it.
    if is_triggered(home, &worker, model[write.step.shape.place().resource].def.table).await {
        return Ok(None);
    }
    let _turn = match write.turn(&worker).await {
        WriteTurn::Alone(turn) => turn,
        WriteTurn::Done(row, lane) => {
            return Ok(row.map(|row| write.outcome(&lane, &row, sink)));
        }
        WriteTurn::Lost => return Err(fault::in_doubt()),
    };
    let Some((lane, slot)) = worker.counting_lane(1) else { return Ok(None) };
    write.run(&worker, (&lane, &slot), sink).await
}

/// Whether a table has triggers of others. Looks for them if that is due.
async fn is_triggered(home: &Home, worker: &Arc<WorkerLanes>, table: &str) -> bool {
    let triggers = home.others_triggers();
    if let Some(is_triggered) = triggers.known(table) {
        return is_triggered;
    }
    if let Some(lane) = worker.write_lane()
        && triggers.is_due()
        && let Ok(rows) = lane.ask(others_triggers::TABLES, &[]).await
    {
        triggers.note(&rows);
    }
    triggers.tables().iter().any(|each| each == table)
}

impl<'p> PlainWrite<'p> {
    /// `None` if the plan needs more than one statement.
    fn of(home: &Home, model: &'p Arc<Model>, plan: &'p Plan) -> Option<Self> {
        let [step] = plan.steps.as_slice() else { return None };
        let [_only_table] = plan.writes.as_slice() else { return None };
        let expected = expected(home.cipher(), &plan.guard, &step.shape)?;
        let bytes = text_bytes(plan);
        let is_plain = bytes < LARGE_BYTES_MIN && is_plain(model, plan, step);
        is_plain.then_some(Self { model, plan, step, expected, bytes })
    }

    /// Waits for the turn of the write. A deletion has no batch.
    async fn turn(&self, worker: &Arc<WorkerLanes>) -> WriteTurn {
        let id = match self.step.shape {
            Shape::Update { place, .. } => self.step.values.get(usize::from(place.depth)).cloned(),
            Shape::Insert { .. } => None,
            _ => return WriteTurn::Alone(None),
        };
        let rules = self.step.shape.rules(self.model, true).into_iter().map(|(_, rule)| rule);
        let rules = rules.chain(self.step.shape.shows(self.model)).flat_map(|rule| &rule.values);
        let account = self.plan.account.as_deref();
        let key = BatchKey {
            model: Arc::clone(self.model),
            shape: self.step.shape.clone(),
            account: account.map(|step| step.shape.clone()),
            shared: SharedValues {
                rules: rules.map(|of| (of.clone(), self.plan.caller.get(of).clone())).collect(),
                account: account.map(|step| step.values.clone()).unwrap_or_default(),
            },
        };
        batches::turn(worker, key, |reply| WaitingWrite {
            values: self.step.values.clone(),
            id,
            expected: self.expected.clone(),
            bytes: self.bytes,
            reply,
        })
        .await
    }

    /// Runs the write alone.
    async fn run(
        &self,
        worker: &WorkerLanes,
        (lane, slot): (&Arc<PostgresLane>, &UsedSlot),
        sink: &mut Sink,
    ) -> Result<Option<Outcome>, Error> {
        let Self { model, plan, step, .. } = *self;
        let account = plan.account.as_ref().map(|step| &step.shape);
        let write = CountedWrite { shape: &step.shape, account };
        let statement = lane.write_statement(model, &write, WriteForm::Single).await;
        let Ok(Some(prepared)) = statement else { return Ok(None) };
        let Ok(stamps) = lane.stamps().await else { return Ok(None) };
        let (begun, number) = (Instant::now(), Value::Integer(slot.number().into()));
        let account = plan.account.as_ref().map_or(&[][..], |step| &step.values);
        let counted = CountedRunInputs { expected: &self.expected, slot: &number, account };
        let inputs = RunInputs::from(step).stamped(&stamps).counted(counted);
        let Some(values) = prepared.bound(&plan.caller, inputs) else { return Ok(None) };
        let statement = &prepared.statement;
        let result = match step.shape {
            Shape::Delete { .. } => lane.execute(statement, values).await.map(deleted),
            _ => {
                // The row was written, so it is read, whatever its size is.
                let rows = lane.rows(statement, values, usize::MAX).await;
                rows.map(|rows| rows.first().map(|row| self.outcome(lane, row, sink)))
            }
        };
        match result {
            Ok(outcome) => {
                if outcome.is_some() {
                    worker.home.note_commit(begun.elapsed(), 1);
                }
                Ok(outcome)
            }
            Err(LaneFailure::Refused(error)) => {
                if fault::remedy(&error) == Remedy::Prepare {
                    lane.forget_statements();
                }
                Ok(None)
            }
            Err(LaneFailure::TooSlow) => {
                worker.queues.note_slow(&step.shape);
                Ok(None)
            }
            Err(LaneFailure::TooLarge | LaneFailure::Lost | LaneFailure::Failed(_)) => {
                slot.lose();
                Err(fault::in_doubt())
            }
        }
    }

    /// Returns the outcome of a write that has returned this row.
    fn outcome(&self, lane: &PostgresLane, row: &BinaryRow, sink: &mut Sink) -> Outcome {
        sink.row(self.model, row);
        let shape = &self.step.shape;
        let WrittenMember { id, current, place } =
            WrittenMember::of(row, self.model, shape, &lane.identity);
        let created = matches!(shape, Shape::Insert { .. });
        Outcome::written(vec![(id, current.tag)], created, current.modified, place)
    }
}

/// Returns the revision that the member must have, or null for any. `None` if a statement cannot
/// test the conditions of the write.
fn expected(cipher: &TagCipher, guard: &Guard, shape: &Shape) -> Option<Value> {
    if !guard.echoes.is_empty() || guard.idempotency.is_some() {
        return None;
    }
    if guard.conditions.is_empty() {
        return Some(Value::Null);
    }
    let Preconditions { if_match, revision, .. } = &guard.conditions;
    let number = match (if_match, revision) {
        (Some(Tags::Listed(tags)), None) => match tags.as_slice() {
            [tag] => Some(tag.number),
            _ => return None,
        },
        (Some(Tags::Any), None) => None,
        (None, Some(revision)) => Some(*revision),
        _ => return None,
    };
    let others = Preconditions { if_match: None, revision: None, ..guard.conditions.clone() };
    // A collection has other tags, which its counters decide.
    if !others.is_empty() || matches!(shape, Shape::Insert { .. }) {
        return None;
    }
    // A number that no revision has belongs to no member.
    let number = number.map(|tag| i64::try_from(cipher.decrypt(tag))).transpose().ok()?;
    Some(number.map_or(Value::Null, Value::Integer))
}

/// Whether a plan is a single statement whose success is known when it has returned a row.
fn is_plain(model: &Model, plan: &Plan, step: &Step) -> bool {
    let place = step.shape.place();
    let resource = &model[place.resource];
    if plan.grants.is_some() || refusal::may_hide(model, &plan.caller, step) {
        return false;
    }
    match &step.shape {
        // The sequence of the ids has to go past an id that the client brings. And only a member
        // that brings its id can refer to itself, which the rule for reading does not see yet.
        Shape::Insert { columns, .. } => {
            !columns.contains(&FieldIx::ID)
                || resource.def.id != IdKind::Integer && step.shape.shows(model).is_none()
        }
        Shape::Update { .. } => !step.shape.merges(),
        // What a cascade changes is counted, since it is limited.
        Shape::Delete { .. } => {
            resource.referrers.iter().all(|one| one.on_delete == OnDelete::Restrict)
        }
        _ => false,
    }
}

fn deleted(count: u64) -> Option<Outcome> {
    (count > 0).then_some(Outcome::Deleted(count))
}
