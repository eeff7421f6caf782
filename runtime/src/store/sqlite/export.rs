//! Whole collections, made while they are sent: on threads of their own, so that no worker waits for them.
//!
//! An export is one snapshot. It holds a chunk or two in memory, whatever the size of the table, and waits for a slow client
//! no longer than a limit; cut off, it ends in an error, and never as if it were complete.

use std::{sync::Arc, thread, time::Instant};

use bytes::Bytes;
use tokio::{
    runtime::Runtime,
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    time::{timeout, timeout_at},
};

use super::{
    fault,
    lane::{Lane, Lanes},
    read, refusal,
    slow::lower_priority,
};
use crate::{
    body::{CutOff, Stream},
    coding::Encoder,
    error::{Error, text},
    limits,
    model::Model,
    negotiate::Coding,
    plan::{Outcome, Plan, Step},
    sink::{RowSink, Sink},
    store::Ran,
    validator::Current,
};

/// The octets of a chunk: large enough that what is done once for each does not count.
const CHUNK_BYTES: usize = 64 * 1024;
/// How many chunks wait for the connection.
const CHUNKS_MAX: usize = 2;
/// The seconds after which a client that was refused may ask again.
const RETRY_SECONDS: u16 = 10;

/// The exports that a store makes at the same time.
pub(super) struct Exports(Arc<Semaphore>);

/// The right to make one, and the connection it is made on.
pub(super) struct Licence {
    lane: Lane,
    permit: OwnedSemaphorePermit,
}

impl Exports {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(limits::EXPORTS_MAX)))
    }

    /// Waits for a place, and not for long.
    pub(super) async fn lane(&self, lanes: &Lanes) -> Result<Licence, Error> {
        let waited = timeout(limits::EXPORT_WAIT_MAX, Arc::clone(&self.0).acquire_owned()).await;
        let permit = waited
            .ok()
            .and_then(Result::ok)
            .ok_or_else(|| Error::unavailable(text!("Too many exports are being made."), RETRY_SECONDS))?;
        Ok(Licence { lane: lanes.long()?, permit })
    }
}

/// What is known of an export before its first member: its total where that was asked for, and its validators; or why
/// nothing is to be sent.
type Known = Result<(Option<u64>, Current), Outcome>;

fn known(lane: &mut Lane, model: &Arc<Model>, plan: &Plan) -> rusqlite::Result<Known> {
    let (list, count) = plan.steps.split_first().ok_or(rusqlite::Error::InvalidQuery)?;
    let current = lane.current(model, plan.guard.seed, &plan.reads)?;
    let refused = refusal::broken(&mut lane.handle, model, list)?.map(Outcome::Refused);
    if let Some(outcome) = refused.or_else(|| read::stopped(&plan.guard, current)) {
        return Ok(Err(outcome));
    }
    let total = count.first().map(|count| read::total(&mut lane.handle, model, count)).transpose()?;
    Ok(Ok((total, current)))
}

/// What an export would begin with, where that is all that is wanted of it; nothing where it is to be made.
///
/// So that neither an unchanged collection nor HEAD waits for a place among the exports.
pub(super) fn look(
    lane: &mut Lane,
    model: &Arc<Model>,
    plan: &Plan,
    bare: bool,
) -> Result<Option<Ran>, Error> {
    let conditional = !plan.guard.conditions.is_empty();
    if !bare && !conditional {
        return Ok(None);
    }
    let known = lane.snapshot(|lane| known(lane, model, plan)).map_err(|cause| fault::error(&cause))?;
    let outcome = match known {
        Err(outcome) => outcome,
        Ok((total, current)) if bare => Outcome::Exported { total, current, content: Stream::ENDED },
        Ok(_) => return Ok(None),
    };
    Ok(Some(Ran { outcome, sink: Sink::Nothing, statements: lane.handle.take_statements() }))
}

/// Begins an export, and says what came of it before its first member: it may turn out that nothing is sent.
pub(super) async fn start(
    Licence { lane, permit }: Licence,
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    coding: Coding,
) -> Result<Ran, Error> {
    let (answer, answered) = oneshot::channel();
    let work = move || {
        lower_priority();
        let export = Export { model, plan, sink, coding, answer: Some(answer) };
        export.run(lane);
        drop(permit);
    };
    thread::Builder::new().name("nouns-export".into()).spawn(work).map_err(Error::internal)?;
    answered.await.unwrap_or_else(|_| Err(Error::internal("an export ended before it began")))
}

struct Export {
    model: Arc<Model>,
    plan: Plan,
    sink: Sink,
    coding: Coding,
    answer: Option<oneshot::Sender<Result<Ran, Error>>>,
}

impl Export {
    fn run(mut self, mut lane: Lane) {
        let mut pipe = None;
        let ran = lane.snapshot(|lane| {
            pipe = self.begin(lane)?;
            pipe.as_mut().map_or(Ok(()), |pipe| self.rows(lane, pipe))
        });
        let Err(cause) = ran else { return };
        match pipe {
            None => self.say(Err(fault::error(&cause))),
            Some(pipe) => {
                tracing::error!(target: "nouns", %cause, "an export was cut off");
                pipe.cut(CutOff::Database);
            }
        }
    }

    /// Answers; nothing where that was all.
    fn begin(&mut self, lane: &mut Lane) -> rusqlite::Result<Option<Pipe>> {
        let (total, current) = match known(lane, &self.model, &self.plan)? {
            Ok(known) => known,
            Err(outcome) => {
                self.say(Ok(Ran { outcome, sink: Sink::Nothing, statements: lane.handle.take_statements() }));
                return Ok(None);
            }
        };
        let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
        let Some(pipe) = Pipe::new(sender, self.coding) else { return Err(rusqlite::Error::InvalidQuery) };
        let outcome = Outcome::Exported { total, current, content: Stream::new(receiver) };
        self.say(Ok(Ran { outcome, sink: Sink::Nothing, statements: lane.handle.take_statements() + 1 }));
        Ok(Some(pipe))
    }

    fn say(&mut self, ran: Result<Ran, Error>) {
        // Who asked may have gone.
        self.answer.take().map(|answer| answer.send(ran).ok());
    }

    fn rows(&mut self, lane: &mut Lane, pipe: &mut Pipe) -> rusqlite::Result<()> {
        let Self { model, plan, sink, .. } = self;
        let Some(Step { shape, values }) = plan.steps.first() else { return Ok(()) };
        let mut goes_on = true;
        lane.handle.rows(model, shape, values, |row| {
            if row.revision().is_some() {
                sink.row(model, row);
                if let Some(chunk) = sink.take(CHUNK_BYTES) {
                    goes_on = pipe.send(chunk);
                }
            }
            goes_on
        })?;
        if goes_on {
            pipe.end(sink.take(0).unwrap_or_default());
        }
        Ok(())
    }
}

/// The way of the chunks to the connection.
struct Pipe {
    chunks: mpsc::Sender<Result<Bytes, CutOff>>,
    encoder: Option<Encoder>,
    clock: Runtime,
    until: Instant,
}

impl Pipe {
    /// Nothing where the system has no timer left.
    fn new(chunks: mpsc::Sender<Result<Bytes, CutOff>>, coding: Coding) -> Option<Self> {
        let clock = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        let encoder = (coding != Coding::Identity).then(|| Encoder::new(coding));
        Some(Self { chunks, encoder, clock, until: Instant::now() + limits::EXPORT_TIME_MAX })
    }

    /// Sends a chunk, and says whether there is anybody to send more to.
    fn send(&mut self, chunk: Vec<u8>) -> bool {
        let coded = match &mut self.encoder {
            None => chunk,
            Some(encoder) => {
                let mut coded = Vec::with_capacity(chunk.len() / 2);
                encoder.write(&chunk, &mut coded);
                coded
            }
        };
        coded.is_empty() || self.put(coded)
    }

    fn put(&self, chunk: Vec<u8>) -> bool {
        let sent = self.chunks.send(Ok(chunk.into()));
        let until = self.until.min(Instant::now() + limits::EXPORT_STALL_MAX);
        match self.clock.block_on(async { timeout_at(until.into(), sent).await }) {
            Ok(sent) => sent.is_ok(),
            Err(_) => {
                tracing::warn!(target: "nouns", "an export was cut off: its client was too slow");
                self.cut(CutOff::Time);
                false
            }
        }
    }

    /// Sends the last chunk, and that it is the last.
    fn end(&mut self, chunk: Vec<u8>) {
        self.last(chunk);
        self.put(vec![]);
    }

    fn last(&mut self, chunk: Vec<u8>) {
        let Some(mut encoder) = self.encoder.take() else {
            if !chunk.is_empty() {
                self.put(chunk);
            }
            return;
        };
        let mut coded = vec![];
        encoder.write(&chunk, &mut coded);
        encoder.finish(&mut coded);
        self.put(coded);
    }

    /// Ends it before its end: the connection is told when it has read what waits, and is closed.
    fn cut(&self, why: CutOff) {
        let told = self.chunks.send(Err(why));
        self.clock.block_on(async { timeout(limits::LINGER_TIME_MAX, told).await.ok() });
    }
}
