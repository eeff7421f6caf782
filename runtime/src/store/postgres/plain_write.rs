//! Plain writes: each writes one member by one statement, which counts the change and tests all
//! that it depends on. Such a statement either succeeds as a whole, or it changes nothing.

use std::{sync::Arc, time::Instant};

use super::{
    cells::BinaryRow,
    fault::{self, Remedy},
    home::Home,
    lane::{LaneFailure, PostgresLane},
    lanes,
    parameter::BinaryParameter,
};
use crate::{
    base::error::Error,
    model::{
        FieldIx, Model,
        def::{IdKind, OnDelete},
        value::Value,
    },
    plan::{Guard, Outcome, Plan, Preconditions, Shape, Step, Tags},
    store::{
        job::{LARGE_BYTES_MIN, WrittenMember, text_bytes},
        refusal,
        sink::{RowSink as _, Sink},
        sql::{CountedWrite, values::RuledValues},
    },
};

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
    let [step] = plan.steps.as_slice() else { return Ok(None) };
    let Some(expected) = expected(&plan.guard, &step.shape) else { return Ok(None) };
    if !is_plain(model, plan, step) {
        return Ok(None);
    }
    let Some(lane) = lanes::lane(home, true) else { return Ok(None) };
    let Some(slot) = lane.slot() else { return Ok(None) };
    let [table] = *plan.writes.as_slice() else { return Ok(None) };
    let account = plan.account.as_ref().map(|step| &step.shape);
    let statement = match lane.known_write(model, &step.shape, account) {
        Some(statement) => statement,
        None => {
            let write = CountedWrite { shape: &step.shape, table, account };
            let Ok(Some(statement)) = lane.prepare_write(model, &write).await else {
                return Ok(None);
            };
            statement
        }
    };
    let Ok([time, revision]) = lane.stamps().await else { return Ok(None) };
    let (begun, slot) = (Instant::now(), Value::Integer(slot.into()));
    let further: &[&Value] = match &step.shape {
        Shape::Insert { .. } => &[&time, &revision, &slot],
        Shape::Update { .. } => &[&time, &revision, &expected, &slot],
        _ => &[&expected, &time, &slot],
    };
    let shown = step.shape.shows(model).into_iter().flat_map(|rule| &rule.values);
    let values = RuledValues::new(model, &step.shape, &plan.caller, &step.values)
        .chain(further.iter().copied())
        .chain(shown.map(|value| plan.caller.get(value)))
        .chain(plan.account.iter().flat_map(|step| &step.values));
    let values: Vec<_> = values.map(BinaryParameter).collect();
    let result = match step.shape {
        Shape::Delete { .. } => lane.execute(&statement, values).await.map(deleted),
        _ => {
            // The row was written, so it is read, whatever its size is.
            let rows = lane.rows(&statement, values, usize::MAX).await;
            rows.map(|rows| written(&lane, model, step, &rows, sink))
        }
    };
    match result {
        Ok(outcome) => {
            if outcome.is_some() {
                home.note_commit(begun.elapsed());
            }
            Ok(outcome)
        }
        Err(LaneFailure::Refused(error)) => {
            if fault::remedy(&error) == Remedy::Prepare {
                lane.forget_statements();
            }
            Ok(None)
        }
        Err(LaneFailure::TooSlow) => Ok(None),
        Err(LaneFailure::TooLarge | LaneFailure::Lost) => Err(fault::in_doubt()),
    }
}

/// Returns the revision that the member must have, or null for any. `None` if a statement cannot
/// test the conditions of the write.
fn expected(guard: &Guard, shape: &Shape) -> Option<Value> {
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
    let number = number.map(i64::try_from).transpose().ok()?;
    Some(number.map_or(Value::Null, Value::Integer))
}

/// Whether a plan is a single statement whose success is known when it has returned a row.
fn is_plain(model: &Model, plan: &Plan, step: &Step) -> bool {
    let place = step.shape.place();
    let resource = &model[place.resource];
    if text_bytes(plan) >= LARGE_BYTES_MIN
        || plan.grants.is_some()
        || refusal::may_hide(model, &plan.caller, step)
    {
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

fn written(
    lane: &PostgresLane,
    model: &Arc<Model>,
    step: &Step,
    rows: &[BinaryRow],
    sink: &mut Sink,
) -> Option<Outcome> {
    let row = rows.first()?;
    sink.row(model, row);
    let WrittenMember { id, current, place } =
        WrittenMember::of(row, model, &step.shape, &lane.identity);
    Some(Outcome::Members {
        written: vec![(id, current.tag)],
        created: matches!(step.shape, Shape::Insert { .. }),
        modified: current.modified,
        place,
    })
}
