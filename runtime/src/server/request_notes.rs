//! [`RequestNotes`]: what the socket of a connection of HTTP/1 and the service of its requests tell
//! each other past the HTTP library between them.

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use crate::http::request_head::HeadFault;

/// The value of `body` if the length is unknown.
const UNKNOWN: u64 = u64::MAX;

/// Notes about the requests of one connection. Only its task uses them.
#[derive(Debug, Default)]
pub(super) struct RequestNotes {
    /// The error in a request line. That request is the last one.
    fault: OnceLock<HeadFault>,
    /// The length of the body of the last request.
    body: AtomicU64,
}

impl RequestNotes {
    /// Records what is wrong with the request line of the awaited head.
    pub(super) fn note_fault(&self, fault: HeadFault) {
        // The first fault closes the connection.
        self.fault.set(fault).ok();
    }

    /// The error in the request line of the last head.
    pub(super) fn fault(&self) -> Option<HeadFault> {
        self.fault.get().copied()
    }

    /// Records the length of the body of the request that has arrived. `None` if it is unknown.
    pub(super) fn note_body(&self, bytes: Option<u64>) {
        self.body.store(bytes.unwrap_or(UNKNOWN), Ordering::Relaxed);
    }

    /// The length of the body of the last request, if it is known.
    pub(super) fn body(&self) -> Option<u64> {
        Some(self.body.load(Ordering::Relaxed)).filter(|bytes| *bytes != UNKNOWN)
    }
}
