//! Integer ids that clients bring. The sequence of a table goes past them, so that no id is
//! assigned twice.

use std::sync::Arc;

use super::{handle::PostgresHandle, parameter::BinaryParameter};
use crate::{
    model::{
        FieldIx, Model,
        def::{FieldKind, IdKind},
        value::Value,
    },
    plan::Shape,
    store::{failure::Failure, sql},
};

/// Whether an id is beyond the last one that the sequence has assigned. A sequence that has
/// assigned none yet has no last value.
const IS_BEYOND: &str = "SELECT $2::bigint > coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $3)::regclass), 0)";
/// Two writes must not move a sequence at the same time: one might move it back.
const LOCK: &str = "SELECT 1 FROM \"_nouns_ids\" WHERE \"name\" = $1 FOR UPDATE";
const PASS: &str = "SELECT setval(pg_get_serial_sequence($1, $3)::regclass, $2::bigint) \
    WHERE $2::bigint > coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $3)::regclass), 0)";

/// Moves the sequence of a table past an id that was inserted with a value of the client.
pub(super) fn pass(
    handle: &mut PostgresHandle,
    model: &Arc<Model>,
    shape: &Shape,
    values: &[Value],
) -> Result<(), Failure> {
    let Shape::Insert { place, columns, .. } = shape else { return Ok(()) };
    let resource = &model[place.resource];
    let at = columns.iter().position(|column| *column == FieldIx::ID);
    let Some(at) = at.filter(|_| resource.def.id == IdKind::Integer) else { return Ok(()) };
    let id = &values[usize::from(place.depth) + at];
    if !matches!((id, resource[FieldIx::ID].kind), (Value::Integer(_), FieldKind::Integer)) {
        return Ok(());
    }
    let (table, column) = (sql::quoted(resource.def.table), resource[FieldIx::ID].column);
    let rows = handle.ask(IS_BEYOND, &[&table, &BinaryParameter(id), &column])?;
    if rows.first().is_some_and(|row| row.get::<_, bool>(0)) {
        handle.ask(LOCK, &[&resource.def.table])?;
        handle.ask(PASS, &[&table, &BinaryParameter(id), &column])?;
    }
    Ok(())
}
