//! Revisions and validators after writes, by the store and by other programs.

use std::collections::BTreeSet;

use nouns_runtime::{Store, plan::Outcome};
use rusqlite::Connection;

use super::bed::{Bed, TEACHER, int, options, text, wait};

fn counter(other: &Connection) -> u64 {
    other
        .query_row("SELECT revision FROM _nouns_state", [], |row| row.get::<_, i64>(0))
        .unwrap()
        .cast_unsigned()
}

fn table(other: &Connection, name: &str) -> u64 {
    let text = "SELECT revision FROM _nouns_tables WHERE name = ?1";
    other.query_row(text, [name], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

#[test]
fn another_programs_insert_counts() {
    let bed = Bed::filled();
    let (tag, other) = (bed.tag("pupil"), bed.other());
    let before = counter(&other);
    other
        .execute("INSERT INTO pupils (class_id, name) VALUES (1, 'Bea'), (1, 'Cleo')", [])
        .unwrap();
    let after = (bed.revision("pupil", int(2)).unwrap(), bed.revision("pupil", int(3)).unwrap());
    assert_eq!(after, (before + 1, before + 2));
    assert_eq!(table(&other, "pupils"), before + 2);
    assert_ne!(bed.tag("pupil"), tag);
    let created: String = other
        .query_row("SELECT created_at FROM pupils WHERE id = 2", [], |row| row.get(0))
        .unwrap();
    assert_eq!(created.len(), "2026-11-20T08:30:00.000000Z".len());
    assert!(created.ends_with("000Z"));
}

#[test]
fn another_programs_update_counts() {
    let bed = Bed::filled();
    let (tag, other, was) = (bed.tag("pupil"), bed.other(), bed.revision("pupil", int(1)).unwrap());
    other.execute("UPDATE pupils SET updated_at = '' WHERE id = 1", []).unwrap();
    let now = bed.revision("pupil", int(1)).unwrap();
    assert!(now > was);
    assert_eq!((table(&other, "pupils"), counter(&other)), (now, now));
    assert_ne!(bed.tag("pupil"), tag);
    let updated: String =
        other.query_row("SELECT updated_at FROM pupils", [], |row| row.get(0)).unwrap();
    assert!(updated.ends_with("000Z"), "{updated}");
}

#[test]
fn rows_that_another_program_copies_whole_count() {
    let bed = Bed::filled();
    let (tag, other) = (bed.tag("pupil"), bed.other());
    let before = counter(&other);
    let copy = "INSERT INTO pupils (class_id, name, revision) SELECT class_id, name || '!', revision FROM pupils";
    other.execute(copy, []).unwrap();
    assert_eq!(bed.revision("pupil", int(2)), Some(before + 1));
    assert_ne!(bed.tag("pupil"), tag);
    let tag = bed.tag("pupil");
    other
        .execute("UPDATE pupils SET name = 'x', revision = revision - 1 WHERE id = 2", [])
        .unwrap();
    assert!(
        bed.revision("pupil", int(2)).unwrap() > before + 1,
        "a revision must increase even if another program sets a lower one"
    );
    assert_ne!(bed.tag("pupil"), tag);
    other.pragma_update(None, "recursive_triggers", true).unwrap();
    other.execute("INSERT INTO pupils (class_id, name) VALUES (1, 'Cleo')", []).unwrap();
    other.execute("UPDATE pupils SET name = 'y'", []).unwrap();
}

/// A row that comes from another database may have a revision above the counter, or just the next
/// one.
#[test]
fn another_program_cannot_set_a_revision() {
    let bed = Bed::filled();
    let other = bed.other();
    for is_recursive in [false, true] {
        other.pragma_update(None, "recursive_triggers", is_recursive).unwrap();
        for ahead in [0_i64, 1, 2, 1 << 41] {
            let (tag, before) = (bed.tag("pupil"), counter(&other));
            let revision = before.cast_signed() + ahead;
            let copy = "INSERT INTO pupils (class_id, name, revision) VALUES (1, 'copied', ?1)";
            other.execute(copy, [revision]).unwrap();
            let id = int(other.last_insert_rowid());
            assert_eq!(bed.revision("pupil", id.clone()), Some(before + 1), "ahead by {ahead}");
            assert_eq!((table(&other, "pupils"), counter(&other)), (before + 1, before + 1));
            assert_ne!(bed.tag("pupil"), tag, "ahead by {ahead}");
            let set = "UPDATE pupils SET name = 'changed', revision = ?1 WHERE name = 'copied'";
            other.execute(set, [revision + 1]).unwrap();
            assert_eq!(bed.revision("pupil", id), Some(before + 2), "ahead by {ahead}");
            assert_eq!((table(&other, "pupils"), counter(&other)), (before + 2, before + 2));
        }
    }
}

#[test]
fn our_writes_are_counted_once() {
    let bed = Bed::filled();
    let other = bed.other();
    let before = counter(&other);
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    bed.write(bed.plan(vec![bed.update("pupil", &[1, 1, 1], int(1), &[("name", text("Zoe"))])]));
    assert_eq!(counter(&other), before + 2);
}

/// Older triggers have not noticed a row that another program had copied.
#[test]
fn rows_that_older_triggers_have_missed_are_stamped_at_the_start() {
    let bed = Bed::filled();
    let (other, tag) = (bed.other(), bed.tag("pupil"));
    let script = "DROP TRIGGER pupils_inserted; DROP TRIGGER _nouns_tables_touched; UPDATE _nouns_state SET format = 6;
        INSERT INTO pupils (class_id, name, revision) SELECT 1, 'copied', revision + 1000 FROM _nouns_state";
    other.execute_batch(script).unwrap();
    assert_eq!(bed.tag("pupil"), tag);
    wait(bed.store.close());
    let (store, _) = Store::open(&bed.model, &options(bed.path())).unwrap();
    let bed = Bed { store, ..bed };
    assert_ne!(bed.tag("pupil"), tag);
    assert_eq!(bed.revision("pupil", int(2)), Some(counter(&other)));
    other.execute("INSERT INTO pupils (class_id, name) VALUES (1, 'Bea')", []).unwrap();
    assert_eq!(bed.revision("pupil", int(3)), Some(counter(&other)));
}

#[test]
fn another_programs_deletion_counts_through_its_cascades() {
    let bed = Bed::filled();
    let tags = ["class", "pupil", "teacher"].map(|name| bed.tag(name));
    let other = bed.other();
    other.execute("DELETE FROM classes", []).unwrap();
    let after = ["class", "pupil", "teacher"].map(|name| bed.tag(name));
    assert_ne!(tags[0], after[0]);
    assert_ne!(tags[1], after[1]);
    assert_eq!(tags[2], after[2]);
}

#[test]
fn a_reference_that_becomes_null_counts() {
    let bed = Bed::filled();
    let head = [("head_teacher_id", text(TEACHER))];
    bed.write(bed.plan(vec![bed.update("school", &[1], int(1), &head)]));
    let (was, tag) = (bed.revision("school", int(1)).unwrap(), bed.tag("school"));
    bed.write(bed.delete("teacher", &[1, 1], text(TEACHER)));
    let now = bed.revision("school", int(1)).unwrap();
    assert!(now > was);
    assert_ne!(bed.tag("school"), tag);
    bed.add("teacher", &[1, 1], &[("id", text(TEACHER)), ("name", text("Grace"))]);
    bed.write(bed.plan(vec![bed.update("school", &[1], int(1), &head)]));
    let was = bed.revision("school", int(1)).unwrap();
    bed.other().execute("DELETE FROM teachers", []).unwrap();
    assert!(bed.revision("school", int(1)).unwrap() > was);
}

#[test]
fn our_writes_between_theirs_keep_revisions_unique_and_increasing() {
    let bed = Bed::filled();
    let other = bed.other();
    let mut seen = vec![];
    for round in 0..5 {
        other.execute("INSERT INTO pupils (class_id, name) VALUES (1, 'theirs')", []).unwrap();
        seen.push(counter(&other));
        seen.push(bed.add("pupil", &[1, 1, 1], &[("name", text("ours"))]).1);
        other.execute("DELETE FROM pupils WHERE id = ?1", [2 + 2 * round]).unwrap();
        seen.push(counter(&other));
        bed.write(bed.delete("pupil", &[1, 1, 1], int(3 + 2 * round)));
        seen.push(counter(&other));
    }
    assert!(
        seen.is_sorted() && seen.iter().collect::<BTreeSet<_>>().len() == seen.len(),
        "{seen:?}"
    );
}

#[test]
fn only_the_tables_that_a_write_changes_get_a_new_validator() {
    let bed = Bed::filled();
    let (pupil, exam) = (bed.tag("pupil"), bed.tag("exam"));
    bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    assert_ne!(bed.tag("pupil"), pupil);
    assert_eq!(bed.tag("exam"), exam);
    let pupil = bed.tag("pupil");
    let refused = bed.plan(vec![bed.insert("pupil", &[1, 1, 9], &[("name", text("x"))])]);
    assert!(matches!(bed.write(refused).outcome, Outcome::Refused(_)));
    assert_eq!(bed.tag("pupil"), pupil);
}

#[test]
fn a_write_that_was_undone_leaves_no_trace_in_the_next() {
    let bed = Bed::filled();
    let insert = |name: &str| bed.insert("district", &[], &[("name", text(name))]);
    let before = bed.tag("district");
    bed.write(bed.plan(vec![insert("A"), insert("a")]));
    assert_eq!(bed.tag("district"), before);
    let (_, first) = bed.add("district", &[], &[("name", text("B"))]);
    bed.write(bed.delete("district", &[], int(1)));
    let (_, second) = bed.add("district", &[], &[("name", text("C"))]);
    assert!(second > first);
    assert_eq!(table(&bed.other(), "districts"), second);
}

#[test]
fn validators_survive_a_restart_and_differ_between_databases() {
    let bed = Bed::filled();
    let (tag, revision) = (bed.tag("pupil"), bed.revision("pupil", int(1)));
    wait(bed.store.close());
    let (store, applied) = Store::open(&bed.model, &options(bed.database.location())).unwrap();
    assert!(applied.is_empty());
    let again = Bed { store, ..bed };
    assert_eq!((again.tag("pupil"), again.revision("pupil", int(1))), (tag, revision));
    let (_, next) = again.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    assert!(next > revision.unwrap());
    assert_ne!(Bed::filled().tag("pupil"), tag);
}
