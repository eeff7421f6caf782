//! Writes that a constraint of the database refuses.

use nouns_runtime::{
    limits,
    model::FieldIx,
    plan::{ConflictKind, Filter, Outcome, Refusal, Restriction, Shape, Step, WriteConflict},
    value::Value,
};

use super::bed::{Bed, TEACHER, int, text};
use crate::database;

const OTHER: &str = "01890a5d-ac96-774b-bcce-b302099a8058";

/// The refusal of a plan whose first step is in conflict.
fn refused(kind: ConflictKind, fields: Vec<FieldIx>) -> Outcome {
    Outcome::Refused(Refusal::Conflicts(vec![WriteConflict { step: 0, kind, fields }]))
}

#[test]
fn a_value_that_another_member_has_is_named_with_its_set() {
    let bed = Bed::filled();
    let taken = |fields: Vec<_>| refused(ConflictKind::Taken, fields);
    let result = bed.write(bed.plan(vec![bed.insert("district", &[], &[("name", text("NORTH"))])]));
    assert_eq!(
        (result.outcome, result.statements),
        (taken(vec![bed.field("district", "name")]), 2)
    );
    let set = vec![bed.field("school", "district_id"), bed.field("school", "name")];
    let result = bed.write(bed.plan(vec![bed.insert("school", &[1], &[("name", text("Hill"))])]));
    assert_eq!(result.outcome, taken(set.clone()));
    let (dale, _) = bed.add("school", &[1], &[("name", text("Dale"))]);
    let result = bed.write(bed.plan(vec![bed.update(
        "school",
        &[],
        dale.clone(),
        &[("name", text("Hill"))],
    )]));
    assert_eq!(result.outcome, taken(set.clone()));
    let own = [("name", text("Hill")), ("code", text("dale"))];
    bed.write(bed.plan(vec![bed.update("school", &[], dale.clone(), &own[1..])]));
    let result = bed.write(bed.plan(vec![bed.update("school", &[], dale.clone(), &own)]));
    assert_eq!(
        result.outcome,
        taken(set),
        "only the two taken fields are reported, not the unchanged code"
    );
    let again = [("id", text(TEACHER)), ("name", text("x"))];
    let result = bed.write(bed.plan(vec![bed.insert("teacher", &[1, 1], &again)]));
    assert_eq!(result.outcome, taken(vec![bed.field("teacher", "id")]));
    let result =
        bed.write(bed.plan(vec![bed.update("district", &[], int(1), &[("name", text("north"))])]));
    assert!(matches!(result.outcome, Outcome::Members { .. }));
}

#[test]
fn all_references_to_nothing_are_named() {
    let bed = Bed::filled();
    let body = [("class_id", int(9)), ("subject_id", text("magic"))];
    let fields = vec![bed.field("exam", "class_id"), bed.field("exam", "subject_id")];
    let result = bed.write(bed.plan(vec![bed.insert("exam", &[], &body)]));
    assert_eq!(result.outcome, refused(ConflictKind::Dangling, fields));
    let mentor = [("mentor_id", text(OTHER))];
    let result = bed.write(bed.plan(vec![bed.update("teacher", &[1, 1], text(TEACHER), &mentor)]));
    let fields = vec![bed.field("teacher", "mentor_id")];
    assert_eq!(result.outcome, refused(ConflictKind::Dangling, fields));
    let own = [("mentor_id", text(TEACHER))];
    let result = bed.write(bed.plan(vec![bed.update("teacher", &[1, 1], text(TEACHER), &own)]));
    assert!(matches!(result.outcome, Outcome::Members { .. }));
    let flat = [("class_id", int(77)), ("name", text("x"))];
    let result = bed.write(bed.plan(vec![bed.insert("pupil", &[], &flat)]));
    let fields = vec![bed.field("pupil", "class_id")];
    assert_eq!(result.outcome, refused(ConflictKind::Dangling, fields));
}

/// The search for conflicts ends with as many as a response lists. A write without a conflict takes
/// a statement for each member, as before.
#[test]
fn the_search_for_conflicts_is_bounded() {
    let bed = Bed::filled();
    let insert = |name: &str| bed.insert("district", &[], &[("name", text(name))]);
    let result = bed.write(bed.plan(vec![insert("North"); limits::ARRAY_MEMBERS_MAX]));
    let Outcome::Refused(Refusal::Conflicts(conflicts)) = &result.outcome else {
        panic!("the array must be refused, not {:?}", result.outcome)
    };
    let found: Vec<_> = conflicts.iter().map(|conflict| conflict.step).collect();
    assert_eq!(found, (0..limits::FAULTS_MAX).collect::<Vec<_>>());
    assert_eq!(result.statements, 2, "the others have the value of the first");
    let names = (0..limits::ARRAY_MEMBERS_MAX).map(|at| format!("d{at}")).collect::<Vec<_>>();
    let mut steps: Vec<_> = names.iter().map(|name| insert(name)).collect();
    bed.write(bed.plan(steps.clone()));
    let result = bed.write(bed.plan(steps.clone()));
    let most = u32::try_from(2 * limits::FAULTS_MAX).unwrap();
    assert_eq!(result.statements, most, "an insert and a look-up for each conflict");
    assert!(
        matches!(result.outcome, Outcome::Refused(Refusal::Conflicts(all)) if all.len() == 100)
    );
    steps.truncate(limits::FAULTS_MAX + 1);
    for (at, step) in steps.iter_mut().enumerate() {
        step.values[0] = text(&format!("e{at}"));
    }
    let result = bed.write(bed.plan(steps));
    assert_eq!(result.statements, most / 2 + 1);
    assert!(matches!(result.outcome, Outcome::Members { created: true, .. }));
}

#[test]
fn who_restricts_a_deletion_is_named() {
    let bed = Bed::filled();
    let refused = |by: &str, through: Option<&str>| {
        let through = through.map(|name| bed.resource(name));
        Outcome::Refused(Refusal::Restricted(vec![Restriction { by: bed.resource(by), through }]))
    };
    assert_eq!(bed.write(bed.delete("district", &[], int(1))).outcome, refused("school", None));
    assert_eq!(bed.write(bed.delete("school", &[1], int(1))).outcome, refused("teacher", None));
    bed.write(bed.delete("teacher", &[1, 1], text(TEACHER)));
    bed.add("subject", &[], &[("id", text("art")), ("name", text("Art"))]);
    bed.add("exam", &[], &[("class_id", int(1)), ("subject_id", text("art"))]);
    let result = bed.write(bed.delete("school", &[1], int(1)));
    assert_eq!(
        result.outcome,
        refused("exam", Some("class")),
        "the deletion would cascade to a class, which an exam refers to"
    );
    let place = bed.place("class", 0);
    let shape = Shape::DeleteMany { place, filter: Filter::EVERY, listed: false };
    let all = Step { shape, values: vec![] };
    assert_eq!(bed.write(bed.plan(vec![all])).outcome, refused("exam", None));
    assert!(bed.revision("pupil", int(1)).is_some());
    bed.write(bed.delete("exam", &[], int(1)));
    assert_eq!(bed.write(bed.delete("school", &[1], int(1))).outcome, Outcome::Deleted(1));
    assert!(bed.revision("pupil", int(1)).is_none());
}

#[test]
fn what_no_body_can_mend_is_a_failure() {
    let bed = Bed::filled();
    let error = bed
        .try_write(bed.plan(vec![bed.insert("district", &[], &[("name", Value::Null)])]))
        .unwrap_err();
    assert_eq!(error.status(), 500);
    assert!(!error.to_string().contains("NOT NULL"));
    bed.database.run("CREATE UNIQUE INDEX mine ON pupils (born)");
    bed.add("pupil", &[1, 1, 1], &[("name", text("x")), ("born", text("2020-01-01"))]);
    let twice =
        bed.insert("pupil", &[1, 1, 1], &[("name", text("y")), ("born", text("2020-01-01"))]);
    // On PostgreSQL, the other member may be gone when it is looked for, so it is worth a retry.
    let expected = if database::is_postgres() { 503 } else { 500 };
    assert_eq!(bed.try_write(bed.plan(vec![twice])).unwrap_err().status(), expected);
}
