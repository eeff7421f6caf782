//! The sentences about a database that cannot be served, because it was moved or is being copied.

use crate::base::error::{Error, text};

/// The `Retry-After` seconds of a write to a database that was moved. An administrator must start
/// the server with the other one.
const RETRY_MOVED_SECONDS: u16 = 10;

/// The reason why an unfinished copy cannot be opened, after its name.
pub(super) const UNFINISHED: &str =
    "is an unfinished copy; run `nouns copy` again, and it goes on, or delete it";

/// The reason why a sealed database cannot be opened, after its name.
pub(super) fn moved(to: &str) -> String {
    format!("was moved to `{to}`; serve that one, or release this one with `nouns copy --unseal`")
}

/// The error (503) of a write to a sealed database.
pub(super) fn refusal() -> Error {
    Error::unavailable(
        text!("The database was moved to another one, and accepts no changes."),
        RETRY_MOVED_SECONDS,
    )
}
