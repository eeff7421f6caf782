//! The progress of a connection: how much was read, and whether the client takes what is written.
//! The socket records how much was written, and the connection compares it with a deadline.

use std::{
    error::Error,
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use crate::base::limits;

/// The value of `window` while no write waits for the client.
const NONE: u64 = u64::MAX;

/// The progress of writing on one connection.
///
/// While a write waits for the client, time is divided into windows. In each window the client must
/// read some kilobytes. So a client that reads single bytes cannot hold memory for long. Only one
/// task uses this value. The atomics only make it possible to change the numbers through a shared
/// reference.
#[derive(Debug)]
pub(super) struct WriteProgress {
    /// The start of the connection. All times are stored as microseconds since this moment.
    begun: Instant,
    /// The start of the current window.
    window: AtomicU64,
    /// The number of bytes that the client has read in the current window.
    bytes: AtomicU64,
    is_stalled: AtomicBool,
    is_unannounced: AtomicBool,
}

/// The number of bytes that were read and written on one connection. Only one task changes it.
#[derive(Debug, Default)]
pub(super) struct ByteCount {
    read: AtomicU64,
    written: AtomicU64,
}

impl ByteCount {
    /// Adds bytes that were read.
    pub(super) fn add_read(&self, bytes: usize) {
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Adds bytes that were written.
    pub(super) fn add_written(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}

/// The error of a connection whose client reads too slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StallError;

impl fmt::Display for StallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client does not read what is written to it")
    }
}

impl Error for StallError {}

impl WriteProgress {
    pub(super) const fn new(begun: Instant) -> Self {
        Self {
            begun,
            window: AtomicU64::new(NONE),
            bytes: AtomicU64::new(0),
            is_stalled: AtomicBool::new(false),
            is_unannounced: AtomicBool::new(false),
        }
    }

    /// Whether a write waits for the client.
    pub(super) fn is_waiting(&self) -> bool {
        self.window.load(Ordering::Relaxed) != NONE
    }

    /// Records that a write starts to wait for the client.
    pub(super) fn wait(&self) {
        self.begin(Instant::now());
    }

    /// Adds bytes that were written while a write waits for the client.
    pub(super) fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Records that everything is written, so no write waits.
    pub(super) fn end(&self) {
        self.window.store(NONE, Ordering::Relaxed);
    }

    /// Whether the connection was ended because its client reads too slowly.
    pub(super) fn is_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::Relaxed)
    }

    /// Records that the response has no announced length, so the end of the connection ends its
    /// content.
    pub(super) fn announce_nothing(&self) {
        self.is_unannounced.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the connection ends the content of the response.
    pub(super) fn is_unannounced(&self) -> bool {
        self.is_unannounced.load(Ordering::Relaxed)
    }

    /// Checks the current window, which lasts for `length`. Returns whether a write waits for the
    /// client.
    ///
    /// # Errors
    /// If the window is over and the client has read too few bytes in it.
    pub(super) fn check(&self, now: Instant, length: Duration) -> Result<bool, StallError> {
        if !self.is_waiting() {
            return Ok(false);
        }
        let window = self.begun + Duration::from_micros(self.window.load(Ordering::Relaxed));
        if now >= window + length {
            if self.bytes.load(Ordering::Relaxed) < limits::WRITE_WINDOW_BYTES_MIN as u64 {
                self.is_stalled.store(true, Ordering::Relaxed);
                return Err(StallError);
            }
            self.begin(now);
        }
        Ok(true)
    }

    fn begin(&self, now: Instant) {
        let micros = now.saturating_duration_since(self.begun).as_micros();
        self.window.store(u64::try_from(micros).unwrap_or(NONE), Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }
}
