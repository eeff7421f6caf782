//! Upgrades the tables of a record that an older version has created: their triggers, and rows that
//! these have not noticed.

use rusqlite::Connection;

use crate::store::sql::{
    self,
    record::{Record, Table},
};

/// Upgrades all tables of a record.
pub(super) fn tables(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let counter = "SELECT \"revision\" FROM \"_nouns_state\"";
    let counted: i64 = connection.query_row(counter, [], |row| row.get(0))?;
    let mut tables = vec![];
    for table in &record.tables {
        if connection.table_exists(None, table.name.as_str())? {
            tables.push(table);
        }
    }
    for table in tables {
        replace_triggers(connection, table)?;
        stamp_rows(connection, table, counted)?;
    }
    Ok(())
}

fn replace_triggers(connection: &Connection, table: &Table) -> rusqlite::Result<()> {
    for (name, text) in sql::trigger_names(table).iter().zip(sql::triggers(table)) {
        connection
            .execute_batch(&format!("DROP TRIGGER IF EXISTS {}; {text}", sql::quoted(name)))?;
    }
    Ok(())
}

/// Lets the triggers stamp the rows that have a revision above the counter. Another program has
/// copied them, and no older trigger has noticed it.
fn stamp_rows(connection: &Connection, table: &Table, counted: i64) -> rusqlite::Result<()> {
    let name = sql::quoted(&table.name);
    let text = format!("UPDATE {name} SET \"revision\" = 0 WHERE \"revision\" > ?1");
    connection.execute(&text, [counted]).map(drop)
}
