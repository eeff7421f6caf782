//! A write as data, which waits for its turn and can be run again, and the place of whoever waits
//! for it.

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

/// From how many bytes of its values on a write is large: it takes about a millisecond, and runs in
/// a transaction of its own.
pub(super) const LARGE_BYTES_MIN: usize = 64 * 1024;
/// After how many seconds a client tries again that found the queue full, or waited in it for too
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

/// A job that was run and is not yet committed.
pub(super) struct UncommittedJob {
    pub(super) outcome: JobOutcome,
    pub(super) statements: u32,
    pub(super) changes: Vec<ChangedMember>,
}

/// What a large write that waits takes of the memory of the queue; it is free when this is dropped.
struct QueueMemory {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl QueueMemory {
    /// Takes room for a write; one alone always has it.
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

/// Who waits for a write for too long takes it, and so does the writer that begins it: whoever
/// comes first has it.
#[derive(Clone, Debug, Default)]
struct JobClaim(Arc<AtomicBool>);

impl JobClaim {
    /// Takes it, and says whether that is not the first time.
    fn take(&self) -> bool {
        self.0.swap(true, Ordering::AcqRel)
    }
}

/// The place of somebody who waits for a write.
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
    /// Waits for the answer, which a write that is begun has, however long that takes. With
    /// patience, one that is not begun in time never is; to measure that, the runtime must have its
    /// time enabled.
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

/// The refusal of a write that finds no room in the queue.
pub(super) fn too_many() -> Error {
    Error::unavailable(text!("Too many writes wait."), RETRY_SECONDS)
}

/// The refusal of a deletion that would change more rows than it may.
pub(super) fn too_many_rows(most: u64) -> Error {
    let detail = text!(
        "The deletion was not done: it would change more than {most} rows, with those that refer to what it deletes. Delete in smaller parts.",
        most
    );
    Error::new(Kind::DELETION_TOO_LARGE, detail)
}

/// The refusal of a write after the end of the store.
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

    /// Takes room for what it has of the memory of a queue, where it is large.
    pub(super) fn take_room(&mut self, taken: &Arc<AtomicUsize>) -> Result<(), Error> {
        if self.is_large() {
            self.room = Some(QueueMemory::take(taken, self.bytes).ok_or_else(too_many)?);
        }
        Ok(())
    }

    /// Whether others go first.
    pub(super) const fn is_large(&self) -> bool {
        self.bytes >= LARGE_BYTES_MIN
    }

    /// Whoever waits for it.
    pub(super) const fn waiter(&self) -> &Waiter {
        &self.waiter
    }

    /// Runs it in an open transaction; after an error that is of no use.
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

    /// The job, if it is to be begun now.
    pub(super) fn take(self) -> Option<Self> {
        let job = self.still_wanted()?;
        if job.claim.take() { None } else { Some(job) }
    }

    /// The job, where it is still to be done: nobody is told of a write that was done for one who
    /// has gone, and who has waited for too long is better told to come again than kept waiting
    /// behind more of the kind.
    pub(super) fn still_wanted(self) -> Option<Self> {
        if self.reply.is_closed() {
            tracing::debug!("a write was not done: its request has gone");
            return None;
        }
        if self.since.elapsed() > limits::WRITE_WAIT_MAX {
            self.answer(Err(too_late()));
            return None;
        }
        Some(self)
    }

    /// Tells who waits. Hooks learn of a commit here, for who waits may have gone.
    pub(super) fn answer(self, done: Result<UncommittedJob, Error>) {
        let Self { plan, sink, hooked, reply, .. } = self;
        let ran = done.and_then(|UncommittedJob { outcome: settled, statements, changes }| {
            let outcome = settled.map_err(|error| error.after(statements))?;
            if let Some(hooked) = hooked {
                hooked.committed(changes);
            }
            Ok(PlanResult { statements, ..PlanResult::new(outcome, sink) })
        });
        // A request that is done once may be sent again as soon as it is answered; then its place
        // must be free.
        drop(plan);
        if reply.send(ran).is_err() {
            tracing::debug!("a write was done for a request that has gone");
        }
    }
}

/// Whether somebody waits for a write. Clones are of the same write.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiter(Arc<AtomicBool>);

impl Waiter {
    /// Notes that nobody waits any more.
    pub(super) fn leave(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_left(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
impl PendingWrite {
    /// The answer that is there, or comes when the thread ends.
    pub(super) fn now(self) -> JobResult {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(self.answer(None))
    }
}
