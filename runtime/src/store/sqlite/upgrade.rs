//! Upgrades the tables of a record that an older version has created: their foreign keys, their
//! triggers, and rows that its triggers have not noticed.

use rusqlite::Connection;

use super::system;
use crate::store::sql::{
    self,
    record::{Record, Table},
};

/// A foreign key that restricts a deletion, as older versions wrote it. SQLite tests it for each
/// row, so the result depended on the order in which a statement deletes rows.
const TESTED_BY_ROW: &str = " ON DELETE RESTRICT ON UPDATE RESTRICT";
const TESTED_AT_END: &str = " ON DELETE NO ACTION ON UPDATE RESTRICT";

/// Upgrades all tables of a record.
pub(super) fn tables(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let counter = "SELECT \"revision\" FROM \"_nouns_state\"";
    let counted: i64 = connection.query_row(counter, [], |row| row.get(0))?;
    let mut tables = vec![];
    for table in &record.tables {
        if system::has_table(connection, &table.name)? {
            tables.push(table);
        }
    }
    change_foreign_keys(connection, &tables)?;
    for table in tables {
        replace_triggers(connection, table)?;
        stamp_rows(connection, table, counted)?;
    }
    Ok(())
}

/// Changes the foreign keys in the stored texts of the tables, as SQLite recommends for a change
/// that has no effect on the stored rows: <https://sqlite.org/lang_altertable.html#otheralter>.
fn change_foreign_keys(connection: &Connection, tables: &[&Table]) -> rusqlite::Result<()> {
    let find = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let mut changed = vec![];
    for table in tables {
        let text: String = connection.query_row(find, [&table.name], |row| row.get(0))?;
        let tested_at_end = replaced(&text, TESTED_BY_ROW, TESTED_AT_END);
        if tested_at_end != text {
            changed.push((&table.name, tested_at_end));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let version: i64 = connection.pragma_query_value(None, "schema_version", |row| row.get(0))?;
    connection.pragma_update(None, "writable_schema", true)?;
    for (name, text) in changed {
        let update = "UPDATE sqlite_schema SET sql = ?2 WHERE type = 'table' AND name = ?1";
        connection.execute(update, (name, text))?;
    }
    // So other connections read the schema again.
    connection.pragma_update(None, "schema_version", version + 1)?;
    connection.pragma_update(None, "writable_schema", "RESET")
}

/// Replaces a part of an SQL text wherever it is not in a literal or in a quoted name.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let (mut result, mut quote) = (String::with_capacity(text.len()), None);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        match quote {
            None if rest.starts_with(from) => {
                result.push_str(to);
                rest = &rest[from.len()..];
                continue;
            }
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            Some(open) if open == letter => quote = None,
            _ => {}
        }
        result.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    result
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_foreign_keys_are_replaced() {
        let text = r#"CREATE TABLE "a ON DELETE RESTRICT ON UPDATE RESTRICT" (x TEXT DEFAULT 'it''s ON DELETE RESTRICT ON UPDATE RESTRICT',
            y REFERENCES "b" ("id") ON DELETE RESTRICT ON UPDATE RESTRICT)"#;
        let expected =
            text.replace(r#"("id") ON DELETE RESTRICT ON"#, r#"("id") ON DELETE NO ACTION ON"#);
        assert_eq!(replaced(text, TESTED_BY_ROW, TESTED_AT_END), expected);
    }
}
