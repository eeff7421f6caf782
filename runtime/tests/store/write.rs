//! Inserts, updates and deletions, and their preconditions.

use nouns_runtime::plan::{
    ConflictKind, Echo, Filter, Op, Outcome, Plan, Refusal, Shape, Step, Tags, WriteConflict,
};
use nouns_runtime::value::Value;

use super::bed::{Bed, TEACHER, int, json, text};
use crate::database;

#[test]
fn a_write_is_one_statement_at_any_depth() {
    let bed = Bed::filled();
    for chain in [vec![1, 1, 1], vec![1, 1], vec![1]] {
        let chain = &chain[chain.len() - 1..];
        let result =
            bed.write(bed.plan(vec![bed.insert("pupil", chain, &[("name", text("Bea"))])]));
        assert!(matches!(result.outcome, Outcome::Members { created: true, .. }));
        assert_eq!(result.statements, 1);
    }
    let flat = [("class_id", int(1)), ("name", text("Cleo"))];
    let result = bed.write(bed.plan(vec![bed.insert("pupil", &[], &flat)]));
    let Outcome::Members { written, .. } = &result.outcome else {
        panic!("an insert must return the new member")
    };
    let (id, revision) = written[0].clone();
    assert_eq!(json(result.sink)[0]["name"], "Cleo");
    for chain in [vec![1, 1, 1], vec![1, 1], vec![1], vec![]] {
        let body = [("nickname", text("C"))];
        let result = bed.write(bed.plan(vec![bed.update("pupil", &chain, id.clone(), &body)]));
        let Outcome::Members { written, created: false, .. } = &result.outcome else {
            panic!("an update must return the member, not {:?}", result.outcome)
        };
        assert_eq!(written[0].0, id);
        // On PostgreSQL each connection takes revisions in blocks, so they are unique alone.
        let is_later = if database::is_postgres() { u64::ne } else { u64::gt };
        let cipher = bed.cipher();
        assert!(is_later(&cipher.decrypt(written[0].1), &cipher.decrypt(revision)));
        assert_eq!(result.statements, 1);
        assert_eq!(json(result.sink)[0]["nickname"], "C");
    }
    let result = bed.write(bed.delete("pupil", &[1, 1, 1], id.clone()));
    assert_eq!((result.outcome, result.statements), (Outcome::Deleted(1), 1));
    let result = bed.write(bed.delete("pupil", &[1, 1, 1], id));
    assert_eq!(result.outcome, Outcome::Refused(Refusal::Missing { link: 3 }));
}

#[test]
fn a_new_member_gets_its_defaults_and_times() {
    let bed = Bed::filled();
    let result = bed.read(&bed.get("school", &[1], int(1)));
    let school = &json(result.sink)[0];
    assert_eq!((&school["type"], &school["budget"]), (&"primary".into(), &"0.00".into()));
    assert_eq!(school["created_at"], school["updated_at"]);
    assert_eq!(school["created_at"].as_str().unwrap().len(), "2026-11-20T08:30:00.000000Z".len());
}

#[test]
fn a_write_under_a_missing_link_is_refused() {
    let bed = Bed::filled();
    let body = [("name", text("Bea"))];
    for (chain, link) in [([9, 1, 1], 0), ([1, 9, 1], 1), ([1, 1, 9], 2)] {
        let refused = Outcome::Refused(Refusal::Missing { link });
        let plans = [
            bed.plan(vec![bed.insert("pupil", &chain, &body)]),
            bed.plan(vec![bed.update("pupil", &chain, int(1), &body)]),
            bed.delete("pupil", &chain, int(1)),
            delete_many(&bed, &chain, Filter::EVERY, vec![]),
        ];
        // A deletion by a filter takes one more statement, since it first finds the members.
        for (plan, statements) in plans.into_iter().zip([2, 2, 2, 3]) {
            let result = bed.write(plan);
            assert_eq!((&result.outcome, result.statements), (&refused, statements));
        }
    }
    assert_eq!(
        bed.write(delete_many(&bed, &[1, 1, 1], Filter::Any(vec![]), vec![])).outcome,
        Outcome::Deleted(0)
    );
}

fn delete_many(bed: &Bed, chain: &[i64], filter: Filter, values: Vec<Value>) -> Plan {
    let place = bed.place("pupil", chain.len());
    let values = chain.iter().copied().map(int).chain(values).collect();
    bed.plan(vec![Step { shape: Shape::DeleteMany { place, filter, listed: false }, values }])
}

#[test]
fn all_that_match_are_deleted() {
    let bed = Bed::filled();
    for name in ["Bea", "Bob"] {
        bed.add("pupil", &[1, 1, 1], &[("name", text(name))]);
    }
    let filter = Filter::test(bed.field("pupil", "name"), Op::StartsWith);
    let result = bed.write(delete_many(&bed, &[1, 1, 1], filter, vec![text("B")]));
    assert_eq!((result.outcome, result.statements), (Outcome::Deleted(2), 2));
    assert!(bed.revision("pupil", int(1)).is_some());
}

#[test]
fn several_members_are_made_together_or_not_at_all() {
    let bed = Bed::filled();
    let insert = |name: &str| bed.insert("district", &[], &[("name", text(name))]);
    let result = bed.write(bed.plan(vec![insert("East"), insert("West")]));
    let Outcome::Members { written, created: true, .. } = &result.outcome else {
        panic!("an insert must return the new members")
    };
    assert_eq!((written.len(), result.statements), (2, 2));
    let cipher = bed.cipher();
    assert!(cipher.decrypt(written[0].1) < cipher.decrypt(written[1].1));
    assert_eq!(json(result.sink).as_array().unwrap().len(), 2);
    let result = bed.write(bed.plan(vec![insert("Middle"), insert("Top"), insert("middle")]));
    let name = bed.field("district", "name");
    let taken = WriteConflict { step: 2, kind: ConflictKind::Taken, fields: vec![name] };
    assert_eq!(result.outcome, Outcome::Refused(Refusal::Conflicts(vec![taken])));
    assert_eq!(bed.shown("district"), 3);
}

#[test]
fn a_precondition_is_tested_before_a_member_changes() {
    let bed = Bed::filled();
    let revision = bed.member_tag("pupil", int(1)).unwrap();
    let update =
        || bed.plan(vec![bed.update("pupil", &[1, 1, 1], int(1), &[("name", text("Eva"))])]);
    let cases: [(Option<Tags>, Option<Tags>, bool); 5] = [
        (Some(Tags::from_iter([revision + 1])), None, false),
        (None, Some(Tags::Any), false),
        (None, Some(Tags::from_iter([revision])), false),
        (None, Some(Tags::from_iter([revision + 1])), true),
        (Some(Tags::Any), None, true),
    ];
    for (if_match, if_none_match, passes) in cases {
        let mut plan = update();
        plan.guard.conditions.if_match = if_match;
        plan.guard.conditions.if_none_match = if_none_match;
        let result = bed.write(plan);
        assert_eq!(
            matches!(result.outcome, Outcome::Members { .. }),
            passes,
            "{:?}",
            result.outcome
        );
        assert!(passes || result.outcome == Outcome::Refused(Refusal::Precondition));
        assert_eq!(result.statements, 1 + u32::from(passes));
    }
    let mut plan = bed.delete("pupil", &[1, 1, 1], int(1));
    plan.guard.conditions.if_match = Some(Tags::from_iter([revision]));
    assert_eq!(bed.write(plan.clone()).outcome, Outcome::Refused(Refusal::Precondition));
    *plan.steps[0].values.last_mut().unwrap() = int(9);
    assert_eq!(bed.write(plan).outcome, Outcome::Refused(Refusal::Missing { link: 3 }));
}

#[test]
fn an_echo_must_be_what_is_stored() {
    let bed = Bed::filled();
    let echo = |name: &str, value| Echo { field: bed.field("pupil", name), value };
    let mut plan =
        bed.plan(vec![bed.update("pupil", &[1, 1, 1], int(1), &[("name", text("Eva"))])]);
    plan.guard.echoes =
        vec![echo("id", int(2)), echo("class_id", int(1)), echo("created_at", text("x"))];
    let wrong = vec![bed.field("pupil", "id"), bed.field("pupil", "created_at")];
    assert_eq!(bed.write(plan.clone()).outcome, Outcome::Refused(Refusal::Echoes(wrong)));
    plan.guard.echoes = vec![echo("id", int(1)), echo("born", Value::Null)];
    assert!(matches!(bed.write(plan).outcome, Outcome::Members { .. }));
}

#[test]
fn what_is_replaced_is_made_where_it_is_not() {
    let bed = Bed::new();
    let put = |name: &str| {
        let body = [("name", text(name))];
        let mut plan = bed.plan(vec![bed.update("subject", &[], text("art"), &body)]);
        plan.otherwise = Some(Box::new(bed.insert(
            "subject",
            &[],
            &[("id", text("art")), ("name", text(name))],
        )));
        plan
    };
    let mut matched = put("Art");
    matched.guard.conditions.if_match = Some(Tags::Any);
    assert_eq!(bed.write(matched.clone()).outcome, Outcome::Refused(Refusal::Precondition));
    let mut only_new = put("Art");
    only_new.guard.conditions.if_none_match = Some(Tags::Any);
    let result = bed.write(only_new.clone());
    assert!(matches!(result.outcome, Outcome::Members { created: true, .. }));
    assert_eq!((result.statements, &json(result.sink)[0]["id"]), (2, &"art".into()));
    assert_eq!(bed.write(only_new).outcome, Outcome::Refused(Refusal::Precondition));
    let result = bed.write(put("Arts"));
    assert!(matches!(result.outcome, Outcome::Members { created: false, .. }));
    assert_eq!(result.statements, 1);
    bed.write(bed.delete("subject", &[], text("art")));
    assert!(matches!(bed.write(put("Art")).outcome, Outcome::Members { created: true, .. }));
}

#[test]
fn a_precondition_on_a_collection_is_tested_inside_the_write() {
    let bed = Bed::filled();
    let tag = bed.tag("subject");
    let mut plan =
        bed.plan(vec![bed.insert("subject", &[], &[("id", text("art")), ("name", text("Art"))])]);
    plan.guard.conditions.if_match = Some(Tags::from_iter([tag]));
    assert!(matches!(bed.write(plan.clone()).outcome, Outcome::Members { .. }));
    plan.steps[0].values[0] = text("music");
    assert_eq!(bed.write(plan).outcome, Outcome::Refused(Refusal::Precondition));
    assert_ne!(bed.tag("subject"), tag);
}

#[test]
fn ids_of_deleted_members_are_not_given_again() {
    let bed = Bed::filled();
    let teacher = bed.revision("teacher", text(TEACHER));
    let (id, _) = bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]);
    bed.write(bed.delete("pupil", &[1, 1, 1], id.clone()));
    assert_ne!(bed.add("pupil", &[1, 1, 1], &[("name", text("Bea"))]).0, id);
    assert_eq!(
        bed.revision("teacher", text(TEACHER)),
        teacher,
        "the write must not change the teacher"
    );
}
