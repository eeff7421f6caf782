//! The query plans of SQLite for statements (EXPLAIN QUERY PLAN), on a connection of its own that
//! cannot change data.

use std::{collections::HashMap, fs, path::Path};

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{build, build::BuildError, draft, functions, opening, unclosed};
use crate::{
    model::Model,
    store::{OpenError, explain::QueryPlanLine, sql::record::Record},
};

/// The name of the empty database in messages. It has no file.
const IN_MEMORY: &str = "in memory";

/// Returns the query plan of each statement. Without a path, the database is an empty one in
/// memory.
pub(in crate::store) fn query_plans<'t>(
    path: Option<&Path>,
    model: &Model,
    texts: impl Iterator<Item = &'t str>,
) -> Result<Vec<Vec<QueryPlanLine>>, OpenError> {
    let shown = path.unwrap_or(Path::new(IN_MEMORY));
    let failed =
        |cause: rusqlite::Error| OpenError::unusable(shown, reason(&cause)).with_source(cause);
    let connection = match path {
        Some(path) => {
            opening::check_name(path)?;
            if !path.exists() {
                return Err(OpenError::unusable(path, "does not exist"));
            }
            open(path).map_err(failed)?
        }
        None => empty(model).map_err(|stop| match stop {
            BuildError::Database(cause) => failed(cause),
            BuildError::Open(error) => error,
        })?,
    };
    // As on the connections of a server, whose query plans do not depend on bound values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
    functions::add(&connection).map_err(failed)?;
    texts.map(|text| query_plan(&connection, text).map_err(failed)).collect()
}

/// Opens a database that is only looked at. Without a WAL no other connection has it open, and no
/// file is made beside it. With a WAL, its newest statistics may be in there.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let mut wal = path.clone().into_os_string();
    wal.push("-wal");
    if unclosed::is(&path) || Path::new(&wal).exists() {
        return draft::source(&path, unclosed::is(&path));
    }
    let encoded = percent_encode(path.as_os_str().as_encoded_bytes(), NON_ALPHANUMERIC);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{encoded}?immutable=1"), flags)
}

/// An empty database in memory with the tables of a model.
fn empty(model: &Model) -> Result<Connection, BuildError> {
    let connection = Connection::open_in_memory()?;
    build::create(&connection, &Record::of(model))?;
    Ok(connection)
}

fn query_plan(connection: &Connection, text: &str) -> rusqlite::Result<Vec<QueryPlanLine>> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
    let mut rows = statement.raw_query();
    let (mut lines, mut depths) = (vec![], HashMap::new());
    while let Some(row) = rows.next()? {
        let (id, parent): (i64, i64) = (row.get("id")?, row.get("parent")?);
        let depth = depths.get(&parent).map_or(0, |above| above + 1);
        depths.insert(id, depth);
        lines.push(QueryPlanLine { depth, detail: row.get("detail")? });
    }
    Ok(lines)
}

fn reason(cause: &rusqlite::Error) -> &'static str {
    match cause {
        // A table or a column that does not exist.
        rusqlite::Error::SqlInputError { .. } => {
            "does not have the tables of this schema; serve the schema with it first, or leave the database out"
        }
        cause => opening::reason(cause),
    }
}
