//! Reads of pages and members.

use nouns_runtime::negotiate::Coding;
use nouns_runtime::plan::{
    Filter, Op, Outcome, Preconditions, Refusal, Shape, Sources, Step, Tags,
};
use nouns_runtime::value::Value;
use serde_json::json;

use super::bed::{Bed, TEACHER, int, json, text};
use crate::database;

fn ids(bed: &Bed, filter: Filter, values: Vec<Value>) -> Vec<i64> {
    let result = bed.read(&bed.list("pupil", &[1, 1, 1], (filter, values), 100));
    json(result.sink)
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn a_member_is_read_in_one_statement_at_any_depth() {
    let bed = Bed::filled();
    for chain in [vec![], vec![1], vec![1, 1], vec![1, 1, 1]] {
        let result = bed.read(&bed.get("pupil", &chain, int(1)));
        assert!(
            matches!(&result.outcome, Outcome::Members { written, created: false, .. } if written[0].0 == int(1))
        );
        assert_eq!(result.statements, 1);
        let members = json(result.sink);
        assert_eq!(members[0]["name"], "Ada");
        assert_eq!(members[0]["class_id"], 1);
    }
}

#[test]
fn a_missing_link_is_named_by_its_place() {
    let bed = Bed::filled();
    bed.add("district", &[], &[("name", text("South"))]);
    for (chain, link) in
        [([2, 1, 1], 1), ([9, 1, 1], 0), ([1, 1, 9], 2), ([1, 9, 1], 1), ([1, 1, 1], 3)]
    {
        let result = bed.read(&bed.get("pupil", &chain, int(99)));
        assert_eq!(result.outcome, Outcome::Refused(Refusal::Missing { link }), "{chain:?}");
        assert_eq!(result.statements, 2);
    }
    for (chain, link) in [([2, 1, 1], 1), ([9, 1, 1], 0), ([1, 1, 9], 2)] {
        let result = bed.read(&bed.all("pupil", &chain));
        assert_eq!(result.outcome, Outcome::Refused(Refusal::Missing { link }), "{chain:?}");
        assert_eq!(result.statements, 2);
    }
    let result = bed.read(&bed.get("pupil", &[], int(99)));
    assert_eq!(
        (result.outcome, result.statements),
        (Outcome::Refused(Refusal::Missing { link: 0 }), 1)
    );
}

#[test]
fn a_chain_is_proven_although_rows_break_it() {
    let bed = Bed::filled();
    let unchecked = match database::is_postgres() {
        true => "SET session_replication_role = replica",
        false => "PRAGMA foreign_keys = OFF",
    };
    bed.database.run(&format!("{unchecked}; DELETE FROM districts"));
    for plan in [bed.get("pupil", &[1, 1, 1], int(1)), bed.all("pupil", &[1, 1, 1])] {
        assert_eq!(bed.read(&plan).outcome, Outcome::Refused(Refusal::Missing { link: 0 }));
    }
    assert!(matches!(bed.read(&bed.get("pupil", &[1], int(1))).outcome, Outcome::Members { .. }));
}

#[test]
fn an_empty_page_of_a_whole_chain_is_a_page() {
    let bed = Bed::filled();
    bed.add("class", &[1, 1], &[("name", text("b")), ("year", int(2))]);
    let result = bed.read(&bed.all("pupil", &[1, 1, 2]));
    assert!(matches!(result.outcome, Outcome::Page { has_more: false, total: None, .. }));
    assert_eq!((result.statements, json(result.sink)), (1, json!([])));
    let mut beyond = bed.all("pupil", &[1, 1, 1]);
    *beyond.steps[0].values.last_mut().unwrap() = int(50);
    let result = bed.read(&beyond);
    assert!(matches!(result.outcome, Outcome::Page { has_more: false, .. }));
    assert_eq!((result.statements, json(result.sink)), (2, json!([])));
}

#[test]
fn a_page_stops_at_its_limit_and_says_whether_there_is_more() {
    let bed = Bed::filled();
    for name in ["Bea", "Cleo", "Dora"] {
        bed.add("pupil", &[1, 1, 1], &[("name", text(name))]);
    }
    for (chain, limit, count, more) in [
        (vec![], 3, 3, true),
        (vec![1, 1, 1], 3, 3, true),
        (vec![1], 4, 4, false),
        (vec![], 5, 4, false),
    ] {
        let result = bed.read(&bed.list("pupil", &chain, (Filter::EVERY, vec![]), limit));
        let Outcome::Page { has_more, .. } = result.outcome else {
            panic!("a list must return a page")
        };
        assert_eq!((has_more, result.statements), (more, 1));
        assert_eq!(json(result.sink).as_array().unwrap().len(), count);
    }
    let mut counted = bed.list("pupil", &[1, 1, 1], (Filter::EVERY, vec![]), 1);
    let place = bed.place("pupil", 3);
    counted.steps.push(Step {
        shape: Shape::Count { place, filter: Filter::EVERY },
        values: vec![int(1); 3],
    });
    let result = bed.read(&counted);
    assert!(matches!(result.outcome, Outcome::Page { has_more: true, total: Some(4), .. }));
    // On PostgreSQL, the statement of the page also reads the total.
    assert_eq!(result.statements, if database::is_postgres() { 1 } else { 2 });
}

#[test]
fn nulls_come_last_in_both_directions() {
    let bed = Bed::filled();
    for nickname in ["z", "a"] {
        bed.add("pupil", &[1, 1, 1], &[("name", text("x")), ("nickname", text(nickname))]);
    }
    for (descending, order) in [(false, vec![3, 2, 1]), (true, vec![2, 3, 1])] {
        let mut plan = bed.all("pupil", &[1, 1, 1]);
        let Shape::List { sort, .. } = &mut plan.steps[0].shape else {
            panic!("the plan of a list must have the shape of a list")
        };
        sort[0] =
            nouns_runtime::model::SortKey { field: bed.field("pupil", "nickname"), descending };
        let found: Vec<_> = json(bed.read(&plan).sink)
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].clone())
            .collect();
        assert_eq!(found, order);
    }
}

/// Each test of a field with its negation. Together they match all members, and no member matches
/// both of them.
#[test]
fn tests_are_two_valued() {
    let bed = Bed::new();
    bed.add("district", &[], &[("name", text("N"))]);
    bed.add("school", &[1], &[("name", text("H"))]);
    bed.add("class", &[1, 1], &[("name", text("a")), ("year", int(1))]);
    for nickname in [text("été"), text("Été"), text(""), Value::Null, text("té"), text("%_")] {
        bed.add("pupil", &[1, 1, 1], &[("name", text("x")), ("nickname", nickname)]);
    }
    let cases: &[(Op, &[&str], &[i64])] = &[
        (Op::Eq, &["té"], &[5]),
        (Op::Ne, &["té"], &[1, 2, 3, 4, 6]),
        (Op::Lt, &["té"], &[3, 6]),
        (Op::Lte, &["té"], &[3, 5, 6]),
        (Op::Gt, &["té"], &[1, 2]),
        (Op::Gte, &["té"], &[1, 2, 5]),
        (Op::In(0), &[], &[]),
        (Op::In(2), &["té", ""], &[3, 5]),
        (Op::NotIn(0), &[], &[1, 2, 3, 4, 5, 6]),
        (Op::NotIn(2), &["té", ""], &[1, 2, 4, 6]),
        (Op::Contains, &["té"], &[1, 2, 5]),
        (Op::Contains, &["%"], &[6]),
        (Op::Contains, &[""], &[1, 2, 3, 5, 6]),
        (Op::StartsWith, &["ét"], &[1]),
        (Op::StartsWith, &[""], &[1, 2, 3, 5, 6]),
        (Op::EndsWith, &["é"], &[1, 2, 5]),
        (Op::EndsWith, &["ooooooté"], &[]),
        (Op::EndsWith, &["xté"], &[]),
        (Op::EndsWith, &[""], &[1, 2, 3, 5, 6]),
        (Op::Between, &["", "té"], &[3, 5, 6]),
        (Op::Null, &[], &[4]),
        (Op::NotNull, &[], &[1, 2, 3, 5, 6]),
    ];
    let field = bed.field("pupil", "nickname");
    for (op, values, expected) in cases {
        let values: Vec<_> = values.iter().copied().map(text).collect();
        let test = Filter::test(field, *op);
        assert_eq!(ids(&bed, test.clone(), values.clone()), *expected, "{op:?} {values:?}");
        let complement: Vec<_> = (1..=6).filter(|id| !expected.contains(id)).collect();
        assert_eq!(
            ids(&bed, Filter::Not(Box::new(test)), values.clone()),
            complement,
            "not {op:?} {values:?}"
        );
    }
    assert_eq!(ids(&bed, Filter::Any(vec![]), vec![]), [0; 0]);
    assert_eq!(ids(&bed, Filter::Not(Box::new(Filter::EVERY)), vec![]), [0; 0]);
    let either = Filter::Any(vec![
        Filter::All(vec![Filter::test(field, Op::Gt), Filter::test(field, Op::Lt)]),
        Filter::test(field, Op::Null),
    ]);
    assert_eq!(ids(&bed, either, vec![text("t"), text("u")]), [4, 5]);
}

#[test]
fn case_is_ignored_of_ascii_letters_alone() {
    let bed = Bed::new();
    for name in ["Éast", "east", "WEST end"] {
        bed.add("district", &[], &[("name", text(name))]);
    }
    let field = bed.field("district", "name");
    let cases: &[(Op, &[&str], &[i64])] = &[
        (Op::Eq, &["EAST"], &[2]),
        (Op::Ne, &["EAST"], &[3, 1]),
        (Op::In(1), &["éAST"], &[]),
        (Op::In(1), &["ÉAST"], &[1]),
        (Op::NotIn(1), &["EAST"], &[3, 1]),
        (Op::Contains, &["ST"], &[2, 3, 1]),
        (Op::StartsWith, &["West"], &[3]),
        (Op::EndsWith, &["ST"], &[2, 1]),
        (Op::Between, &["E", "F"], &[2]),
        (Op::Gt, &["w"], &[3, 1]),
    ];
    for (op, values, expected) in cases {
        let values: Vec<_> = values.iter().copied().map(text).collect();
        let filter = Filter::test(field, *op);
        let result = bed.read(&bed.list("district", &[], (filter, values), 100));
        let found: Vec<_> = json(result.sink)
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_i64().unwrap())
            .collect();
        assert_eq!(found, *expected, "{op:?}");
    }
}

#[test]
fn an_unchanged_collection_is_not_read_but_its_chain_is_proven() {
    let bed = Bed::filled();
    let Outcome::Page { tag, .. } = bed.read(&bed.all("pupil", &[1, 1, 1])).outcome else {
        panic!("a list must return a page")
    };
    let mut plan = bed.all("pupil", &[1, 1, 1]);
    plan.guard.conditions.if_none_match = Some(Tags::from_iter([3, tag]));
    let result = bed.read(&plan);
    assert_eq!(
        (result.outcome, result.statements, json(result.sink)),
        (Outcome::Unchanged { tag, passed: 0, coding: Coding::Identity }, 1, json!([]))
    );
    plan.steps[0].values[0] = int(7);
    assert_eq!(bed.read(&plan).outcome, Outcome::Refused(Refusal::Missing { link: 0 }));
    let mut flat = bed.all("pupil", &[]);
    flat.guard.conditions.if_none_match = Some(Tags::Any);
    let result = bed.read(&flat);
    assert!(matches!(result.outcome, Outcome::Unchanged { .. }));
    assert_eq!(result.statements, 0);
    flat.guard = nouns_runtime::plan::Guard {
        conditions: Preconditions {
            if_match: Some(Tags::from_iter([tag ^ 1])),
            ..Default::default()
        },
        ..Default::default()
    };
    assert_eq!(bed.read(&flat).outcome, Outcome::Refused(Refusal::Precondition));
    flat.guard.conditions.if_match = Some(Tags::Any);
    assert!(matches!(bed.read(&flat).outcome, Outcome::Page { .. }));
    flat.reads = flat.reads.map(|sources| Sources { seed: 5, ..sources });
    let Outcome::Page { tag: seeded, .. } = bed.read(&flat).outcome else {
        panic!("a list must return a page")
    };
    assert_ne!(seeded, tag);
}

#[test]
fn an_unchanged_member_is_not_sent() {
    let bed = Bed::filled();
    let tag = bed.member_tag("pupil", int(1)).unwrap();
    let mut plan = bed.get("pupil", &[1, 1, 1], int(1));
    plan.guard.conditions.if_none_match = Some(Tags::from_iter([tag]));
    let result = bed.read(&plan);
    assert_eq!(
        (result.outcome, result.statements, json(result.sink)),
        (Outcome::Unchanged { tag, passed: 0, coding: Coding::Identity }, 1, json!([]))
    );
    plan.guard.conditions.if_match = Some(Tags::from_iter([tag + 1]));
    assert_eq!(bed.read(&plan).outcome, Outcome::Refused(Refusal::Precondition));
    *plan.steps[0].values.last_mut().unwrap() = int(5);
    assert_eq!(bed.read(&plan).outcome, Outcome::Refused(Refusal::Missing { link: 3 }));
}

#[test]
fn a_snapshot_ends_also_when_its_work_fails() {
    let bed = Bed::filled();
    let mut broken = bed.all("pupil", &[]);
    broken.steps[0].values.clear();
    for _ in 0..3 {
        let error = wait_error(&bed, &broken);
        assert_eq!(error.status(), 500);
    }
    assert_eq!(bed.shown("pupil"), 1);
    bed.add("pupil", &[1, 1, 1], &[("name", text("Eve"))]);
    assert_eq!(bed.shown("pupil"), 2);
}

/// A missing value is not null, which a rule or a filter could match.
#[test]
fn a_step_without_one_of_its_values_is_not_run() {
    let bed = Bed::filled();
    let mut broken = bed.get("teacher", &[1, 1], text(TEACHER));
    broken.steps[0].values.pop();
    let error = wait_error(&bed, &broken);
    assert_eq!(error.status(), 500);
}

fn wait_error(bed: &Bed, plan: &nouns_runtime::plan::Plan) -> nouns_runtime::Error {
    super::bed::wait(bed.store.read(plan, bed.sink(plan))).unwrap_err()
}

#[test]
fn write_only_fields_are_not_shown() {
    let bed = Bed::filled();
    let result = bed.read(&bed.get("teacher", &[1, 1], text(TEACHER)));
    let member = json(result.sink);
    assert_eq!(member[0]["full_time"], true);
    assert!(member[0].get("pin").is_none());
}
