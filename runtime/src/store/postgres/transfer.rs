//! Copies between a PostgreSQL database and another one.

mod binary;
mod source;
mod target;

pub(in crate::store) use self::{source::PostgresSource, target::PostgresTarget};
use super::{PostgresAddress, handle::PostgresHandle, opening};
use crate::{
    base::error::Error,
    model::value::Value,
    store::{
        CopyError, Location, OpenError,
        failure::Failure,
        row::MemberRow as _,
        sql::Dialect,
        transfer::{CopiedTable, RowVisitor, fails},
    },
};

/// The settings of a connection that copies: a snapshot may be idle while the other database works,
/// and a statement may take as long as it takes.
const SETTINGS: &str = "SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0; SET lock_timeout = 0; \
    SET extra_float_digits = 1";

/// Opens a connection for a copy.
fn open(location: &Location, url: &str) -> Result<PostgresHandle, CopyError> {
    let address =
        PostgresAddress::read(url).map_err(|error| OpenError::unusable_at(location, error))?;
    let mut handle = opening::connect(&address, location)?;
    let set = handle.script(SETTINGS);
    set.map_err(|failure| failed(location, "cannot be used", failure))?;
    Ok(handle)
}

/// The error of a database, after what cannot be done with it.
fn failed(location: &Location, reason: &str, failure: impl Into<Error>) -> CopyError {
    let error = failure.into();
    let cause = error.source().map(ToString::to_string);
    let cause = cause.unwrap_or_else(|| error.to_string());
    fails(location, format_args!("{reason}: {cause}"))
}

/// The error of a database that cannot be copied.
fn unreadable(location: &Location) -> impl Fn(Failure) -> CopyError {
    move |failure| failed(location, "cannot be copied", failure)
}

/// Reads the rows of a table in the order of their keys.
fn read(
    handle: &mut PostgresHandle,
    location: &Location,
    table: &CopiedTable,
    after: Option<&Value>,
    visit: &mut RowVisitor<'_>,
) -> Result<(), CopyError> {
    let text = table.select(after.is_some(), Dialect::Postgres);
    let (mut refusal, mut cells) = (None, Vec::with_capacity(table.columns.len()));
    let result = handle.query_text(&text, after, |row| {
        cells.clear();
        cells.extend((0..row.len()).map(|at| row.value(at)));
        refusal = visit(&cells).err();
        refusal.is_none()
    });
    refusal.map_or(Ok(()), Err)?;
    result.map_err(unreadable(location))
}
