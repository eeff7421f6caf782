//! The way of an export to the connection: as fast as the client reads, and no longer than a limit.

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

/// The way of the chunks to the connection.
pub(super) struct Pipe {
    chunks: Chunks,
    /// What is let through, where it is not all.
    window: Option<RangeWindow>,
}

struct Chunks {
    sender: mpsc::Sender<Result<Bytes, CutOffError>>,
    clock: Runtime,
    until: Instant,
    /// Whether there is anybody to send to.
    open: bool,
}

impl Pipe {
    /// Nothing where the system has no timer left.
    pub(super) fn new(
        sender: mpsc::Sender<Result<Bytes, CutOffError>>,
        window: Option<RangeWindow>,
        until: Instant,
    ) -> Option<Self> {
        let clock = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
        Some(Self { chunks: Chunks { sender, clock, until, open: true }, window })
    }

    /// Sends of a chunk what is to be sent, and says whether more of it is.
    pub(super) fn send(&mut self, chunk: Vec<u8>) -> bool {
        let Self { chunks, window } = self;
        match window {
            _ if chunk.is_empty() => {}
            None => drop(chunks.put(chunk.into())),
            Some(window) => window.pass(&chunk.into(), |part| chunks.put(part)),
        }
        self.is_open()
    }

    /// Whether there is anything more to send, and anybody to send it to.
    pub(super) fn is_open(&self) -> bool {
        self.chunks.open && !self.window.as_ref().is_some_and(RangeWindow::is_done)
    }

    /// Says that all was sent; not where something is missing: who hears nothing knows that it was
    /// cut off.
    pub(super) fn end(&mut self) {
        if self.chunks.open && self.window.as_ref().is_none_or(RangeWindow::is_done) {
            self.chunks.put(Bytes::new());
        }
    }

    /// Ends it before its end: the connection is told when it has read what waits, and is closed.
    pub(super) fn cut(&self, why: CutOffError) {
        self.chunks.cut(why);
    }
}

impl Chunks {
    /// Sends a chunk, and says whether there is anybody to send more to.
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
