//! The triggers that set the revision of a row when another program or a foreign key changes it.
//!
//! The table `_nouns_state` counts the revisions. Nouns itself writes a revision above this
//! counter, so the triggers ignore its inserts and updates. If another program writes a revision,
//! for example in a copied row, that revision is not above the counter. So the triggers replace it.

use super::{literal, quoted, record::Table};

/// An SQL expression for the current time, in the same text format as all stored times. The format
/// has microseconds, but SQLite's clock has only milliseconds, so the last three digits are 0.
pub(super) const NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

/// The last characters of a recorded time that is ahead of the clock. A time that was read from the
/// clock never has these last characters.
pub(crate) const AHEAD: &str = ".999999Z";

const COUNTED: &str = "(SELECT \"revision\" FROM \"_nouns_state\")";
const STAMP: &str = "(SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\")";

/// Returns the SQL expression for the revision and time of an inserted row. The row keeps its own
/// time, unless the clock was set back.
fn new_stamp() -> String {
    format!(
        "(SELECT \"revision\", CASE WHEN \"stamped_at\" LIKE '%{AHEAD}' THEN max(new.\"updated_at\", \"stamped_at\") \
         ELSE new.\"updated_at\" END FROM \"_nouns_state\")"
    )
}

/// Returns the statement that increments the revision and sets the time of a change. The time is
/// the current time. If the clock was set back, it is the second after the last recorded time
/// (`store/stamp.rs`). The statement reads the clock at most twice, since each reading costs about
/// half as much as the whole statement.
fn count() -> String {
    format!(
        "UPDATE \"_nouns_state\" SET \"revision\" = \"revision\" + 1, \"stamped_at\" = CASE \
         WHEN {NOW} > \"stamped_at\" THEN {NOW} \
         WHEN {NOW} > substr(\"stamped_at\", 1, 19) OR \"stamped_at\" LIKE '%{AHEAD}' THEN \"stamped_at\" \
         ELSE coalesce(strftime('%Y-%m-%dT%H:%M:%S{AHEAD}', \"stamped_at\", '+1 second'), \"stamped_at\") END"
    )
}

/// The last word of the name of each trigger: its event.
const DONE: [&str; 3] = ["inserted", "updated", "deleted"];

/// Returns the names of a table's triggers.
pub(crate) fn names(table: &Table) -> [String; 3] {
    DONE.map(|event| format!("{}_{event}", table.name))
}

/// Whether a trigger of a table, by its name, was created by Nouns.
pub(crate) fn is_ours(table: &str, name: &str) -> bool {
    let event = name.strip_prefix(table).and_then(|rest| rest.strip_prefix('_'));
    name.starts_with("_nouns_") || event.is_some_and(|event| DONE.contains(&event))
}

/// Returns the statements that create a table's triggers.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_known_by_its_table_and_its_name() {
        for name in ["zoos_inserted", "zoos_updated", "zoos_deleted", "_nouns_sealed_zoos_insert"] {
            assert!(is_ours("zoos", name), "{name}");
        }
        for name in ["zoos", "zoos_", "zoos_inserted_too", "animals_inserted", "inserted", "nouns"]
        {
            assert!(!is_ours("zoos", name), "{name}");
        }
    }
}
