//! The channel from the thread of an export to the connection of its client. It waits for a slow
//! client up to a time limit.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;
use tokio::{
    runtime::Runtime,
    sync::mpsc,
    time::{timeout, timeout_at},
};

use crate::{
    base::limits,
    http::{body::CutOffError, range::RangeWindow},
    store::end_demand::EndDemand,
};

/// The sending half of the channel from an export to its connection.
pub(super) struct Pipe {
    chunks: Chunks,
    /// The byte range to send, or `None` to send everything.
    window: Option<RangeWindow>,
}

struct Chunks {
    sender: mpsc::Sender<Result<Bytes, CutOffError>>,
    clock: Runtime,
    until: Instant,
    /// The signal that the export must end before its time.
    demand: Arc<EndDemand>,
    /// Whether the receiver of the chunks still exists, and takes them.
    open: bool,
    /// The reason why the export ends before all chunks are sent.
    cut: Option<CutOffError>,
}

impl Pipe {
    /// Creates a pipe, or returns `None` if no Tokio runtime with a timer can be built.
    pub(super) fn new(
        sender: mpsc::Sender<Result<Bytes, CutOffError>>,
        window: Option<RangeWindow>,
        until: Instant,
        demand: &Arc<EndDemand>,
    ) -> Option<Self> {
        let clock = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        let demand = Arc::clone(demand);
        let chunks = Chunks { sender, clock, until, demand, open: true, cut: None };
        Some(Self { chunks, window })
    }

    /// Sends the bytes of a chunk that are in the requested range. Returns whether more chunks are
    /// needed.
    pub(super) fn send(&mut self, chunk: Vec<u8>) -> bool {
        let Self { chunks, window } = self;
        match window {
            _ if chunk.is_empty() => {}
            None => drop(chunks.put(chunk.into())),
            Some(window) => window.pass(&chunk.into(), |part| chunks.put(part)),
        }
        self.is_open()
    }

    /// Whether there are bytes left to send, and the receiver still exists.
    pub(super) fn is_open(&self) -> bool {
        self.chunks.open && !self.window.as_ref().is_some_and(RangeWindow::is_done)
    }

    /// Sends an empty chunk if all bytes were sent. The empty chunk marks the export as complete.
    /// Without it, the receiver treats the export as cut off.
    pub(super) fn end(&mut self) {
        if self.chunks.open && self.window.as_ref().is_none_or(RangeWindow::is_done) {
            self.chunks.put(Bytes::new());
        }
    }

    /// Ends the export with an error. The connection first sends the chunks that are already
    /// queued. Then it gets the error and is closed.
    pub(super) fn cut(&self, why: CutOffError) {
        self.chunks.cut(why);
    }

    /// Ends the export with an error if a chunk could not be sent in time. The snapshot must have
    /// ended before, because the client may take long.
    pub(super) fn tell_cut(&self) {
        self.chunks.cut.iter().for_each(|why| self.cut(*why));
    }
}

impl Chunks {
    /// Sends a chunk, and returns whether the receiver still exists.
    fn put(&mut self, chunk: Bytes) -> bool {
        let sent = self.sender.send(Ok(chunk));
        let until = self.until.min(Instant::now() + limits::EXPORT_STALL_MAX);
        let demand = Arc::clone(&self.demand);
        let sent = async {
            tokio::select! {
                biased;
                () = demand.come() => Err(CutOffError::Snapshot),
                sent = timeout_at(until.into(), sent) => sent.map_err(|_| CutOffError::Time),
            }
        };
        self.open = match self.clock.block_on(sent) {
            Ok(sent) => sent.is_ok(),
            Err(why) => {
                if why == CutOffError::Time {
                    tracing::warn!(target: "nouns", "an export was cut off: its client was too slow");
                }
                self.cut = Some(why);
                false
            }
        };
        self.open
    }

    fn cut(&self, why: CutOffError) {
        let error = self.sender.send(Err(why));
        self.clock.block_on(async { timeout(limits::LINGER_TIME_MAX, error).await.ok() });
    }
}
