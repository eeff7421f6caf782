//! The limits of what one client can make the server hold, or work on.

use std::time::Duration;

/// The maximum time in which a body is decompressed. The largest body takes a tenth of a second, on
/// a busy machine a second. Other requests of the bulk thread wait meanwhile.
pub const DECODE_TIME_MAX: Duration = Duration::from_secs(5);
