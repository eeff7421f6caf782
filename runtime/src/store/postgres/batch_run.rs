//! The statement of a batch: its values, and the answers of its writes.

use std::{sync::Arc, time::Instant};

use super::{
    batches::{BatchKey, HeldTurn, SharedValues, WaitingWrite, WriteTurn},
    cells::BinaryRow,
    fault::{self, Remedy},
    lane::{LaneFailure, PostgresLane, WriteForm},
    parameter::BatchParameter,
    slots::UsedSlot,
};
use crate::{
    model::value::Value,
    store::{
        row::MemberRow as _,
        sql::{CountedWrite, parameters::Origin},
    },
};

/// Runs the writes of a batch, and answers them. Those that the batch cannot do run alone.
pub(super) async fn run(turn: HeldTurn, batch: Vec<WaitingWrite>) {
    let (worker, key) = (turn.worker(), turn.key());
    let Some((lane, slot)) = worker.counting_lane(batch.len()) else { return run_alone(batch) };
    let begun = Instant::now();
    let Some((revisions, rows)) = statement(&lane, &slot, key, &batch).await else {
        return run_alone(batch);
    };
    match rows {
        Ok(rows) => {
            if !rows.is_empty() {
                worker.home.note_commit(begun.elapsed(), rows.len());
            }
            answer(&lane, batch, &revisions, rows);
        }
        Err(LaneFailure::Refused(error)) => {
            if fault::remedy(&error) == Remedy::Prepare {
                lane.forget_statements();
            }
            run_alone(batch);
        }
        Err(LaneFailure::TooSlow) => {
            worker.queues.note_slow(&key.shape);
            run_alone(batch);
        }
        Err(LaneFailure::TooLarge | LaneFailure::Lost | LaneFailure::Failed(_)) => {
            slot.lose();
            for write in batch {
                write.reply.send(WriteTurn::Lost).ok();
            }
        }
    }
}

/// Lets each write of a batch run alone.
pub(super) fn run_alone(batch: Vec<WaitingWrite>) {
    for write in batch {
        // A client that has left needs no answer.
        write.reply.send(WriteTurn::Alone(None)).ok();
    }
}

fn answer(
    lane: &Arc<PostgresLane>,
    batch: Vec<WaitingWrite>,
    revisions: &[Value],
    rows: Vec<BinaryRow>,
) {
    let mut found: Vec<_> = batch.iter().map(|_| None).collect();
    for row in rows {
        let revision = row.value(0);
        let at = revisions.iter().position(|each| *each == revision);
        if let Some(place) = at.and_then(|at| found.get_mut(at)) {
            *place = Some(row);
        }
    }
    for (write, row) in batch.into_iter().zip(found) {
        write.reply.send(WriteTurn::Done(row, Arc::clone(lane))).ok();
    }
}

type WrittenRows = Result<Vec<BinaryRow>, LaneFailure>;

/// Runs the statement of a batch. Returns the new revisions of its members, and the rows of those
/// that were written. `None` if the statement was not sent.
async fn statement(
    lane: &Arc<PostgresLane>,
    slot: &UsedSlot,
    key: &BatchKey,
    batch: &[WaitingWrite],
) -> Option<(Vec<Value>, WrittenRows)> {
    let BatchKey { model, shape, account, shared } = key;
    let write = CountedWrite { shape, account: account.as_ref() };
    let prepared = lane.write_statement(model, &write, WriteForm::Batch).await.ok()??;
    let slot = Value::Integer(slot.number().into());
    let (mut times, mut revisions) = (vec![], vec![]);
    for _ in batch {
        let [time, revision] = lane.stamps().await.ok()?;
        times.push(time);
        revisions.push(revision);
    }
    let SharedValues { rules, account } = shared;
    let value = |(origin, at): (&Origin, Option<usize>)| {
        Some(match origin {
            Origin::Rule(of) => {
                BatchParameter::Shared(&rules.iter().find(|(known, _)| known == of)?.1)
            }
            Origin::Account(at) => BatchParameter::Shared(account.get(usize::from(*at))?),
            Origin::Slot => BatchParameter::Shared(&slot),
            // The times of a lane never go back.
            Origin::CounterTime => BatchParameter::Shared(times.last()?),
            Origin::Time => BatchParameter::Each(times.iter().collect()),
            Origin::Revision => BatchParameter::Each(revisions.iter().collect()),
            Origin::Expected => {
                BatchParameter::Each(batch.iter().map(|write| &write.expected).collect())
            }
            _ => {
                let values = batch.iter().map(|write| write.values.get(at?));
                BatchParameter::Each(values.collect::<Option<_>>()?)
            }
        })
    };
    let values = prepared.parameters.origins().map(value).collect::<Option<Vec<_>>>()?;
    // The rows were written, so they are read, whatever their size is.
    let rows = lane.rows(&prepared.statement, values, usize::MAX).await;
    Some((revisions, rows))
}
