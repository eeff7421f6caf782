//! The transfer of an export to the connection: as fast as the client reads, and within a time
//! limit.

use std::time::Instant;

use bytes::Bytes;
use tokio::{
    runtime::Runtime,
    sync::mpsc,
    time::{timeout, timeout_at},
};

use crate::{
    base::limits,
    http::{body::CutOffError, range::RangeWindow},
};

/// The channel of the chunks to the connection.
pub(super) struct Pipe {
    chunks: Chunks,
    /// The range to send, where it is not everything.
    window: Option<RangeWindow>,
}

struct Chunks {
    sender: mpsc::Sender<Result<Bytes, CutOffError>>,
    clock: Runtime,
    until: Instant,
    /// Whether the receiver is still there.
    open: bool,
}

impl Pipe {
    /// Creates a pipe, or returns `None` if the system has no timer left.
    pub(super) fn new(
        sender: mpsc::Sender<Result<Bytes, CutOffError>>,
        window: Option<RangeWindow>,
        until: Instant,
    ) -> Option<Self> {
        let clock = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        Some(Self { chunks: Chunks { sender, clock, until, open: true }, window })
    }

    /// Sends the requested part of a chunk, and returns whether more is needed.
    pub(super) fn send(&mut self, chunk: Vec<u8>) -> bool {
        let Self { chunks, window } = self;
        match window {
            _ if chunk.is_empty() => {}
            None => drop(chunks.put(chunk.into())),
            Some(window) => window.pass(&chunk.into(), |part| chunks.put(part)),
        }
        self.is_open()
    }

    /// Whether there is more to send, and a receiver for it.
    pub(super) fn is_open(&self) -> bool {
        self.chunks.open && !self.window.as_ref().is_some_and(RangeWindow::is_done)
    }

    /// Sends the end mark, unless something is missing: without the mark the receiver knows that
    /// the export was cut off.
    pub(super) fn end(&mut self) {
        if self.chunks.open && self.window.as_ref().is_none_or(RangeWindow::is_done) {
            self.chunks.put(Bytes::new());
        }
    }

    /// Cuts the export off: the connection gets the error after the waiting chunks, and is closed.
    pub(super) fn cut(&self, why: CutOffError) {
        self.chunks.cut(why);
    }
}

impl Chunks {
    /// Sends a chunk, and returns whether the receiver is still there.
    fn put(&mut self, chunk: Bytes) -> bool {
        let sent = self.sender.send(Ok(chunk));
        let until = self.until.min(Instant::now() + limits::EXPORT_STALL_MAX);
        self.open = match self.clock.block_on(async { timeout_at(until.into(), sent).await }) {
            Ok(sent) => sent.is_ok(),
            Err(_) => {
                tracing::warn!(target: "nouns", "an export was cut off: its client was too slow");
                self.cut(CutOffError::Time);
                false
            }
        };
        self.open
    }

    fn cut(&self, why: CutOffError) {
        let told = self.sender.send(Err(why));
        self.clock.block_on(async { timeout(limits::LINGER_TIME_MAX, told).await.ok() });
    }
}
