//! Writes that share a transaction (a batch). A write that fails does not affect the other writes.

use std::time::Duration;

use nouns_runtime::{
    Error,
    model::FieldIx,
    plan::{ConflictKind, Outcome, Plan, Refusal, Shape, Tags, WriteConflict},
    store::PlanResult,
};

use super::bed::{Bed, TEACHER, int, json, text, wait};

/// Queues all plans while another connection holds the write lock, so that they share one
/// transaction.
fn together(bed: &Bed, plans: Vec<Plan>) -> Vec<Result<PlanResult, Error>> {
    let other = bed.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    wait(async {
        let tasks: Vec<_> = plans
            .into_iter()
            .map(|plan| {
                let (store, sink) = (bed.store.clone(), bed.sink(&plan));
                tokio::spawn(async move { store.write(plan, sink).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.execute_batch("ROLLBACK").unwrap();
        let mut answers = vec![];
        for task in tasks {
            answers.push(task.await.unwrap());
        }
        answers
    })
}

fn district(bed: &Bed, name: &str) -> Plan {
    bed.plan(vec![bed.insert("district", &[], &[("name", text(name))])])
}

fn names(bed: &Bed) -> Vec<String> {
    let other = bed.other();
    let mut statement = other.prepare("SELECT name FROM districts ORDER BY id").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn status(answer: &Result<PlanResult, Error>) -> u16 {
    match answer {
        Ok(result) => match result.outcome {
            Outcome::Refused(_) => 400,
            _ => 200,
        },
        Err(error) => error.status().as_u16(),
    }
}

#[test]
fn a_constraint_refuses_its_own_job() {
    let bed = Bed::new();
    let plans = ["a", "b", "A", "c"].map(|name| district(&bed, name)).to_vec();
    let answers = together(&bed, plans);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 200, 400, 200]);
    let fields = vec![bed.field("district", "name")];
    let taken = WriteConflict { step: 0, kind: ConflictKind::Taken, fields };
    let refused = Outcome::Refused(Refusal::Conflicts(vec![taken]));
    assert_eq!(answers[2].as_ref().unwrap().outcome, refused);
    assert_eq!(names(&bed), ["a", "b", "c"]);
}

#[test]
fn a_job_of_several_steps_is_undone_alone() {
    let bed = Bed::new();
    let step = |name: &str| bed.insert("district", &[], &[("name", text(name))]);
    let plans = vec![
        district(&bed, "a"),
        bed.plan(vec![step("b"), step("c"), step("A")]),
        bed.plan(vec![step("d"), step("e")]),
        bed.delete("district", &[], int(1)),
        district(&bed, "f"),
    ];
    let answers = together(&bed, plans);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 400, 200, 200, 200]);
    assert_eq!(names(&bed), ["d", "e", "f"]);
    let revisions = ["d", "e", "f"].map(|name| {
        let text = "SELECT revision FROM districts WHERE name = ?1";
        bed.other().query_row(text, [name], |row| row.get::<_, i64>(0)).unwrap()
    });
    assert!(
        revisions.is_sorted() && revisions[0] < revisions[1] && revisions[1] < revisions[2],
        "{revisions:?}"
    );
}

#[test]
fn a_panic_fails_its_own_job() {
    let bed = Bed::new();
    let mut panics = district(&bed, "panics");
    let Shape::Insert { columns, .. } = &mut panics.steps[0].shape else {
        panic!("the plan of a new district must have the shape of an insert")
    };
    columns.push(FieldIx(999));
    let answers = together(&bed, vec![district(&bed, "a"), panics, district(&bed, "b")]);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 500, 200]);
    assert_eq!(names(&bed), ["a", "b"]);
    assert_eq!(status(&bed.try_write(district(&bed, "c"))), 200);
}

#[test]
fn a_job_that_loses_the_transaction_fails_and_the_others_run_again() {
    let bed = Bed::new();
    let other = bed.other();
    let boom = "CREATE TRIGGER boom BEFORE INSERT ON districts WHEN new.name = 'boom' \
                BEGIN SELECT RAISE(ROLLBACK, 'secret'); END";
    other.execute_batch(boom).unwrap();
    let plans = ["a", "boom", "b", "boom", "c"].map(|name| district(&bed, name)).to_vec();
    let answers = together(&bed, plans);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 500, 200, 500, 200]);
    assert!(!answers[1].as_ref().unwrap_err().to_string().contains("secret"));
    assert_eq!(names(&bed), ["a", "b", "c"]);
    let mut revisions: Vec<_> = answers
        .iter()
        .filter_map(|answer| match &answer.as_ref().ok()?.outcome {
            Outcome::Members { written, .. } => Some(written[0].1),
            _ => None,
        })
        .collect();
    revisions.dedup();
    assert_eq!(revisions.len(), 3);
    for result in answers.into_iter().filter_map(Result::ok) {
        assert_eq!(
            json(result.sink).as_array().unwrap().len(),
            1,
            "the sink of a replayed job must contain its member only once"
        );
    }
}

#[test]
fn triggers_count_on_where_the_jobs_before_them_stopped() {
    let bed = Bed::filled();
    bed.write(bed.plan(vec![bed.update(
        "school",
        &[],
        int(1),
        &[("head_teacher_id", text(TEACHER))],
    )]));
    let plans =
        vec![district(&bed, "a"), bed.delete("teacher", &[], text(TEACHER)), district(&bed, "b")];
    let answers = together(&bed, plans);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 200, 200]);
    let [before, between, after] = [("district", 2), ("school", 1), ("district", 3)]
        .map(|(name, id)| bed.revision(name, int(id)).unwrap());
    assert!(before < between && between < after, "{before} {between} {after}");
}

#[test]
fn a_precondition_sees_the_jobs_before_it() {
    let bed = Bed::new();
    let tag = bed.tag("district");
    let plans = ["a", "b"].map(|name| {
        let mut plan = district(&bed, name);
        plan.guard.conditions.if_match = Some(Tags::from_iter([tag]));
        plan
    });
    let answers = together(&bed, plans.to_vec());
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 400]);
    assert_eq!(names(&bed), ["a"]);
}

#[test]
fn a_commit_that_fails_fails_its_own_write_and_no_neighbour() {
    let bed = Bed::new();
    let other = bed.other();
    other
        .execute_batch(
            "CREATE TABLE late (id INTEGER REFERENCES districts (id) DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER late AFTER INSERT ON districts WHEN new.name = 'late'
             BEGIN INSERT INTO late VALUES (99); END;",
        )
        .unwrap();
    let plans = ["a", "late", "b"].map(|name| district(&bed, name)).to_vec();
    let answers = together(&bed, plans);
    assert_eq!(answers.iter().map(status).collect::<Vec<_>>(), [200, 500, 200]);
    assert_eq!(names(&bed), ["a", "b"]);
    assert_eq!(status(&bed.try_write(district(&bed, "c"))), 200);
}

#[test]
fn a_full_queue_refuses() {
    let bed = Bed::new();
    let plans: Vec<_> = (0..1200).map(|number| district(&bed, &number.to_string())).collect();
    let answers = together(&bed, plans);
    let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert!(refused.len() >= 100, "{}", refused.len());
    assert!(refused.iter().all(|error| error.status() == 503 && !error.headers().is_empty()));
    assert_eq!(names(&bed).len(), 1200 - refused.len());
}

#[test]
fn a_database_that_is_held_is_unavailable() {
    let bed = Bed::new();
    let other = bed.other();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = bed.try_write(district(&bed, "a")).unwrap_err();
    assert_eq!((error.status().as_u16(), error.headers()[0].1.to_str().unwrap()), (503, "1"));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(status(&bed.try_write(district(&bed, "a"))), 200);
}
