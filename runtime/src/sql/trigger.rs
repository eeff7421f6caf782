//! The triggers that give a revision to what other programs and foreign keys change.
//!
//! Our own inserts and updates bring a revision beyond the counter, so that no trigger does anything for them. What
//! another program brings along, such as that of a row it copies, lies behind it.

use super::{literal, quoted, record::Table};

/// The present in the form of every instant that is kept, with the milliseconds that SQLite knows.
pub(super) const NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

const COUNT: &str = "UPDATE \"_nouns_state\" SET \"revision\" = \"revision\" + 1";
const COUNTED: &str = "(SELECT \"revision\" FROM \"_nouns_state\")";

/// What each trigger of a table comes after, which its name ends in.
const DONE: [&str; 3] = ["inserted", "updated", "deleted"];

/// The names of the triggers of a table.
pub(crate) fn names(table: &Table) -> [String; 3] {
    DONE.map(|done| format!("{}_{done}", table.name))
}

/// The triggers of a table.
pub(crate) fn create(table: &Table) -> [String; 3] {
    let key = quoted(&table.key().name);
    let name = quoted(&table.name);
    let inserted = format!("UPDATE {name} SET \"revision\" = {COUNTED} WHERE {key} = new.{key}");
    let updated =
        format!("UPDATE {name} SET \"revision\" = {COUNTED}, \"updated_at\" = {NOW} WHERE {key} = new.{key}");
    let [on_insert, on_update, on_delete] = names(table);
    [
        trigger(table, &on_insert, "INSERT", &format!(" WHEN new.\"revision\" <= {COUNTED}"), &inserted),
        trigger(
            table,
            &on_update,
            "UPDATE",
            &format!(" WHEN new.\"revision\" IS old.\"revision\" OR new.\"revision\" < {COUNTED}"),
            &updated,
        ),
        trigger(table, &on_delete, "DELETE", "", ""),
    ]
}

fn trigger(table: &Table, name: &str, event: &str, when: &str, row: &str) -> String {
    let separator = if row.is_empty() { "" } else { ";\n  " };
    format!(
        "CREATE TRIGGER {name} AFTER {event} ON {on}{when} BEGIN\n  {COUNT};\n  {row}{separator}\
         UPDATE \"_nouns_tables\" SET \"revision\" = {COUNTED}, \"changed_at\" = {NOW} WHERE \"name\" = {table};\nEND",
        name = quoted(name),
        on = quoted(&table.name),
        table = literal(&table.name),
    )
}
