//! SQL queries that the program runs inside a transaction. They may only read, and not the store's
//! own tables.

use super::{handle::PostgresHandle, parameter::BinaryParameter};
use crate::{
    base::{error::Error, limits},
    model::value::Value,
    store::{failure::Failure, row::MemberRow as _},
};

/// The prefix of the names of the store's own tables.
const OWN: &str = "_nouns_";

/// Within this savepoint, the server refuses every statement that writes.
const BEGIN: &str = "SAVEPOINT nouns_query; SET LOCAL transaction_read_only = on";
/// The end of the savepoint makes the transaction one that writes again.
const END: &str = "ROLLBACK TO SAVEPOINT nouns_query; RELEASE SAVEPOINT nouns_query";

/// Runs a query of the program. Returns all rows.
pub(super) fn select(
    handle: &mut PostgresHandle,
    text: &str,
    values: &[Value],
) -> Result<Vec<Vec<Value>>, Failure> {
    if text.to_ascii_lowercase().contains(OWN) {
        return Err(refused(text, "it reads a table of the store itself"));
    }
    handle.defer(BEGIN);
    handle.flush()?;
    let statement = handle.prepare(text).map_err(|failure| broken(text, failure))?;
    if statement.columns().is_empty() {
        return Err(refused(text, "it is no SELECT"));
    }
    if statement.params().len() != values.len() {
        let (expected, given) = (statement.params().len(), values.len());
        let cause = format!("it has {expected} parameters, and {given} values are bound");
        return Err(refused(text, &cause));
    }
    let bound: Vec<_> = values.iter().map(BinaryParameter).collect();
    let (mut found, mut bytes, mut is_too_large) = (vec![], 0, false);
    let ran = handle.run(&statement, &bound, &mut |row| {
        let cells: Vec<Value> = (0..row.len()).map(|at| row.value(at)).collect();
        bytes += cells.iter().map(size).sum::<usize>();
        found.push(cells);
        is_too_large =
            found.len() > limits::LIST_MEMBERS_MAX as usize || bytes > limits::LIST_BYTES_MAX;
        !is_too_large
    });
    ran.map_err(|failure| broken(text, failure))?;
    if is_too_large {
        let (rows, bytes) = (limits::LIST_MEMBERS_MAX, limits::LIST_BYTES_MAX);
        return Err(refused(
            text,
            &format!("its result has more than {rows} rows or {bytes} bytes"),
        ));
    }
    handle.defer(END);
    handle.flush()?;
    Ok(found)
}

fn broken(text: &str, failure: Failure) -> Failure {
    let error = Error::from(failure);
    if error.status() != http::StatusCode::INTERNAL_SERVER_ERROR {
        return error.into();
    }
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    refused(text, &cause)
}

/// Creates the failure of a query that the store does not run: a mistake of the program.
fn refused(text: &str, cause: &str) -> Failure {
    Error::internal(format!("the SQL query of a transaction was not run: {cause}; it is `{text}`"))
        .into()
}

/// The memory that a value takes, in bytes.
fn size(value: &Value) -> usize {
    size_of::<Value>() + if let Value::Text(text) = value { text.len() } else { 0 }
}
