//! A write as data, which is queued and can be run again, and the handle of its waiting request.

mod hooked;
mod run;
mod transaction;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time::timeout};

use self::run::{JobOutcome, JobRun};
pub(super) use self::transaction::Transact;
use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
    },
    model::{Model, value::Value},
    plan::Plan,
    store::{
        PlanResult,
        behaviour::{ChangedMember, WriteHooks},
        session::{Statements as _, WriteSession},
        sink::Sink,
    },
};

/// The bytes of values from which a write is large: it takes about a millisecond, and runs in its
/// own transaction.
pub(super) const LARGE_BYTES_MIN: usize = 64 * 1024;
/// The seconds after which a client should retry that found the queue full, or waited in it for too
/// long.
const RETRY_SECONDS: u16 = 1;

pub(super) type JobResult = Result<PlanResult, Error>;

/// A write as data, which can be run again.
pub(super) struct Job {
    model: Arc<Model>,
    pub(super) plan: Plan,
    sink: Sink,
    hooked: Option<WriteHooks>,
    /// The bytes of its texts.
    bytes: usize,
    room: Option<QueueMemory>,
    pub(super) since: Instant,
    claim: JobClaim,
    waiter: Waiter,
    reply: oneshot::Sender<JobResult>,
}

/// A job that was run and is not committed yet.
pub(super) struct UncommittedJob {
    pub(super) outcome: JobOutcome,
    pub(super) statements: u32,
    pub(super) changes: Vec<ChangedMember>,
}

/// The share of a large queued write in the memory of the queue, released when this is dropped.
struct QueueMemory {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl QueueMemory {
    /// Reserves memory for a write; a write that is alone always fits.
    fn take(taken: &Arc<AtomicUsize>, bytes: usize) -> Option<Self> {
        let others = taken.fetch_add(bytes, Ordering::Relaxed);
        let room = Self { taken: Arc::clone(taken), bytes };
        (others == 0 || others + bytes <= limits::WRITES_WAITING_BYTES_MAX).then_some(room)
    }
}

impl Drop for QueueMemory {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The claim to a write: the first to take it is either the writer that begins the write, or the
/// waiting request whose timeout is over.
#[derive(Clone, Debug, Default)]
struct JobClaim(Arc<AtomicBool>);

impl JobClaim {
    /// Takes the claim, and returns whether it was taken before.
    fn take(&self) -> bool {
        self.0.swap(true, Ordering::AcqRel)
    }
}

/// The handle of a request that waits for a write.
pub(super) struct PendingWrite {
    answer: oneshot::Receiver<JobResult>,
    claim: JobClaim,
    waiter: Waiter,
}

impl Drop for PendingWrite {
    fn drop(&mut self) {
        self.waiter.leave();
    }
}

impl PendingWrite {
    /// Waits for the result. Once a write is begun, it waits however long that takes. With a
    /// timeout, a write that is not begun in time never is; measuring it needs a runtime with time
    /// enabled.
    pub(super) async fn answer(mut self, patience: Option<Duration>) -> JobResult {
        let answer = match patience {
            None => (&mut self.answer).await,
            Some(patience) => match timeout(patience, &mut self.answer).await {
                Ok(answer) => answer,
                Err(_) if self.claim.take() => (&mut self.answer).await,
                Err(_) => return Err(too_late()),
            },
        };
        answer.unwrap_or_else(|_| Err(Error::internal("the writer ended before it answered")))
    }
}

/// Refuses a write that finds no room in the queue.
pub(super) fn too_many() -> Error {
    Error::unavailable(text!("Too many writes wait."), RETRY_SECONDS)
}

/// Refuses a deletion that would change more rows than it may.
pub(super) fn too_many_rows(most: u64) -> Error {
    let detail = text!(
        "The deletion was not done: it would change more than {most} rows, with those that refer to what it deletes. Delete in smaller parts.",
        most
    );
    Error::new(Kind::DELETION_TOO_LARGE, detail)
}

/// Refuses a write after the store was closed.
pub(super) fn closed() -> Error {
    Error::unavailable(text!("The database is closed."), RETRY_SECONDS)
}

fn too_late() -> Error {
    Error::unavailable(text!("The write has waited too long for its turn."), RETRY_SECONDS)
}

impl Job {
    pub(super) fn new(
        model: Arc<Model>,
        plan: Plan,
        sink: Sink,
        hooked: Option<WriteHooks>,
    ) -> (Self, PendingWrite) {
        let ((reply, answer), taken, waiter) =
            (oneshot::channel(), JobClaim::default(), Waiter::default());
        let waiting = PendingWrite { answer, claim: taken.clone(), waiter: waiter.clone() };
        let text = |value: &Value| if let Value::Text(text) = value { text.len() } else { 0 };
        let bytes = plan.steps.iter().flat_map(|step| &step.values).map(text).sum();
        let since = Instant::now();
        (
            Self {
                model,
                plan,
                sink,
                hooked,
                bytes,
                room: None,
                since,
                claim: taken,
                waiter,
                reply,
            },
            waiting,
        )
    }

    /// Reserves memory in the queue, if the job is large.
    pub(super) fn take_room(&mut self, taken: &Arc<AtomicUsize>) -> Result<(), Error> {
        if self.is_large() {
            self.room = Some(QueueMemory::take(taken, self.bytes).ok_or_else(too_many)?);
        }
        Ok(())
    }

    /// Whether other jobs take precedence.
    pub(super) const fn is_large(&self) -> bool {
        self.bytes >= LARGE_BYTES_MIN
    }

    /// Returns the state of the request that waits for it.
    pub(super) const fn waiter(&self) -> &Waiter {
        &self.waiter
    }

    /// Runs it in an open transaction, which cannot be used after an error.
    pub(super) fn run(&mut self, session: &mut impl WriteSession) -> Result<UncommittedJob, Error> {
        let Self { model, plan, sink, hooked, .. } = self;
        let (hooked, mut changes) = (hooked.as_ref(), vec![]);
        let run = JobRun {
            session: &mut *session,
            model,
            plan,
            sink,
            hooked,
            changes: &mut changes,
            stale: false,
        };
        let settled = run.run();
        let statements = session.statements().take_count();
        Ok(UncommittedJob { outcome: settled?, statements, changes })
    }

    /// Returns the job if it should be begun now.
    pub(super) fn take(self) -> Option<Self> {
        let job = self.still_wanted()?;
        if job.claim.take() { None } else { Some(job) }
    }

    /// Returns the job if it should still be run. A write for a disconnected client would be
    /// reported to nobody. A client that has waited too long should rather retry than wait behind
    /// more writes.
    pub(super) fn still_wanted(self) -> Option<Self> {
        if self.reply.is_closed() {
            tracing::debug!("a write was skipped: its client has disconnected");
            return None;
        }
        if self.since.elapsed() > limits::WRITE_WAIT_MAX {
            self.answer(Err(too_late()));
            return None;
        }
        Some(self)
    }

    /// Sends the result to the waiting request. Hooks after the commit start here, since the
    /// request may be gone.
    pub(super) fn answer(self, done: Result<UncommittedJob, Error>) {
        let Self { plan, sink, hooked, reply, .. } = self;
        let ran = done.and_then(|UncommittedJob { outcome: settled, statements, changes }| {
            let outcome = settled.map_err(|error| error.after(statements))?;
            if let Some(hooked) = hooked {
                hooked.committed(changes);
            }
            Ok(PlanResult { statements, ..PlanResult::new(outcome, sink) })
        });
        // The client may repeat an idempotent request as soon as it is answered; its registration
        // must have ended by then.
        drop(plan);
        if reply.send(ran).is_err() {
            tracing::debug!("the result of a write was discarded: its client has disconnected");
        }
    }
}

/// Whether a request waits for a write. Clones refer to the same write.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiter(Arc<AtomicBool>);

impl Waiter {
    /// Records that nobody waits any more.
    pub(super) fn leave(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_left(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
impl PendingWrite {
    /// Returns the result once it is there, or when the thread ends.
    pub(super) fn now(self) -> JobResult {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(self.answer(None))
    }
}
