//! Hooks within a write. They get the member before and after, may execute more writes in the
//! transaction, and may refuse the write.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use nouns_runtime::{
    Api, Error, Fault, Id,
    error::Kind,
    hook::{Change, Hooks},
    store::Tx,
    typed::Query,
};

use super::bed::{Audit, Bed, NewAudit, NewNote, Note};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, NewZoo, Zoo},
};

/// A hook that records the text of a note before and after the write.
fn audit(tx: &mut Tx<'_>, change: &Change<Note>) -> Result<(), Error> {
    let text = |note: Option<&nouns_runtime::typed::Member<Note>>| {
        note.map(|note| note.text.clone()).unwrap_or_default()
    };
    let (before, after) = (text(change.before.as_ref()), text(change.after.as_ref()));
    let what = format!("{} {before}>{after}", change.operation.word());
    if after == "refused" {
        tx.as_system().of::<Audit>().create(NewAudit { what })?;
        return Err(Error::new(Kind::ALREADY_EXISTS, "Not this one."));
    }
    tx.as_system().of::<Audit>().create(NewAudit { what }).map(drop)
}

fn audited(hooks: Hooks<Note>) -> Hooks<Note> {
    hooks.within_create(audit).within_replace(audit).within_update(audit).within_delete(audit)
}

fn notes() -> Bed {
    Bed::new(Api::new("Notes").resource::<Note>().resource::<Audit>().hooks::<Note>(audited))
}

fn body(id: &str, text: &str) -> String {
    format!(r#"{{ "id": "{id}", "text": "{text}", "author": "a" }}"#)
}

#[test]
fn every_way_of_writing_is_told_with_the_member_before_and_after() {
    let bed = notes();
    wait(async {
        assert_eq!(bed.ask("POST /notes", &body("a", "1")).await.status, 201);
        assert_eq!(bed.ask("PATCH /notes/a", r#"{ "text": "2" }"#).await.status, 200);
        assert_eq!(bed.ask("PUT /notes/a", r#"{ "text": "3" }"#).await.status, 200);
        assert_eq!(bed.ask("PUT /notes/b", r#"{ "text": "4", "author": "b" }"#).await.status, 201);
        assert_eq!(bed.ask("DELETE /notes/a", "").await.status, 204);
        assert_eq!(bed.ask("DELETE /notes?author=b", "").await.status, 204);
        let expected =
            ["create >1", "update 1>2", "replace 2>3", "create >4", "delete 3>", "delete 4>"];
        assert_eq!(bed.audits().await, expected);
    });
}

#[test]
fn a_refusal_undoes_the_write_and_what_the_hook_wrote() {
    let bed = notes();
    wait(async {
        assert_eq!(bed.ask("POST /notes", &body("a", "1")).await.status, 201);
        let audits = bed.ask("GET /audits", "").await.headers["etag"].clone();
        let refused = (409, "Not this one.".to_owned());
        assert_eq!(bed.status("POST /notes", &body("b", "refused")).await, refused);
        assert_eq!(bed.status("PATCH /notes/a", r#"{ "text": "refused" }"#).await, refused);
        let many = format!("[{}, {}, {}]", body("c", "2"), body("d", "3"), body("e", "refused"));
        assert_eq!(bed.status("POST /notes", &many).await, refused);
        assert_eq!(bed.audits().await, ["create >1"]);
        assert_eq!(bed.ask("GET /notes?count=true", "").await.json["total"], 1);
        assert_eq!(bed.ask("GET /notes/a", "").await.json["text"], "1");
        assert_eq!(bed.ask("GET /audits", "").await.headers["etag"], audits);
        assert_eq!(bed.ask("PATCH /notes/a", r#"{ "text": "4" }"#).await.status, 200);
        assert_ne!(
            bed.ask("GET /audits", "").await.headers["etag"],
            audits,
            "a write of a hook must change the validator of its collection"
        );
    });
}

#[test]
fn what_the_store_refuses_a_hook_it_refuses_the_write() {
    let bed = notes();
    wait(async {
        assert_eq!(bed.ask("POST /audits", r#"{ "what": "create >1" }"#).await.status, 201);
        let (status, detail) = bed.status("POST /notes", &body("a", "1")).await;
        assert_eq!((status, &*detail), (409, "Another `audit` already has the same `what`."));
        assert_eq!(bed.ask("GET /notes/a", "").await.status, 404);
    });
}

#[test]
fn a_representation_is_the_same_with_hooks_and_without() {
    let plain = Bed::new(Api::new("Notes").resource::<Note>().resource::<Audit>());
    let hooked = notes();
    wait(async {
        for (line, body) in [
            ("POST /notes", body("a", "1")),
            ("PATCH /notes/a", r#"{ "stars": 1 }"#.into()),
            ("PUT /notes/a", r#"{ "text": "2" }"#.into()),
            ("PUT /notes/b", r#"{ "text": "2", "author": "c" }"#.into()),
            ("POST /notes", format!("[{}, {}]", body("c", "5"), body("d", "6"))),
            ("DELETE /notes/b", String::new()),
            ("DELETE /notes/b", String::new()),
            ("PATCH /notes/b", "{}".into()),
        ] {
            let (mut plain, mut hooked) =
                (plain.ask(line, &body).await, hooked.ask(line, &body).await);
            for answer in [&mut plain, &mut hooked] {
                answer.json.as_object_mut().map(|json| json.remove("request_id"));
            }
            assert_eq!((plain.status, &plain.json), (hooked.status, &hooked.json), "{line}");
        }
    });
}

#[test]
fn a_hook_reads_what_it_has_just_written() {
    let bed =
        Bed::new(Api::new("Zoos").resource::<Zoo>().resource::<Animal>().hooks::<Zoo>(|hooks| {
            hooks.within_create(|tx, change| {
                let Some(zoo) = &change.after else { return Ok(()) };
                if zoo.name == "second" {
                    return Ok(());
                }
                let mut tx = tx.as_system();
                let mut zoos = tx.of::<Zoo>();
                let second = zoos.create(NewZoo::new("second".into()))?;
                assert_eq!(zoos.get(second.id)?.name, "second");
                assert_eq!(zoos.list(&Query::new().count())?.total, Some(2));
                zoos.replace(second.id, NewZoo::new("third".into()))?;
                let refused = zoos.create(NewZoo::new("third".into())).unwrap_err();
                assert_eq!(
                    refused.status(),
                    409,
                    "a refused write that the hook ignores does not undo other writes"
                );
                assert_eq!(zoos.get(Id::new(99)).unwrap_err().status(), 404);
                zoos.delete(second.id)
            })
        }));
    wait(async {
        let first = bed.store.of::<Zoo>().create(NewZoo::new("first".into())).await.unwrap();
        assert_eq!(first.name, "first");
        assert_eq!(bed.ask("GET /zoos?count=true", "").await.json["total"], 1);
    });
}

/// Each statement of the hook is short, so none is interrupted. After the deadline, the next
/// statement fails.
#[test]
fn a_hook_that_goes_on_and_on_is_ended_with_its_write() {
    let endless = |hooks: Hooks<Note>| {
        hooks.within_create(|tx, change| {
            let text = change.after.as_ref().map(|note| note.text.clone()).unwrap_or_default();
            let numbers = if text == "endless" { 0..u64::MAX } else { 0..0 };
            for number in numbers {
                // The hook ends its loop, but its result does not matter: the write fails at its
                // deadline.
                if tx
                    .as_system()
                    .of::<Audit>()
                    .create(NewAudit { what: number.to_string() })
                    .is_err()
                {
                    break;
                }
                thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        })
    };
    let bed =
        Bed::new(Api::new("Notes").resource::<Note>().resource::<Audit>().hooks::<Note>(endless));
    wait(async {
        let (status, detail) = bed.status("POST /notes", &body("a", "endless")).await;
        assert_eq!(
            (status, &*detail),
            (503, "The write was interrupted, and changed nothing: it took longer than 5 seconds.")
        );
        assert_eq!(bed.ask("POST /notes", &body("b", "short")).await.status, 201);
        assert_eq!(bed.ask("GET /notes/a", "").await.status, 404);
        assert!(bed.audits().await.is_empty());
    });
}

/// Hooks do not run for the members after the first conflict, whose own conflicts are named.
#[test]
fn no_hook_runs_after_a_conflict() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks.within_create(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
    }));
    wait(async {
        assert_eq!(bed.ask("POST /notes", &body("a", "1")).await.status, 201);
        let many = ["b", "a", "c", "b"].map(|id| body(id, "2")).join(",");
        let refused = bed.ask("POST /notes", &format!("[{many}]")).await;
        assert_eq!(refused.status, 409);
        let errors = refused.json["errors"].as_array().unwrap();
        let pointers: Vec<_> = errors.iter().map(|error| error["pointer"].as_str()).collect();
        assert_eq!(pointers, [Some("/1/id"), Some("/3/id")]);
        assert_eq!(bed.ask("GET /notes?count=true", "").await.json["total"], 1);
    });
    assert_eq!(calls.load(Ordering::Relaxed), 2, "the hook of `a`, and that of `b`");
}

#[test]
fn what_hooks_make_of_an_array_is_bounded_as_a_page_is() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks
            .before_create(|_, new: NewNote| async move {
                Ok(NewNote { author: "x".repeat(100_000), ..new })
            })
            .within_create(|_, _| Ok(()))
    }));
    let notes = |count: usize| {
        let notes: Vec<_> = (0..count).map(|at| body(&at.to_string(), "t")).collect();
        format!("[{}]", notes.join(","))
    };
    wait(async {
        assert_eq!(bed.ask("POST /notes", &notes(60)).await.status, 422);
        assert_eq!(bed.ask("GET /notes", "").await.json["items"].as_array().unwrap().len(), 0);
        assert_eq!(bed.ask("POST /notes", &notes(30)).await.status, 201);
    });
}

#[test]
fn one_registration_is_told_of_every_write_and_what_it_did() {
    let hooks = |hooks: Hooks<Note>| hooks.within_write(audit).within_create(audit_late);
    let bed =
        Bed::new(Api::new("Notes").resource::<Note>().resource::<Audit>().hooks::<Note>(hooks));
    wait(async {
        assert_eq!(bed.ask("POST /notes", &body("a", "1")).await.status, 201);
        assert_eq!(bed.ask("PATCH /notes/a", r#"{ "text": "2" }"#).await.status, 200);
        assert_eq!(bed.ask("PUT /notes/a", r#"{ "text": "3" }"#).await.status, 200);
        assert_eq!(bed.ask("DELETE /notes/a", "").await.status, 204);
        let expected = ["create >1", "late a", "update 1>2", "replace 2>3", "delete 3>"];
        assert_eq!(bed.audits().await, expected);
    });
}

/// A hook that was added after another one.
fn audit_late(tx: &mut Tx<'_>, change: &Change<Note>) -> Result<(), Error> {
    let id = change.after.as_ref().map(|note| format!("late {}", note.id)).unwrap_or_default();
    tx.as_system().of::<Audit>().create(NewAudit { what: id }).map(drop)
}

#[test]
fn a_refusal_names_the_element_of_a_posted_array() {
    let fault = |text: &str| {
        let fault = Fault::body("/text", "taken", "must be another one.");
        if text == "bad" {
            Some(Error::from_faults(Kind::ALREADY_EXISTS, vec![fault]))
        } else {
            None
        }
    };
    let plain = |text: &str| (text == "no").then(|| Error::new(Kind::ALREADY_EXISTS, "No."));
    let within = move |hooks: Hooks<Note>| {
        hooks.within_write(move |_, change| {
            let text = &change.after.as_ref().unwrap().text;
            fault(text).or_else(|| plain(text)).map_or(Ok(()), Err)
        })
    };
    let before = move |hooks: Hooks<Note>| {
        hooks.before_create(move |_, new: NewNote| async move {
            fault(&new.text).or_else(|| plain(&new.text)).map_or(Ok(new), Err)
        })
    };
    for bed in [
        Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(within)),
        Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(before)),
    ] {
        wait(async {
            let many = format!("[{}, {}]", body("a", "1"), body("b", "bad"));
            let refused = bed.ask("POST /notes", &many).await;
            assert_eq!(refused.status, 409);
            assert_eq!(refused.json["detail"], "At `/1`: `text` must be another one.");
            assert_eq!(refused.json["errors"][0]["pointer"], "/1/text");
            let many = format!("[{}, {}]", body("a", "1"), body("b", "no"));
            let refused = bed.ask("POST /notes", &many).await.json;
            assert_eq!(
                (&refused["detail"], &refused["errors"][0]["pointer"]),
                (&"No.".into(), &"/1".into())
            );
            let one = bed.ask("POST /notes", &body("b", "bad")).await.json;
            assert_eq!(one["errors"][0]["pointer"], "/text");
            let one = bed.ask("POST /notes", &body("b", "no")).await.json;
            assert_eq!(one.get("errors"), None);
            assert_eq!(bed.ask("GET /notes?count=true", "").await.json["total"], 0);
        });
    }
}
