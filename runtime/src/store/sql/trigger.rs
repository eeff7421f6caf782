//! The triggers that set the revision of a row when another program or a foreign key changes it.
//!
//! The table `_nouns_state` counts the revisions. Nouns itself writes a revision above this
//! counter, so the triggers ignore its inserts and updates. They replace what any other program
//! writes, for example in a row that was copied from another database.

use super::{literal, quoted, record::Table};

/// The function that says which program has a connection. SQLite has it everywhere, with its own
/// result. The writer of Nouns replaces it for its connection, and returns [`OWN`]. So the triggers
/// work in every program, and need no write to tell the programs apart.
pub(crate) const PROGRAM: &str = "sqlite_source_id";

/// The result of [`PROGRAM`] in Nouns.
pub(crate) const OWN: &str = "nouns";

/// An SQL expression for the current time, in the same text format as all stored times. The format
/// has microseconds, but SQLite's clock has only milliseconds, so the last three digits are 0.
pub(super) const NOW: &str = "(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))";

/// The last characters of a recorded time that is ahead of the clock. A time that was read from the
/// clock never has these last characters.
pub(crate) const AHEAD: &str = ".999999Z";

/// The counter of revisions.
const COUNTED: &str = "(SELECT \"revision\" FROM \"_nouns_state\")";

/// Returns an SQL expression for columns of the row of a table in `_nouns_tables`.
fn of_table(table: &Table, columns: &str) -> String {
    let name = literal(&table.name);
    format!("(SELECT {columns} FROM \"_nouns_tables\" WHERE \"name\" = {name})")
}

/// Returns the SQL expression for the revision and time of an inserted row. The row keeps its own
/// time, unless the clock was set back.
fn new_stamp(table: &Table) -> String {
    let time = format!(
        "\"revision\", CASE WHEN \"changed_at\" LIKE '%{AHEAD}' THEN max(new.\"updated_at\", \"changed_at\") \
         ELSE new.\"updated_at\" END"
    );
    of_table(table, &time)
}

/// Returns the statement that gives a table the next revision, and the time of a change: it sets
/// the table's name, for which `_nouns_tables` has a trigger (`store/sqlite/system.rs`).
///
/// SQLite clears the registers of a whole trigger before it tests the condition, also for a write
/// of Nouns. So what is the same for all tables is in a trigger that Nouns never needs.
fn touch(table: &Table) -> String {
    let name = literal(&table.name);
    format!("UPDATE \"_nouns_tables\" SET \"name\" = \"name\" WHERE \"name\" = {name}")
}

/// Returns the statement that counts the revision of a table. It comes last: while a table has a
/// revision above the counter, a trigger is setting it.
fn count(table: &Table) -> String {
    let counted = "max(\"_nouns_state\".\"revision\", \"_nouns_tables\".\"revision\"), max(\"stamped_at\", \"changed_at\")";
    format!(
        "UPDATE \"_nouns_state\" SET (\"revision\", \"stamped_at\") = {}",
        of_table(table, counted)
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
    let row = |stamp: &str| {
        format!(
            "UPDATE {name} SET (\"revision\", \"updated_at\") = {stamp} WHERE {key} = new.{key};\n  "
        )
    };
    let inserted = row(&new_stamp(table));
    let updated = row(&of_table(table, "\"revision\", \"changed_at\""));
    let others = format!("{PROGRAM}() IS NOT {}", literal(OWN));
    let written = of_table(table, "\"revision\"");
    let [on_insert, on_update, on_delete] = names(table);
    [
        trigger(
            table,
            &on_insert,
            "INSERT",
            &format!(" WHEN new.\"revision\" <= {COUNTED} OR {others}"),
            &inserted,
        ),
        trigger(
            table,
            &on_update,
            "UPDATE",
            &format!(
                " WHEN EXISTS (SELECT 1 FROM \"_nouns_state\" WHERE (new.\"revision\" IS old.\"revision\" \
                 OR new.\"revision\" < \"revision\" OR {others}) AND {written} <= \"revision\")"
            ),
            &updated,
        ),
        trigger(table, &on_delete, "DELETE", "", ""),
    ]
}

fn trigger(table: &Table, name: &str, event: &str, when: &str, row: &str) -> String {
    format!(
        "CREATE TRIGGER {name} AFTER {event} ON {on}{when} BEGIN\n  {touch};\n  {row}{count};\nEND",
        name = quoted(name),
        on = quoted(&table.name),
        touch = touch(table),
        count = count(table),
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
