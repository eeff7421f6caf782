//! Copies between an SQLite file and another database.

mod source;
mod target;

use rusqlite::{Connection, types::ValueRef};

pub(in crate::store) use self::{source::SqliteSource, target::SqliteTarget};
use super::backup::{NamedFile, copy_error};
use crate::{
    model::value::Value,
    store::{
        CopyError,
        sql::Dialect,
        transfer::{CopiedTable, RowVisitor},
    },
};

/// A value as a parameter of a statement.
struct StoredParameter<'v>(&'v Value);

impl rusqlite::ToSql for StoredParameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Null | Value::Password(_) => ValueRef::Null,
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Number(value) => ValueRef::Real(*value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        };
        Ok(rusqlite::types::ToSqlOutput::Borrowed(value))
    }
}

/// The error of a file that cannot be copied, or to which nothing can be copied.
fn database_error(file: NamedFile<'_>, cause: rusqlite::Error) -> CopyError {
    copy_error(cause.into(), file, file)
}

/// Reads the rows of a table in the order of their keys.
fn read(
    connection: &Connection,
    file: NamedFile<'_>,
    table: &CopiedTable,
    after: Option<&Value>,
    visit: &mut RowVisitor<'_>,
) -> Result<(), CopyError> {
    let failed = |cause| database_error(file, cause);
    let text = table.select(after.is_some(), Dialect::Sqlite);
    let mut statement = connection.prepare(&text).map_err(failed)?;
    let key = after.map(StoredParameter);
    let mut rows = statement.query(rusqlite::params_from_iter(key)).map_err(failed)?;
    let mut cells = Vec::with_capacity(table.columns.len());
    while let Some(row) = rows.next().map_err(failed)? {
        cells.clear();
        for at in 0..table.columns.len() {
            cells.push(match row.get_ref(at).map_err(failed)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(value) => Value::Integer(value),
                ValueRef::Real(value) => Value::Number(value),
                ValueRef::Text(text) | ValueRef::Blob(text) => match str::from_utf8(text) {
                    Ok(text) => Value::Text(text.into()),
                    Err(_) => {
                        return Err(file.fails(format_args!(
                            "has a text that is not UTF-8 in the column `{}` of {}; change it first.",
                            table.columns[at].name,
                            table.row_name(&cells)
                        )));
                    }
                },
            });
        }
        visit(&cells)?;
    }
    Ok(())
}
