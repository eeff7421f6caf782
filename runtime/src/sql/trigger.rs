//! The triggers that give a revision to what other programs and foreign keys change.
//!
//! Our own inserts and updates bring theirs, so that no trigger does anything for them.

use super::{literal, quoted, record::Table};

/// The present in the form of every instant that is kept, with the milliseconds that SQLite knows.
pub(super) const NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

const COUNT: &str = "UPDATE \"_nouns_state\" SET \"revision\" = \"revision\" + 1";
const COUNTED: &str = "(SELECT \"revision\" FROM \"_nouns_state\")";

/// The triggers of a table.
pub(crate) fn create(table: &Table) -> [String; 3] {
    let key = quoted(&table.key().name);
    let name = quoted(&table.name);
    let inserted = format!("UPDATE {name} SET \"revision\" = {COUNTED} WHERE {key} = new.{key}");
    let updated =
        format!("UPDATE {name} SET \"revision\" = {COUNTED}, \"updated_at\" = {NOW} WHERE {key} = new.{key}");
    [
        trigger(table, "inserted", "INSERT", " WHEN new.\"revision\" = 0", &inserted),
        trigger(table, "updated", "UPDATE", " WHEN new.\"revision\" IS old.\"revision\"", &updated),
        trigger(table, "deleted", "DELETE", "", ""),
    ]
}

fn trigger(table: &Table, done: &str, event: &str, when: &str, row: &str) -> String {
    let separator = if row.is_empty() { "" } else { ";\n  " };
    format!(
        "CREATE TRIGGER {name} AFTER {event} ON {on}{when} BEGIN\n  {COUNT};\n  {row}{separator}\
         UPDATE \"_nouns_tables\" SET \"revision\" = {COUNTED}, \"changed_at\" = {NOW} WHERE \"name\" = {table};\nEND",
        name = quoted(&format!("{}_{done}", table.name)),
        on = quoted(&table.name),
        table = literal(&table.name),
    )
}
