//! The run of a write job: its transaction, the further attempts, and the commit.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use uuid::Uuid;

use super::{
    fate::{self, Fate, TransactionMark},
    fault::{self, Remedy},
    home::Home,
    pool::{PooledSession as _, ThreadConnection},
    slots::UsedSlot,
    wire::WaitLimit,
    writer::{self, WriteConnection},
};
use crate::{
    base::{error::Error, limits},
    store::{
        failure::{self, Failure},
        job::{Job, UncommittedJob},
        session::{Session as _, Statements as _},
    },
};

/// The maximum number of attempts of a job that meets other transactions.
const TRIES_MAX: u32 = 30;
/// The longest pause before the second attempt. It doubles with each further one.
const PAUSE: Duration = Duration::from_millis(4);
const PAUSE_MAX: Duration = Duration::from_millis(250);

/// The result of an attempt.
enum JobAttempt {
    Done(UncommittedJob),
    /// Nothing was changed. The error is that of the job, unless it can run again.
    Failed(Error, Remedy),
}

/// Runs a job until it is committed, refused or out of time, and answers it.
pub(super) fn serve(connection: &mut ThreadConnection<WriteConnection>, job: Box<Job>) {
    let Some(mut job) = job.take() else { return };
    let limit = writer::deadline(limits::WRITE_TIME_MAX);
    let result = attempts(connection, &mut job, &limit);
    job.answer(result);
}

fn attempts(
    connection: &mut ThreadConnection<WriteConnection>,
    job: &mut Job,
    limit: &WaitLimit,
) -> Result<UncommittedJob, Error> {
    let mut tries = 0;
    loop {
        tries += 1;
        let (error, remedy) = match attempt(connection, job, limit)? {
            JobAttempt::Done(outcome) => return Ok(outcome),
            JobAttempt::Failed(error, remedy) => (error, remedy),
        };
        let may_end = tries >= TRIES_MAX || limit.is_over();
        match remedy {
            Remedy::None | Remedy::MoreTime => return Err(error),
            _ if may_end => return Err(error),
            Remedy::Again => pause(tries),
            Remedy::Prepare => {
                if let Ok(session) = connection.session(limit) {
                    session.handle().forget_statements();
                }
            }
            // A second connection may have been closed while it was idle, too, but not all of them
            // for as long as the job may take.
            Remedy::Connect if tries > 2 => return Err(error),
            Remedy::Connect => connection.disconnect(),
        }
    }
}

/// Pauses for a random part of a time that grows with each attempt.
fn pause(tries: u32) {
    let most = PAUSE.saturating_mul(1 << tries.min(6)).min(PAUSE_MAX);
    let chance = Uuid::new_v4().as_u128() % most.as_micros().max(1);
    thread::sleep(Duration::from_micros(chance as u64));
}

/// Runs a job once. An error means that its fate is unknown, or that there is no connection.
fn attempt(
    connection: &mut ThreadConnection<WriteConnection>,
    job: &mut Job,
    limit: &WaitLimit,
) -> Result<JobAttempt, Error> {
    let home = Arc::clone(connection.home());
    let session = connection.session(limit)?;
    let slot = match session.slot(&home) {
        Ok(slot) => slot,
        Err(failure) => return Ok(rolled_back(session, failure.into())),
    };
    let ran = catch_unwind(AssertUnwindSafe(|| -> Result<UncommittedJob, Error> {
        session.begin(&home, job, &slot)?;
        job.run(session)
    }));
    let ran = ran.unwrap_or_else(|panic| Err(failure::panicked("a write", &*panic)));
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error) => return Ok(undone(session, &slot, error)),
    };
    match session.finish(&slot) {
        Err(failure) => return Ok(undone(session, &slot, failure.into())),
        Ok(false) => {
            session.handle().roll_back();
            return Ok(JobAttempt::Done(outcome));
        }
        Ok(true) => {}
    }
    let (transaction, begun) = (session.transaction(), Instant::now());
    match session.handle().end("COMMIT") {
        Ok(()) => {
            home.note_commit(begun.elapsed(), 1);
            Ok(JobAttempt::Done(outcome))
        }
        Err(failure) => {
            let remedy = session.handle().take_remedy();
            if session.handle().wire().is_usable() {
                // The server has refused the commit, so it has rolled back.
                session.handle().roll_back();
                return Ok(JobAttempt::Failed(failure.into(), remedy));
            }
            slot.lose();
            connection.disconnect();
            settled(&home, transaction.as_ref(), failure, outcome)
        }
    }
}

/// Decides about a job whose COMMIT had no answer.
fn settled(
    home: &Arc<Home>,
    transaction: Option<&TransactionMark>,
    failure: Failure,
    outcome: UncommittedJob,
) -> Result<JobAttempt, Error> {
    match fate::of(home, transaction) {
        Fate::Committed => Ok(JobAttempt::Done(outcome)),
        Fate::Aborted => Ok(JobAttempt::Failed(failure.into(), Remedy::Again)),
        Fate::Unknown => {
            tracing::error!(target: "nouns", "the connection was lost during a commit: whether the write was done is not known");
            Err(fault::in_doubt())
        }
    }
}

/// Rolls back a job that has failed. Without its connection, the server may do so much later, so
/// nobody else uses its slot.
fn undone(session: &mut WriteConnection, slot: &UsedSlot, error: Error) -> JobAttempt {
    if !session.handle().wire().is_usable() {
        slot.lose();
    }
    rolled_back(session, error)
}

fn rolled_back(session: &mut WriteConnection, error: Error) -> JobAttempt {
    let remedy = match session.handle().take_remedy() {
        // The connection was lost between two statements.
        Remedy::None if !session.handle().wire().is_usable() => Remedy::Connect,
        remedy => remedy,
    };
    // A job that panicked has not reset the count of its statements.
    session.statements().take_count();
    session.handle().roll_back();
    JobAttempt::Failed(error, remedy)
}
