//! A thread of the slow lane, which runs one read after the other.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

use super::{
    RETRY_SECONDS, SlowLaneShared, SlowRead, SlowReadResult, log::Cost, thread_time::ThreadTime,
};
use crate::{
    base::{
        error::{Error, text},
        limits, priority,
    },
    model::Model,
    plan::Plan,
    store::{
        PlanResult, failure,
        read::{self, Attempt},
        sink::Sink,
        sqlite::{
            budget::ReadDeadline,
            lane::{Lane, Lanes},
        },
    },
};

/// The nice value of its threads: the lowest priority there is, so that point reads stay fast
/// beside scans.
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

    /// Runs reads until the slow lane is closed.
    pub(super) fn run(mut self) {
        priority::lower(NICE);
        while let Some(work) = self.shared.next() {
            let SlowRead { model, plan, sink, nobody_waits, answer } = *work;
            let begun = Instant::now();
            let ran = self.read(&model, &plan, sink, nobody_waits);
            self.shared.end(plan.client, begun.elapsed(), matches!(ran, Ok((_, true))));
            // The client may have disconnected.
            answer.send(ran).ok();
        }
    }

    /// Reads on the lane of this thread. A panic fails only this read: its lane is dropped, and the
    /// next read opens a new one.
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
            let effort =
                |lane: &Lane| lane.handle.effort(plan.steps.iter().map(|step| &step.shape));
            let (begun, before) = (ThreadTime::now(), effort(&lane));
            let ran = run(&mut lane, model, plan, sink, nobody_waits);
            let cost = Cost { time: begun.elapsed(), effort: effort(&lane).since(before) };
            self.shared.log.note(model, plan, cost);
            ran.map(|ran| (ran, lane))
        };
        let read = catch_unwind(AssertUnwindSafe(read));
        let (ran, lane) =
            read.unwrap_or_else(|panic| Err(failure::panicked("a slow read", &*panic)))?;
        self.lane = Some(lane);
        Ok(ran)
    }
}

/// Reads until nobody waits any more or the time limit is reached.
pub(super) fn run(
    lane: &mut Lane,
    model: &Arc<Model>,
    plan: &Plan,
    mut sink: Sink,
    nobody_waits: Arc<AtomicBool>,
) -> SlowReadResult {
    let until = ReadDeadline::new(Instant::now() + limits::SLOW_TIME_MAX, nobody_waits);
    lane.watch(&until)?;
    match read::run(lane, model, plan, &mut sink)? {
        Attempt::Done { outcome, statements, state } => {
            Ok((PlanResult { outcome, sink, statements, state }, until.was_fast()))
        }
        Attempt::TooLarge => Err(Error::internal("a lane for slow reads has a bound in bytes")),
        Attempt::TooSlow => Err(Error::unavailable(
            text!(
                "The query takes longer than {most} seconds; a narrower filter, or an index for it, makes it faster.",
                most = limits::SLOW_TIME_MAX.as_secs()
            ),
            RETRY_SECONDS,
        )),
    }
}
