//! The state of slow reads that the engines share: the order in which clients are served, the
//! standings of clients, and the credit for reads that are tried although others of their shape
//! were slow.

mod credit;
mod queue;
mod standing;

pub(super) use self::{
    credit::Credit,
    queue::{Arrival, ReadNumber, ReadQueue},
    standing::{Event, Standings},
};
use crate::base::{
    error::{Error, text},
    limits,
};

/// The `Retry-After` seconds of the 503 response to a slow read.
const RETRY_SECONDS: u16 = 2;

/// The error (503) of a read that finds the queue full.
pub(super) fn full() -> Error {
    Error::unavailable(text!("Too many slow queries are waiting."), RETRY_SECONDS)
}

/// The error (503) of a read that has waited too long for a thread.
pub(super) fn too_late() -> Error {
    Error::unavailable(text!("The query has waited too long in the queue."), RETRY_SECONDS)
}

/// The error (503) of a read that has run for too long.
pub(super) fn too_slow() -> Error {
    Error::unavailable(
        text!(
            "The query takes longer than {most} seconds; a narrower filter, or an index for it, makes it faster.",
            most = limits::SLOW_TIME_MAX.as_secs()
        ),
        RETRY_SECONDS,
    )
}
