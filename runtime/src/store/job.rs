//! Jobs. A job is a queued write, held as data so that it can be run again. A request waits for its
//! job with a [`PendingWrite`].

mod conflicts;
mod hooked;
#[cfg(feature = "postgres")]
mod needs;
mod program;
mod questions;
mod readable;
mod run;
mod transaction;
mod triggered;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time::timeout};

pub(super) use self::program::ProgramTransaction;
#[cfg(feature = "postgres")]
pub(super) use self::run::WrittenMember;
use self::run::{JobOutcome, JobRun};
use crate::{
    base::{
        error::{Error, Kind, text},
        limits,
    },
    model::{Model, value::Value},
    plan::{Outcome, Plan, grant::GrantChange},
    store::{
        PlanResult,
        behaviour::{ChangedMember, WriteHooks},
        failure, inside,
        session::{Statements as _, WriteSession},
        sink::Sink,
    },
};

/// The size from which a write is large, in bytes of its text values. A write of this size takes
/// about a millisecond, and runs in its own transaction.
pub(super) const LARGE_BYTES_MIN: usize = 64 * 1024;
/// The value of `Retry-After` in seconds, for a client that found the queue full or waited in the
/// queue for too long.
const RETRY_SECONDS: u16 = 1;

/// The value of `Retry-After` in seconds, for a write that took too long.
const RETRY_SLOW_SECONDS: u16 = 10;

pub(super) type JobResult = Result<PlanResult, Error>;

/// A queued write, held as data so that it can be run again. It is in its box from the start, since
/// it is passed on many times.
pub(super) struct Job {
    model: Arc<Model>,
    work: Work,
    /// The number of bytes of the text values of the plan.
    bytes: usize,
    room: Option<QueueMemory>,
    pub(super) queued_at: Instant,
    claim: JobClaim,
    waiter: Waiter,
    reply: oneshot::Sender<JobResult>,
}

/// The work of a job.
enum Work {
    /// A plan of a request or a typed call.
    Plan(Box<PlannedWrite>),
    /// A transaction of the program.
    Program(ProgramTransaction),
    /// A change of sessions or tokens.
    Grants(GrantChange),
}

/// A plan that writes, the sink for the written members, and the hooks of the write.
struct PlannedWrite {
    plan: Plan,
    sink: Sink,
    hooks: Option<WriteHooks>,
    /// The changes that the last run has made. The hooks after the commit receive them.
    changes: Vec<ChangedMember>,
}

/// A job that has run in a transaction that is not committed yet.
pub(super) struct UncommittedJob {
    outcome: JobOutcome,
    statements: u32,
}

/// The memory that a large queued write takes from the limit of the queue. Dropping this value
/// releases the memory.
struct QueueMemory {
    taken: Arc<AtomicUsize>,
    bytes: usize,
}

impl QueueMemory {
    /// Reserves memory for a write, or returns `None` if the limit is exceeded. A write of any size
    /// fits if no other write has reserved memory.
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

/// The claim to a write, which can be taken once. The writer takes it before it runs the write. The
/// waiting request takes it after its timeout. The write is then never run.
#[derive(Clone, Debug, Default)]
struct JobClaim(Arc<AtomicBool>);

impl JobClaim {
    /// Takes the claim. Returns true if it was already taken.
    fn take(&self) -> bool {
        self.0.swap(true, Ordering::AcqRel)
    }
}

/// The handle with which a request waits for its write.
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
    /// Whether the write has ended, or was refused.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.answer.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    /// Waits for the result of the write. `patience` limits the time until the write begins; a
    /// write that has not begun by then is never run. Once the write has begun, the wait has no
    /// limit. If there is a limit, the caller needs a Tokio runtime with its timer enabled.
    pub(super) async fn answer(mut self, patience: Option<Duration>) -> JobResult {
        let answer = match patience {
            None => (&mut self.answer).await,
            Some(patience) => match timeout(patience, &mut self.answer).await {
                Ok(answer) => answer,
                Err(_) if self.claim.take() => (&mut self.answer).await,
                Err(_) => return Err(too_late()),
            },
        };
        answer.unwrap_or_else(|_| Err(Error::internal("the writer ended without a result")))
    }
}

/// Creates the error (503) for a write when the queue is full.
pub(super) fn too_many() -> Error {
    Error::unavailable(text!("Too many writes are waiting."), RETRY_SECONDS)
}

/// Creates the error for a deletion that would change more rows than the limit `most`.
pub(super) fn too_many_rows(most: u64) -> Error {
    let detail = text!(
        "The deletion was not done: it would change more than {most} rows, including rows that refer to deleted rows. Delete fewer members at once.",
        most
    );
    Error::new(Kind::DELETION_TOO_LARGE, detail)
}

/// Creates the error (503) for a write that takes too long.
pub(super) fn too_slow() -> Error {
    let most = limits::WRITE_TIME_MAX.as_secs();
    let detail = text!(
        "The write was interrupted, and changed nothing: it took longer than {most} seconds.",
        most
    );
    Error::unavailable(detail, RETRY_SLOW_SECONDS)
}

/// Creates the error (503) for a write after the store was closed.
pub(super) fn closed() -> Error {
    Error::unavailable(text!("The database is closed."), RETRY_SECONDS)
}

fn too_late() -> Error {
    Error::unavailable(text!("The write has waited too long in the queue."), RETRY_SECONDS)
}

/// The number of bytes of the text values of a plan.
pub(super) fn text_bytes(plan: &Plan) -> usize {
    let text = |value: &Value| if let Value::Text(text) = value { text.len() } else { 0 };
    plan.steps.iter().flat_map(|step| &step.values).map(text).sum()
}

impl Job {
    /// Creates the job of a plan.
    pub(super) fn of_plan(
        model: Arc<Model>,
        plan: Plan,
        sink: Sink,
        hooks: Option<WriteHooks>,
    ) -> (Box<Self>, PendingWrite) {
        let bytes = text_bytes(&plan);
        Self::new(
            model,
            Work::Plan(Box::new(PlannedWrite { plan, sink, hooks, changes: vec![] })),
            bytes,
        )
    }

    /// Creates the job of a transaction of the program.
    pub(super) fn of_program(
        model: Arc<Model>,
        program: ProgramTransaction,
    ) -> (Box<Self>, PendingWrite) {
        Self::new(model, Work::Program(program), 0)
    }

    /// Creates the job of a change of sessions or tokens.
    pub(super) fn of_grants(model: Arc<Model>, change: GrantChange) -> (Box<Self>, PendingWrite) {
        Self::new(model, Work::Grants(change), 0)
    }

    fn new(model: Arc<Model>, work: Work, bytes: usize) -> (Box<Self>, PendingWrite) {
        let ((reply, answer), claim, waiter) =
            (oneshot::channel(), JobClaim::default(), Waiter::default());
        let waiting = PendingWrite { answer, claim: claim.clone(), waiter: waiter.clone() };
        let queued_at = Instant::now();
        let job = Self { model, work, bytes, room: None, queued_at, claim, waiter, reply };
        (Box::new(job), waiting)
    }

    /// Reserves memory in the queue if the job is large. Fails if the memory of the queue is used
    /// up.
    pub(super) fn take_room(&mut self, taken: &Arc<AtomicUsize>) -> Result<(), Error> {
        if self.is_large() {
            self.room = Some(QueueMemory::take(taken, self.bytes).ok_or_else(too_many)?);
        }
        Ok(())
    }

    /// Whether the job is large. Small jobs take precedence over large ones.
    pub(super) const fn is_large(&self) -> bool {
        self.bytes >= LARGE_BYTES_MIN
    }

    /// Returns the flag that says whether a request still waits for this job.
    pub(super) const fn waiter(&self) -> &Waiter {
        &self.waiter
    }

    /// Runs the job in an open transaction. After an error, the transaction cannot be used.
    pub(super) fn run(&mut self, session: &mut impl WriteSession) -> Result<UncommittedJob, Error> {
        let model = &self.model;
        let outcome = match &mut self.work {
            Work::Plan(write) => write.run(session, model),
            Work::Program(program) => program.run(session, model),
            Work::Grants(change) => match session.change_grants(change) {
                Ok(count) => Ok(JobOutcome::Done(Outcome::Deleted(count))),
                Err(failure) => Err(failure.into()),
            },
        };
        let statements = session.statements().take_count();
        Ok(UncommittedJob { outcome: outcome?, statements })
    }

    /// Takes the claim to the job. Returns the job, or `None` if it should not be run any more.
    pub(super) fn take(self: Box<Self>) -> Option<Box<Self>> {
        let job = self.still_wanted()?;
        if job.claim.take() { None } else { Some(job) }
    }

    /// Returns the job, or `None` if it should not be run any more. A write is skipped if its
    /// client has disconnected, since nobody would receive the result. A write that has waited too
    /// long is refused, so that its client retries later.
    pub(super) fn still_wanted(self: Box<Self>) -> Option<Box<Self>> {
        if self.reply.is_closed() {
            tracing::debug!("a write was skipped: its client has disconnected");
            return None;
        }
        if self.queued_at.elapsed() > limits::WRITE_WAIT_MAX {
            self.answer(Err(too_late()));
            return None;
        }
        Some(self)
    }

    /// Sends the result to the waiting request. Hooks after the commit are started even if the
    /// request has been dropped.
    ///
    /// This drops the closure of a transaction, and perhaps its result: values of user code. If
    /// their `Drop` panics, or calls the store, that must not hurt other jobs.
    pub(super) fn answer(self: Box<Self>, result: Result<UncommittedJob, Error>) {
        let answered =
            catch_unwind(AssertUnwindSafe(|| inside::run(|| self.answer_unguarded(result))));
        if let Err(panic) = answered {
            let error = failure::panicked("the drop of a transaction's closure", &*panic);
            tracing::error!(target: "nouns", cause = ?error.source(), "a panic after a write");
        }
    }

    fn answer_unguarded(self: Box<Self>, result: Result<UncommittedJob, Error>) {
        let Self { work, reply, .. } = *self;
        // A client may repeat an idempotent request as soon as it receives the response. The
        // closure drops the plan, which ends the registration of the request as in progress.
        let result = result.and_then(move |UncommittedJob { outcome, statements }| match outcome {
            JobOutcome::Done(outcome) => {
                Ok(PlanResult { statements, ..PlanResult::new(outcome, work.committed()) })
            }
            JobOutcome::Declined(error) => Err(error.after(statements)),
        });
        if reply.send(result).is_err() {
            tracing::debug!("the result of a write was discarded: its client has disconnected");
        }
    }
}

impl Work {
    /// Starts the hooks that run after the commit. Returns the sink, with the written members of a
    /// plan.
    fn committed(self) -> Sink {
        match self {
            Self::Plan(write) => {
                let PlannedWrite { sink, hooks, changes, .. } = *write;
                if let Some(hooks) = hooks {
                    hooks.committed(changes);
                }
                sink
            }
            Self::Program(program) => {
                program.committed();
                Sink::Nothing
            }
            Self::Grants(_) => Sink::Nothing,
        }
    }
}

impl PlannedWrite {
    fn run(
        &mut self,
        session: &mut impl WriteSession,
        model: &Arc<Model>,
    ) -> Result<JobOutcome, Error> {
        let Self { plan, sink, hooks, changes } = self;
        let hooked = hooks.as_ref();
        JobRun { session, model, plan, sink, hooked, changes, stale: false }.run()
    }
}

/// A flag that says whether a request still waits for a write. Clones refer to the same write.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiter(Arc<AtomicBool>);

impl Waiter {
    /// Records that no request waits for the write any more.
    pub(super) fn leave(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_left(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
impl Job {
    /// The plan of the job.
    pub(super) fn plan(&mut self) -> &mut Plan {
        match &mut self.work {
            Work::Plan(write) => &mut write.plan,
            Work::Program(_) | Work::Grants(_) => panic!("the job has no plan"),
        }
    }
}

#[cfg(test)]
impl PendingWrite {
    /// Blocks the thread until the result is received, or until the writer thread has ended.
    pub(super) fn now(self) -> JobResult {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(self.answer(None))
    }
}
