//! A thread of the slow lane, which executes queued slow reads one after another.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use super::{SlowLaneShared, SlowRead, SlowReadResult, log::Cost, thread_time::ThreadTime};
use crate::{
    base::{error::Error, limits, priority},
    model::Model,
    plan::Plan,
    store::{
        PlanResult,
        end_demand::EndDemand,
        failure,
        read::{self, Attempt},
        sink::Sink,
        slow::too_slow,
        sqlite::{
            budget::ReadDeadline,
            lane::{Lane, Lanes},
        },
    },
};

/// The nice value of the slow lane's threads. It is the lowest priority of Linux, so that short
/// reads stay fast while slow reads scan tables.
const NICE: i32 = 19;

pub(super) struct SlowThread {
    shared: Arc<SlowLaneShared>,
    lanes: Lanes,
    lane: Option<Lane>,
}

impl SlowThread {
    pub(super) const fn new(shared: Arc<SlowLaneShared>, lanes: Lanes) -> Self {
        Self { shared, lanes, lane: None }
    }

    /// Executes queued reads until the slow lane is closed.
    pub(super) fn run(mut self) {
        priority::lower(NICE);
        while let Some(work) = self.shared.next() {
            let SlowRead { model, plan, sink, nobody_waits, answer } = *work;
            let begun = Instant::now();
            let result = self.read(&model, &plan, sink, nobody_waits);
            self.shared.end(plan.client, begun.elapsed(), matches!(result, Ok((_, true))));
            // Sending fails if the client has disconnected.
            answer.send(result).ok();
        }
    }

    /// Executes a read on the lane (read connection) of this thread. A panic fails only this read.
    /// The lane is then dropped, and the next read opens a new lane.
    fn read(
        &mut self,
        model: &Arc<Model>,
        plan: &Plan,
        sink: Sink,
        nobody_waits: Arc<AtomicBool>,
    ) -> SlowReadResult {
        let lane = self.lane.take().filter(Lane::is_usable);
        let read = || {
            let mut lane = lane.map_or_else(|| self.lanes.slow(), Ok)?;
            let lists: Vec<_> =
                plan.steps.iter().flat_map(|step| step.shape.list_shapes(model)).collect();
            let shapes = || plan.steps.iter().map(|step| &step.shape).chain(&lists);
            let effort = |lane: &Lane| lane.handle.effort(shapes());
            let (begun, before) = (ThreadTime::now(), effort(&lane));
            let result = run(&mut lane, model, plan, sink, nobody_waits);
            let cost = Cost { time: begun.elapsed(), effort: effort(&lane).since(before) };
            self.shared.log.note(model, plan, cost);
            result.map(|result| (result, lane))
        };
        let read = catch_unwind(AssertUnwindSafe(read));
        let (result, lane) =
            read.unwrap_or_else(|panic| Err(failure::panicked("a slow read", &*panic)))?;
        self.lane = Some(lane);
        Ok(result)
    }
}

/// Executes a read without the time budget of a worker. The read is interrupted after
/// `SLOW_TIME_MAX`, or when `nobody_waits` is set.
pub(super) fn run(
    lane: &mut Lane,
    model: &Arc<Model>,
    plan: &Plan,
    mut sink: Sink,
    nobody_waits: Arc<AtomicBool>,
) -> SlowReadResult {
    let _long_read =
        lane.begin_long_read(&EndDemand::with("a slow read", Arc::clone(&nobody_waits)));
    let until = ReadDeadline::new(Instant::now() + limits::SLOW_TIME_MAX, nobody_waits);
    lane.watch(&until)?;
    match read::run(lane, model, plan, &mut sink)? {
        Attempt::Done { outcome, statements, state } => {
            Ok((PlanResult { outcome, sink, statements, state }, until.was_fast()))
        }
        Attempt::TooLarge => {
            Err(Error::internal("a slow read hit a byte limit, but must have none"))
        }
        Attempt::TooSlow => Err(too_slow()),
    }
}
