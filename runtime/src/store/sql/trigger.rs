//! The triggers that give a revision to what other programs and foreign keys change.
//!
//! Our own inserts and updates bring a revision beyond the counter, so that no trigger does
//! anything for them. What another program brings along, such as that of a row it copies, lies
//! behind it.

use super::{literal, quoted, record::Table};

/// The present in the form of every instant that is kept, with the milliseconds that SQLite knows.
pub(super) const NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

/// The end of a time that is ahead of the clock, which gives none like it.
pub(crate) const AHEAD: &str = ".999999Z";

const COUNTED: &str = "(SELECT \"revision\" FROM \"_nouns_state\")";
const STAMP: &str = "(SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\")";

/// What a new row gets: its own time stays, unless it may be of a clock that was set back.
fn new_stamp() -> String {
    format!(
        "(SELECT \"revision\", CASE WHEN \"stamped_at\" LIKE '%{AHEAD}' THEN max(new.\"updated_at\", \"stamped_at\") \
         ELSE new.\"updated_at\" END FROM \"_nouns_state\")"
    )
}

/// The next revision, and the time of a change: the present, or in a clock that was set back the
/// second after the last time that was given (`store/sqlite/stamp.rs`). Each look at the clock
/// costs as much as half of the statement.
fn count() -> String {
    format!(
        "UPDATE \"_nouns_state\" SET \"revision\" = \"revision\" + 1, \"stamped_at\" = CASE \
         WHEN {NOW} > \"stamped_at\" THEN {NOW} \
         WHEN {NOW} > substr(\"stamped_at\", 1, 19) OR \"stamped_at\" LIKE '%{AHEAD}' THEN \"stamped_at\" \
         ELSE coalesce(strftime('%Y-%m-%dT%H:%M:%S{AHEAD}', \"stamped_at\", '+1 second'), \"stamped_at\") END"
    )
}

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
    let inserted = format!(
        "UPDATE {name} SET (\"revision\", \"updated_at\") = {stamp} WHERE {key} = new.{key}",
        stamp = new_stamp()
    );
    let updated = format!(
        "UPDATE {name} SET (\"revision\", \"updated_at\") = {STAMP} WHERE {key} = new.{key}"
    );
    let [on_insert, on_update, on_delete] = names(table);
    [
        trigger(
            table,
            &on_insert,
            "INSERT",
            &format!(" WHEN new.\"revision\" <= {COUNTED}"),
            &inserted,
        ),
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
        "CREATE TRIGGER {name} AFTER {event} ON {on}{when} BEGIN\n  {count};\n  {row}{separator}\
         UPDATE \"_nouns_tables\" SET (\"revision\", \"changed_at\") = {STAMP} WHERE \"name\" = {table};\nEND",
        count = count(),
        name = quoted(name),
        on = quoted(&table.name),
        table = literal(&table.name),
    )
}
