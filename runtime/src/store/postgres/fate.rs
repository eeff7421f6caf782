//! The fate of a transaction whose COMMIT had no answer, because the connection was lost.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{
    handle::PostgresHandle,
    home::{ConnectedDatabase, Home},
    parameter::BinaryParameter,
    wire::Driver,
    writer,
};
use crate::{base::error::Error, model::value::Value};

/// The time after which no further look is taken at a transaction that has not ended, and the time
/// between two looks. A server that recovers from a crash is away for some seconds.
const LOOKS_TIME_MAX: Duration = Duration::from_secs(5);
const LOOK_PAUSE: Duration = Duration::from_millis(100);
/// The time for one look.
const TIME_MAX: Duration = Duration::from_secs(2);

/// After a crash, a server may give the number of a transaction that it has lost to another one. So
/// only a counter that the transaction has changed proves that it was committed.
const STATUS: &str = "SELECT pg_xact_status($1::text::xid8), EXISTS (SELECT 1 FROM \"_nouns_counters\" \
    WHERE xmin = $1::text::xid8::xid AND \"changed_at\" = $2)";
/// A server that has crashed shows transactions that its standby does not have yet. The commit of
/// any later change waits until the standby has them.
const CONFIRM: &str = "UPDATE \"_nouns_slots\" SET \"until\" = \"until\" WHERE \"slot\" = 0";

/// The fate of a transaction.
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
    /// The history of the server. After a promotion, another transaction may have the number.
    pub(super) history: Option<String>,
    pub(super) number: String,
    /// The time that it has written into counters.
    pub(super) at: String,
}

/// Finds out what has become of a transaction, on new connections.
pub(super) fn of(home: &Arc<Home>, transaction: Option<&TransactionMark>) -> Fate {
    let Some(transaction) = transaction else { return Fate::Unknown };
    let until = Instant::now() + LOOKS_TIME_MAX;
    while Instant::now() < until {
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
fn look(home: &Arc<Home>, transaction: &TransactionMark) -> Result<Option<Fate>, Error> {
    let ConnectedDatabase { mut handle, history, .. } =
        home.connect(Driver::own()?, false, &writer::deadline(TIME_MAX))?;
    if history != transaction.history {
        return Ok(Some(Fate::Unknown));
    }
    Ok(status(&mut handle, transaction)?)
}

fn status(
    handle: &mut PostgresHandle,
    TransactionMark { number, at, .. }: &TransactionMark,
) -> Result<Option<Fate>, crate::store::failure::Failure> {
    let at = Value::Text(at.clone());
    let rows = handle.ask(STATUS, &[number, &BinaryParameter(&at)])?;
    let word: Option<String> = rows.first().and_then(|row| row.get(0));
    let is_proven = rows.first().is_some_and(|row| row.get(1));
    Ok(match word.as_deref() {
        Some("committed") if is_proven => {
            handle.change(CONFIRM, &[])?;
            Some(Fate::Committed)
        }
        Some("aborted") => Some(Fate::Aborted),
        Some("committed") => Some(Fate::Unknown),
        Some(_) => None,
        // The transaction is so old that the server has forgotten it.
        None => Some(Fate::Unknown),
    })
}
