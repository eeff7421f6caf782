//! The triggers that somebody else has written into the database.

use foldhash::HashSet;

use super::handle::Handle;
use crate::store::{
    row::MemberRow as _,
    sink::{Cell, Row as _},
    sql,
};

/// SQLite increments this number with each change of the schema, by any program.
const SCHEMA_VERSION: &str = "PRAGMA schema_version";
const TRIGGERS: &str =
    "SELECT \"tbl_name\", \"name\" FROM sqlite_schema WHERE \"type\" = 'trigger'";

/// The tables that have triggers of others, as of a version of the schema.
#[derive(Default)]
pub(super) struct OthersTriggers {
    version: Option<i64>,
    tables: HashSet<String>,
}

impl OthersTriggers {
    /// Reads the triggers again if the schema has changed. The transaction that calls this writes,
    /// so the schema does not change before it ends.
    pub(super) fn refresh(&mut self, handle: &mut Handle) -> rusqlite::Result<()> {
        let mut version = None;
        handle.ask(SCHEMA_VERSION, |row| {
            version = row.integer(0);
            false
        })?;
        if version.is_some() && version == self.version {
            return Ok(());
        }
        let mut tables = HashSet::default();
        handle.ask(TRIGGERS, |row| {
            if let [Cell::Text(table), Cell::Text(name)] = [row.cell(0), row.cell(1)]
                && let (Ok(table), Ok(name)) = (str::from_utf8(table), str::from_utf8(name))
                && !sql::is_own_trigger(table, name)
            {
                tables.insert(table.to_owned());
            }
            true
        })?;
        (self.version, self.tables) = (version, tables);
        Ok(())
    }

    /// Whether a table has triggers of others.
    pub(super) fn has(&self, table: &str) -> bool {
        // Most databases have none.
        !self.tables.is_empty() && self.tables.contains(table)
    }
}
