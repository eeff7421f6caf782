//! The limits of a stop. Together they are below the 10 seconds after which others kill a process.

use std::time::Duration;

/// The maximum time that requests in progress have to finish when the server stops. A write that
/// has begun needs no longer ([`WRITE_TIME_MAX`](super::WRITE_TIME_MAX)). With [`CLOSE_TIME_MAX`]
/// it leaves time to empty the WAL before the tenth second, when container engines kill a process.
pub const DRAIN_TIME_MAX: Duration = Duration::from_secs(5);

/// The same for the admin listener, which ends after the others. Nothing is written there, and a
/// document of metrics takes a few milliseconds.
pub const ADMIN_DRAIN_TIME_MAX: Duration = Duration::from_millis(500);

/// The time in which an idle connection may still bring a request after the server has stopped
/// listening. A client may have sent it before it could know. Few networks take longer.
pub const LAST_REQUEST_WAIT_MAX: Duration = Duration::from_millis(250);

/// The maximum time for the after-hooks and the queued writes when a store is closed. When a server
/// stops, its requests have ended before, so only hooks and writes without a client are left.
pub const CLOSE_TIME_MAX: Duration = Duration::from_millis(2500);
