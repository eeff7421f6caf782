//! Connection poolers. One that shares a connection of the server between several clients, a
//! transaction to each (`pool_mode = transaction`), is refused. It loses the settings of its
//! clients. It also mixes up their prepared statements, since those of two processes have the same
//! names.

use tokio_postgres::SimpleQueryMessage;

use super::{
    address::PostgresAddress,
    handle::PostgresHandle,
    home,
    wire::{Driver, WaitLimit},
};
use crate::base::error::Error;

/// The number of looks. A pooler that other clients use may give a connection to its last user
/// again by chance.
const LOOKS: usize = 4;
/// The query for a name that differs between all connections of all servers.
const NAME: &str = "SELECT pg_backend_pid() || '@' || pg_postmaster_start_time()";

/// Whether a connection changes its connection of the server between two transactions, or shares it
/// with another connection.
pub(super) fn is_shared(
    address: &PostgresAddress,
    handle: &mut PostgresHandle,
) -> Result<bool, Error> {
    let mut other = home::open(address, Driver::own()?, false, &WaitLimit::default())?;
    for _ in 0..LOOKS {
        let before = name(handle);
        other.script("BEGIN").map_err(Error::from)?;
        let (beside, after) = (name(&mut other), name(handle));
        other.script("ROLLBACK").map_err(Error::from)?;
        // A server of another maker may have no such names.
        let Some(before) = before else { return Ok(false) };
        if Some(&before) == beside.as_ref() || Some(&before) != after.as_ref() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The name of the connection of the server. It is asked for without a prepared statement.
fn name(handle: &mut PostgresHandle) -> Option<String> {
    let answer = handle.wire().wait(async |client| client.simple_query(NAME).await).ok()?;
    answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    })
}
