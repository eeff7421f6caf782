//! The slow lane: reads that would hold up a worker, on few threads of low priority, with connections of their own.
//!
//! A worker finds out that a read is slow by running it for a moment. It remembers the shape of the statement, and sends the next
//! one of that shape here at once, until one turns out to be fast.

mod told;

use std::{
    io,
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

use http::StatusCode;
use tokio::sync::oneshot;

use self::told::Told;
use super::{
    budget::Until,
    fault,
    lane::{Lane, Lanes},
    read,
};
use crate::{
    error::{Error, text},
    limits,
    model::Model,
    plan::Plan,
    sink::Sink,
    store::Ran,
};

/// After how many seconds a client that was refused tries again.
const RETRY_SECONDS: u16 = 2;
/// How much lower the priority of its threads is: as low as it can be, so that point reads keep their speed beside scans.
const NICE: i32 = 19;

/// The way to the slow lane.
pub(super) struct Slow(mpsc::SyncSender<Work>);

/// A read, and who waits for it.
struct Work {
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    nobody_waits: Arc<AtomicBool>,
    answer: oneshot::Sender<Answer>,
}

/// What came of a read, and whether it was fast after all.
type Answer = Result<(Ran, bool), Error>;

impl Slow {
    /// Starts its threads; they end when it is dropped.
    pub(super) fn start(lanes: &Lanes) -> io::Result<Self> {
        let (sender, work) = mpsc::sync_channel(limits::SLOW_WAITING_MAX);
        let work = Arc::new(Mutex::new(work));
        let told = Arc::new(Told::default());
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..(cores / 2).max(1) {
            let (work, told) = (Arc::clone(&work), Arc::clone(&told));
            let thread = Thread { work, told, lanes: lanes.clone(), lane: None };
            thread::Builder::new().name("nouns-slow".into()).spawn(|| thread.run())?;
        }
        Ok(Self(sender))
    }

    /// Reads, and says whether that was fast.
    pub(super) async fn read(
        &self,
        model: &Arc<Model>,
        plan: &Plan,
        sink: Sink,
    ) -> Result<(Ran, bool), Error> {
        let (answer, answered) = oneshot::channel();
        let waits = Waits(Arc::default());
        let nobody_waits = Arc::clone(&waits.0);
        let work = Work { model: Arc::clone(model), plan: plan.clone(), sink, nobody_waits, answer };
        self.0.try_send(work).map_err(|refused| match refused {
            mpsc::TrySendError::Full(_) => {
                Error::unavailable(text!("Too many slow queries wait."), RETRY_SECONDS)
            }
            mpsc::TrySendError::Disconnected(_) => Error::internal("the threads of slow reads have ended"),
        })?;
        answered.await.unwrap_or_else(|_| Err(Error::internal("a slow read ended without a word")))
    }
}

/// That somebody waits, until this is dropped.
struct Waits(Arc<AtomicBool>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Thread {
    work: Arc<Mutex<mpsc::Receiver<Work>>>,
    told: Arc<Told>,
    lanes: Lanes,
    lane: Option<Lane>,
}

impl Thread {
    fn run(mut self) {
        lower_priority(NICE);
        loop {
            let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(work) = work else { return };
            if work.nobody_waits.load(Ordering::Relaxed) {
                continue;
            }
            // The client may have gone.
            work.answer.send(self.read(&work.model, &work.plan, work.sink, work.nobody_waits)).ok();
        }
    }

    /// Reads on the lane of this thread. A panic fails this read alone: its lane is dropped, and the next read opens one.
    fn read(&mut self, model: &Arc<Model>, plan: &Plan, sink: Sink, nobody_waits: Arc<AtomicBool>) -> Answer {
        let lane = self.lane.take().filter(Lane::is_usable);
        let read = || {
            let mut lane = lane.map_or_else(|| self.lanes.slow(), Ok)?;
            let ran = run(&mut lane, model, plan, sink, nobody_waits);
            let is_slow = match &ran {
                Ok((_, is_fast)) => !is_fast,
                Err(error) => error.status() == StatusCode::SERVICE_UNAVAILABLE,
            };
            if is_slow {
                self.told.tell(model, plan);
            }
            ran.map(|ran| (ran, lane))
        };
        let read = catch_unwind(AssertUnwindSafe(read));
        let (ran, lane) = read.unwrap_or_else(|panic| Err(fault::panicked("a slow read", &*panic)))?;
        self.lane = Some(lane);
        Ok(ran)
    }
}

fn run(
    lane: &mut Lane,
    model: &Arc<Model>,
    plan: &Plan,
    mut sink: Sink,
    nobody_waits: Arc<AtomicBool>,
) -> Answer {
    let until = Until::new(Instant::now() + limits::SLOW_TIME_MAX, nobody_waits);
    lane.watch(&until)?;
    match read::run(lane, model, plan, &mut sink)? {
        Some((outcome, statements)) => Ok((Ran { outcome, sink, statements }, until.was_fast())),
        None => Err(Error::unavailable(
            text!(
                "The query takes longer than {most} seconds; a narrower filter, or an index for it, makes it faster.",
                most = limits::SLOW_TIME_MAX.as_secs()
            ),
            RETRY_SECONDS,
        )),
    }
}

/// Lets the threads of workers go first. Linux alone has priorities of threads; elsewhere it would be that of the process.
pub(super) fn lower_priority(nice: i32) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::debug!(%error, "a thread has no lower priority");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = nice;
}

#[cfg(test)]
pub(super) mod tests;
