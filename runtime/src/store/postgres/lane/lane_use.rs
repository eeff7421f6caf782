//! The uses of connections, with their settings and limits.

use std::time::Duration;

use super::ANSWER_TIME_MAX;
use crate::base::limits;

/// The limits of a statement on a lane. The second one is for the lock of a row that another
/// transaction has changed.
const BUDGET: &str = "SET statement_timeout = 100; SET lock_timeout = 50";
/// A connection that reads never writes, whatever its statements are.
const READ_ONLY: &str = "SET default_transaction_read_only = on";
/// A plain read is too short for processes beside that of the connection.
const ALONE: &str = "SET max_parallel_workers_per_gather = 0";
/// A long read may use several processes. But the row with the state of the tables, and then those
/// of the page, keep their order only where no process takes one of them for itself.
const IN_ORDER: &str = "SET enable_parallel_append = off";
/// A lane that writes finds members by their ids, also in a table that had no rows yet when the
/// statement was planned. And a batch locks them in the order of its values.
const BY_ID: &str =
    "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";

/// The use of a connection, which determines its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::postgres) enum LaneUse {
    /// Plain reads of a worker, many at the same time.
    Reads,
    /// Plain writes of a worker, many at the same time.
    Writes,
    /// Reads that have to prove that they are fast, or are large, one at a time.
    Trial,
    /// Slow reads, one at a time.
    Slow,
}

impl LaneUse {
    /// Whether many requests use the connection at the same time.
    pub(super) const fn is_shared(self) -> bool {
        matches!(self, Self::Reads | Self::Writes)
    }

    /// Returns a script of settings.
    pub(super) fn settings(self) -> String {
        match self {
            Self::Reads => format!("{BUDGET}; {READ_ONLY}; {ALONE}"),
            Self::Trial => format!("{BUDGET}; {READ_ONLY}; {IN_ORDER}"),
            Self::Writes => format!("{BUDGET}; {BY_ID}"),
            Self::Slow => {
                let time = limits::SLOW_TIME_MAX.as_millis();
                format!("SET statement_timeout = {time}; {READ_ONLY}; {IN_ORDER}")
            }
        }
    }

    /// Returns the time in which a statement must be answered. A read that is alone has a time for
    /// all of its statements, which is shorter.
    pub(super) const fn answer_time_max(self) -> Duration {
        if self.is_shared() { ANSWER_TIME_MAX } else { limits::SLOW_TIME_MAX }
    }
}
