//! The progress of writing to a client: the socket records it, and the connection compares it with
//! its deadline.

use std::{
    error::Error,
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use crate::base::limits;

/// No write waits.
const NONE: u64 = u64::MAX;

/// The progress of writing on one connection.
///
/// While a write waits for the client, time is divided into windows. In each window the client must
/// read some kilobytes, so one that reads a byte now and then does not hold memory for long. All of
/// it happens in one task: atomics are plain cells here.
#[derive(Debug)]
pub(super) struct WriteProgress {
    /// The origin of all times, which are microseconds since then.
    begun: Instant,
    /// The start of the window.
    window: AtomicU64,
    /// The bytes that the client has read in the window.
    bytes: AtomicU64,
    is_stalled: AtomicBool,
    is_unannounced: AtomicBool,
}

/// The error of a client that reads too little of what is written to it.
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

    /// Records that a write waits from now on.
    pub(super) fn wait(&self) {
        self.begin(Instant::now());
    }

    /// Adds bytes that the client received while a socket write is pending.
    pub(super) fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Records that everything is written.
    pub(super) fn end(&self) {
        self.window.store(NONE, Ordering::Relaxed);
    }

    /// Whether the connection ended because its client did not read.
    pub(super) fn is_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::Relaxed)
    }

    /// Records that the length of the content is not announced: the end of the connection ends it.
    pub(super) fn announce_nothing(&self) {
        self.is_unannounced.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the connection is the end of the content.
    pub(super) fn is_unannounced(&self) -> bool {
        self.is_unannounced.load(Ordering::Relaxed)
    }

    /// Returns whether a write waits.
    ///
    /// # Errors
    /// If its window of this length is over and the client read too little in it.
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
        let window = now.saturating_duration_since(self.begun).as_micros();
        self.window.store(u64::try_from(window).unwrap_or(NONE), Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }
}
