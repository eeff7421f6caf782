//! What has become of a transaction whose COMMIT had no answer, because the connection was lost.

use std::{thread, time::Duration};

use super::{
    handle::PostgresHandle,
    home::{ConnectedDatabase, Home},
    writer,
};
use crate::base::error::Error;

/// The number of looks at a transaction that has not ended, and the time between two looks.
const LOOKS_MAX: u32 = 20;
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// The time for one look.
const TIME_MAX: Duration = Duration::from_secs(2);

const STATUS: &str = "SELECT pg_xact_status($1::text::xid8)";

/// What has become of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Committed,
    Aborted,
    /// It cannot be found out. The transaction must not run again.
    Unknown,
}

/// A transaction, as it can be found again: by its number in a history of the server.
#[derive(Clone, Debug)]
pub(super) struct TransactionMark {
    /// The timeline of the server. After a promotion, another transaction may have the number.
    pub(super) timeline: Option<String>,
    pub(super) number: String,
}

/// Finds out what has become of a transaction, on new connections.
pub(super) fn of(home: &Home, transaction: Option<&TransactionMark>) -> Fate {
    let Some(transaction) = transaction else { return Fate::Unknown };
    for _ in 0..LOOKS_MAX {
        match look(home, transaction) {
            Ok(Some(fate)) => return fate,
            Ok(None) => {}
            Err(error) => {
                let cause = error.source().map(ToString::to_string);
                tracing::debug!(cause, "the fate of a transaction cannot be asked for yet");
            }
        }
        thread::sleep(LOOK_PAUSE);
    }
    Fate::Unknown
}

/// Looks once. `None` if the transaction still runs.
fn look(home: &Home, transaction: &TransactionMark) -> Result<Option<Fate>, Error> {
    let ConnectedDatabase { mut handle, timeline, .. } =
        home.connect(false, &writer::deadline(TIME_MAX))?;
    if timeline != transaction.timeline {
        return Ok(Some(Fate::Unknown));
    }
    Ok(status(&mut handle, &transaction.number)?)
}

fn status(
    handle: &mut PostgresHandle,
    number: &str,
) -> Result<Option<Fate>, crate::store::failure::Failure> {
    let rows = handle.ask(STATUS, &[&number])?;
    let word: Option<String> = rows.first().and_then(|row| row.get(0));
    Ok(match word.as_deref() {
        Some("committed") => Some(Fate::Committed),
        Some("aborted") => Some(Fate::Aborted),
        Some(_) => None,
        // The transaction is so old that the server has forgotten it.
        None => Some(Fate::Unknown),
    })
}
