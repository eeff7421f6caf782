//! Exports: whole collections that are rendered while they are sent. Each export runs on its own
//! thread, so no worker thread waits for it.
//!
//! An export reads one snapshot. It holds only a few chunks in memory, whatever the size of the
//! table. It waits for a slow client up to a time limit. An export that is cut off ends with a
//! connection error, so a client cannot take it for complete. For a range request the content is
//! rendered twice: first to find its length, then to send the range.

mod content;
mod pipe;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Instant,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    time::timeout,
};

pub(super) use self::content::ExportContent;
use self::pipe::Pipe;
use crate::{
    base::{
        error::{Error, text},
        limits, priority,
    },
    http::{
        body::{CutOffError, Stream},
        range::{Cut, Portion},
    },
    model::Model,
    plan::{
        Outcome, Plan,
        validator::{CurrentState, Form, NO_TAG},
    },
    store::{
        ExportRendering, PlanResult,
        end_demand::EndDemand,
        failure::{self, Failure, FailureKind},
        read, refusal,
        session::{ReadSession, Session, Statements as _},
        sink::Sink,
    },
};

/// The increment of the nice value for the threads of exports. Reads of single members run first,
/// but exports still progress beside them.
const NICE: i32 = 10;
/// The number of chunks that may wait to be sent on the connection.
const CHUNKS_MAX: usize = 2;
/// The value of `Retry-After` when an export is refused, in seconds.
const RETRY_SECONDS: u16 = 10;

/// The limit on the number of exports that a store runs at the same time.
pub(super) struct Exports(Arc<Semaphore>);

impl Exports {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(limits::EXPORTS_MAX)))
    }

    /// The number of exports that run.
    pub(super) fn running(&self) -> usize {
        limits::EXPORTS_MAX - self.0.available_permits()
    }

    /// Waits until fewer exports run than the limit allows, for at most
    /// [`limits::EXPORT_WAIT_MAX`]. Then refuses the export with 503.
    pub(super) async fn permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let waited = timeout(limits::EXPORT_WAIT_MAX, Arc::clone(&self.0).acquire_owned()).await;
        let permit = waited.ok().and_then(Result::ok);
        permit.ok_or_else(|| {
            Error::unavailable(text!("Too many exports are running."), RETRY_SECONDS)
        })
    }
}

/// The start of an export. `Ok` holds the total number of members, if it was requested, and the
/// validators. `Err` holds the outcome, such as a 304 or a 404, of a request that needs no export.
type ExportStart = Result<(Option<u64>, CurrentState), Outcome>;

fn begin_export(
    session: &mut impl Session,
    model: &Arc<Model>,
    plan: &Plan,
) -> Result<ExportStart, Failure> {
    let (list, count) = plan.steps.split_first().ok_or_else(no_page)?;
    let current = session.current(model, plan.reads.as_ref().ok_or_else(no_page)?)?;
    let refused =
        refusal::broken(&mut session.acting_for(&plan.caller), model, list)?.map(Outcome::Refused);
    if let Some(outcome) = refused.or_else(|| read::early_outcome(&plan.guard, current)) {
        return Ok(Err(outcome));
    }
    let statements = &mut session.acting_for(&plan.caller);
    let total = count.first().map(|count| read::total(statements, model, count)).transpose()?;
    Ok(Ok((total, current)))
}

fn no_page() -> Failure {
    Failure::internal("the plan of an export has no list step or no sources")
}

/// Returns the result of an export request that needs no content, or `None` if the export must run.
///
/// HEAD requests and requests for an unchanged collection therefore need no export slot.
pub(super) fn preview(
    session: &mut impl ReadSession,
    model: &Arc<Model>,
    plan: &Plan,
    bare: bool,
) -> Result<Option<PlanResult>, Error> {
    let conditional = !plan.guard.conditions.is_empty();
    if !bare && !conditional {
        return Ok(None);
    }
    let start = session.snapshot(|session| begin_export(session, model, plan));
    let statements = session.statements().take_count();
    let outcome = match start {
        Ok(Err(outcome)) => outcome,
        Ok(Ok((total, current))) if bare => {
            Outcome::Exported { total, current, content: Stream::ENDED }
        }
        Ok(_) => return Ok(None),
        // Counting all members took too long. The thread of the export has more time to count.
        Err(failure) if failure.kind == FailureKind::Interrupted => return Ok(None),
        Err(failure) => return Err(failure.into()),
    };
    Ok(Some(PlanResult { statements, ..PlanResult::new(outcome, Sink::Nothing) }))
}

/// Returns the result that an export reports before it sends its first member.
fn start_result(session: &mut impl Session, outcome: Outcome) -> PlanResult {
    PlanResult {
        statements: session.statements().take_count(),
        ..PlanResult::new(outcome, Sink::Nothing)
    }
}

/// Runs an export on a new thread with its own session. Returns the result as soon as the export
/// begins, before the first member is sent. The result may have no content.
pub(super) async fn start(
    session: impl ReadSession + Send + 'static,
    permit: OwnedSemaphorePermit,
    content: ExportContent,
) -> Result<PlanResult, Error> {
    let (answer, answered) = oneshot::channel();
    let until = Instant::now() + limits::EXPORT_TIME_MAX;
    let work = move || {
        priority::lower(NICE);
        let demand = EndDemand::new("an export");
        Export { content, answer: Some(answer), until, demand }.run(session);
        drop(permit);
    };
    thread::Builder::new().name("nouns-export".into()).spawn(work).map_err(Error::internal)?;
    answered
        .await
        .unwrap_or_else(|_| Err(Error::internal("the thread of an export ended without a result")))
}

/// The sender of the result of an export. The result is sent before the first member.
type ResultSender = oneshot::Sender<Result<PlanResult, Error>>;

struct Export {
    content: ExportContent,
    answer: Option<ResultSender>,
    /// The time at which the export is ended, even if it is incomplete.
    until: Instant,
    /// The signal that the export must end before.
    demand: Arc<EndDemand>,
}

impl Export {
    fn run(mut self, mut session: impl ReadSession) {
        let mut pipe = None;
        if let Err(error) = session.end_at(self.until, &self.demand) {
            return self.say(Err(error));
        }
        let result = catch_unwind(AssertUnwindSafe(|| {
            session.snapshot(|session| {
                pipe = self.begin(session)?;
                pipe.as_mut().map_or(Ok(()), |pipe| self.send(session, pipe))
            })
        }));
        let (error, why) = match result {
            // The snapshot has ended, so the error may wait for the client.
            Ok(Ok(())) => return pipe.iter().for_each(Pipe::tell_cut),
            Ok(Err(failure)) => {
                let why = match failure.kind {
                    FailureKind::Interrupted if self.demand.has_come() => CutOffError::Snapshot,
                    FailureKind::Interrupted => CutOffError::Time,
                    _ => CutOffError::Database,
                };
                (failure.into(), why)
            }
            Err(panic) => (failure::panicked("an export", &*panic), CutOffError::Database),
        };
        match pipe {
            None => self.say(Err(error)),
            Some(pipe) => {
                let cause = error.source().map(ToString::to_string);
                tracing::error!(target: "nouns", cause, "an export was cut off");
                pipe.cut(why);
            }
        }
    }

    /// Begins the export and sends its result. Returns `None` if there is no content to send.
    fn begin(&mut self, session: &mut impl Session) -> Result<Option<Pipe>, Failure> {
        let (total, current) = match begin_export(session, &self.content.model, &self.content.plan)?
        {
            Ok(start) => start,
            Err(outcome) => {
                self.say(Ok(start_result(session, outcome)));
                return Ok(None);
            }
        };
        if self.content.rendering.bare {
            let outcome = Outcome::Exported { total, current, content: Stream::ENDED };
            self.say(Ok(start_result(session, outcome)));
            return Ok(None);
        }
        let cut = match self.cut(session, current)? {
            ExportCut::Whole => None,
            ExportCut::Part(cut) => Some(cut),
            ExportCut::TooLong(error) => {
                self.say(Err(error));
                return Ok(None);
            }
        };
        let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
        let window = cut.as_ref().map(Cut::window);
        let pipe = Pipe::new(sender, window, self.until, &self.demand);
        let Some(pipe) = pipe else {
            return Err(Failure::internal("no timer could be created for an export"));
        };
        let outcome = Outcome::Exported { total, current, content: Stream::new(receiver, cut) };
        let begun = start_result(session, outcome);
        self.say(Ok(PlanResult { statements: begun.statements + 1, ..begun }));
        Ok(Some(pipe))
    }

    /// Returns the part of the export to send: the requested range if it applies to the current
    /// state, otherwise the whole content. To find the length, the content is rendered once without
    /// being sent.
    fn cut(&self, session: &mut impl Session, current: CurrentState) -> Result<ExportCut, Failure> {
        let ExportRendering { format, coding, portion, .. } = &self.content.rendering;
        let tag = Form::collection(*format).tag(current.tag, *coding);
        let portion =
            portion.as_ref().filter(|portion| current.tag != NO_TAG && portion.is_of(&tag));
        let Some(Portion { ranges, .. }) = portion.filter(|portion| !portion.ranges.are_too_many())
        else {
            return Ok(ExportCut::Whole);
        };
        let mut count = Count { bytes: 0, answer: self.answer.as_ref(), until: self.until };
        let mut counted = false;
        self.content.make(session.statements(), |chunk| {
            counted = count.take(&chunk);
            counted
        })?;
        if counted {
            let cut = Cut::of_stream(ranges, count.bytes, format.media_type());
            return Ok(ExportCut::Part(cut));
        }
        let too_long = text!(
            "Finding the length of this export took too long. Without `Range`, it is sent at once."
        );
        Ok(ExportCut::TooLong(Error::unavailable(too_long, RETRY_SECONDS)))
    }

    fn send(&self, session: &mut impl Session, pipe: &mut Pipe) -> Result<(), Failure> {
        if pipe.is_open() {
            self.content.make(session.statements(), |chunk| pipe.send(chunk))?;
        }
        pipe.end();
        Ok(())
    }

    fn say(&mut self, result: Result<PlanResult, Error>) {
        // If the receiver was dropped, nobody waits for the result.
        self.answer.take().map(|answer| answer.send(result).ok());
    }
}

/// The part of an export that is sent.
enum ExportCut {
    Whole,
    Part(Cut),
    /// Finding the length of the content takes too long.
    TooLong(Error),
}

/// A counter of the bytes of an export. It stops when the client disconnects or the time is over.
struct Count<'export> {
    bytes: u64,
    answer: Option<&'export ResultSender>,
    until: Instant,
}

impl Count<'_> {
    /// Counts the bytes of a chunk. Returns whether to continue.
    fn take(&mut self, chunk: &[u8]) -> bool {
        self.bytes += chunk.len() as u64;
        Instant::now() < self.until && self.answer.is_some_and(|answer| !answer.is_closed())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_has_gone_or_waits_too_long_is_counted_nothing_for() {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + Duration::from_secs(60);
        let mut count = Count { bytes: 0, answer: Some(&answer), until };
        assert!(count.take(b"abc") && count.take(b"d"));
        assert_eq!(count.bytes, 4);
        assert!(!Count { bytes: 0, answer: Some(&answer), until: Instant::now() }.take(b"a"));
        drop(answered);
        assert!(!count.take(b"e"));
    }
}
