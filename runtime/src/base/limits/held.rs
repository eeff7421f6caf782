//! The limits of what one client can make the server hold, or work on.

use std::time::Duration;

use super::WAL_BYTES;

/// The maximum time in which a body is decompressed. The largest body takes a tenth of a second, on
/// a busy machine a second. Other requests of the bulk thread wait meanwhile.
pub const DECODE_TIME_MAX: Duration = Duration::from_secs(2);

/// The size of the WAL in bytes from which on exports and slow reads give way, the oldest first:
/// their snapshots keep the WAL from being reset. From here on, the WAL grows by less than
/// [`WAL_BYTES`] until all have ended.
pub const WAL_SNAPSHOT_BYTES: usize = WAL_BYTES / 4 * 5;

/// The maximum size in bytes of the stored responses to requests with an `Idempotency-Key`, for
/// each caller. Some 60,000 usual responses fit. Beyond, a response is stored as its status and its
/// `Location`.
pub const ANSWERS_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The maximum number of stored responses of a caller that are counted. Counting them takes some
/// ten milliseconds, for which other writes wait. A caller with more has reached its limit.
pub const ANSWERS_COUNTED_MAX: u32 = 100_000;

/// The minimum time for which a connection is idle before it gives way to a new one, when all
/// places are taken. A client that has just connected sends its first request within it.
pub const GIVE_WAY_IDLE_MIN: Duration = Duration::from_secs(1);
