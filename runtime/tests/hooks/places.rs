//! The URLs at which a handler replaces an operation, and the arguments of the handler. Before the
//! handler runs, the ancestors in the URL are checked.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use nouns_runtime::{Api, Error, Patch};
use serde_json::json;

use super::{
    bed::Bed,
    pen::{NewPen, Pen, PenPatch},
};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, NewZoo, Zoo},
};

fn no_zoo() -> Error {
    Error::internal("the URL names no zoo")
}

fn zoos() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Pen>()
}

/// Pens in two zoos. Handlers replace all operations of pens; each handler makes the equivalent
/// typed call.
fn pens() -> Bed {
    let bed = Bed::new(zoos().hooks::<Pen>(|hooks| {
        hooks
            .instead_of_list(|context, query| async move {
                context.store().of::<Pen>().list(&query).await
            })
            .instead_of_get(|context, id| async move { context.store().of::<Pen>().get(id).await })
            .instead_of_create(|context, new| async move {
                let zoo = context.parent::<Zoo>().ok_or_else(no_zoo)?;
                context.store().of::<Pen>().within(zoo).create(new).await
            })
            .instead_of_update(|context, id, patch| async move {
                context.store().of::<Pen>().update(id, patch).await
            })
            .instead_of_delete(
                |context, id| async move { context.store().of::<Pen>().delete(id).await },
            )
    }));
    wait(async {
        for name in ["a", "b"] {
            let zoo = bed.store.of::<Zoo>().create(NewZoo::new(name.into())).await.unwrap();
            let plan = Some(json!({ "a": 1, "b": { "c": 2, "d": 3 } }));
            bed.store.of::<Pen>().within(zoo.id).create(NewPen { plan, code: None }).await.unwrap();
        }
    });
    bed
}

#[test]
fn a_chain_that_leads_nowhere_reaches_no_handler() {
    let bed = pens();
    wait(async {
        let no_zoo = (404, "There is no zoo `9`.".to_owned());
        let no_pen = (404, "There is no pen `1` under zoo `2`.".to_owned());
        for (method, body) in [("GET", ""), ("PATCH", "{}"), ("DELETE", "")] {
            assert_eq!(bed.status(&format!("{method} /zoos/9/pens/1"), body).await, no_zoo);
            assert_eq!(bed.status(&format!("{method} /zoos/2/pens/1"), body).await, no_pen);
        }
        assert_eq!(bed.status("GET /zoos/9/pens", "").await, no_zoo);
        assert_eq!(bed.status("POST /zoos/9/pens", "{}").await, no_zoo);
        assert_eq!(bed.ask("GET /zoos/1/pens/1", "").await.status, 200);
        assert_eq!(bed.ask("GET /zoos/1/pens", "").await.status, 200);
        assert_eq!(bed.ask("DELETE /zoos/1/pens/1", "").await.status, 204);
    });
}

#[test]
fn what_is_not_there_is_missing_whatever_the_preconditions() {
    let bed = pens();
    wait(async {
        let fields = [("if-match", "*")];
        assert_eq!(bed.ask_with("PATCH /pens/9", "{}", &fields).await.status, 404);
        assert_eq!(bed.ask_with("DELETE /pens/9", "", &fields).await.status, 404);
        let fields = [("if-none-match", "*")];
        let listed = bed.ask_with("GET /pens", "", &fields).await;
        assert_eq!((listed.status, listed.headers.get("etag")), (304, None));
        assert_eq!(bed.ask_with("PATCH /pens/1", "{}", &fields).await.status, 412);
    });
}

#[test]
fn json_is_merged_before_the_handler_is_asked() {
    let bed = pens();
    wait(async {
        let patch = r#"{ "plan": { "a": null, "b": { "c": 4 }, "e": { "f": null } } }"#;
        let patched = bed.ask("PATCH /pens/1", patch).await;
        assert_eq!(patched.json["plan"], json!({ "b": { "c": 4, "d": 3 }, "e": {} }));
        assert_eq!(bed.ask("PATCH /pens/1", r#"{ "plan": [1] }"#).await.json["plan"], json!([1]));
        assert_eq!(
            bed.ask("PATCH /pens/1", r#"{ "plan": { "g": 1 } }"#).await.json["plan"],
            json!({ "g": 1 })
        );
        let typed = PenPatch { plan: Patch::Set(Some(json!({ "h": 1 }))), ..PenPatch::default() };
        let typed = bed.store.of::<Pen>().update(nouns_runtime::Id::new(1), typed).await.unwrap();
        assert_eq!(
            typed.plan,
            Some(json!({ "h": 1 })),
            "a patch from a program replaces the whole JSON value"
        );
    });
}

/// Conformance 20: hooks and handlers do not run for a merge patch whose result would be too large.
#[test]
fn neither_hook_nor_handler_sees_a_merge_that_is_too_large() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let hooked = Bed::new(zoos().hooks::<Pen>(|hooks| {
        hooks.within_update(move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    }));
    let replaced = pens();
    wait(async {
        hooked.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        hooked.ask("POST /zoos/1/pens", "{}").await;
        for bed in [&replaced, &hooked] {
            let grow = |name: &str| json!({ "plan": { name: "x".repeat(600_000) } }).to_string();
            assert_eq!(bed.ask("PATCH /pens/1", &grow("a")).await.status, 200);
            let before = bed.ask("GET /pens/1", "").await.json;
            let (status, detail) = bed.status("PATCH /pens/1", &grow("b")).await;
            assert!(status == 422 && detail.contains("1048576 bytes"), "{status} {detail}");
            assert_eq!(bed.ask("GET /pens/1", "").await.json, before);
            assert_eq!(bed.ask("PATCH /pens/1", &grow("a")).await.status, 200);
        }
    });
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[test]
fn a_member_with_json_from_a_handler_has_no_validator() {
    let (replaced, plain) = (pens(), Bed::new(zoos()));
    wait(async {
        plain.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        for (bed, has) in [(&replaced, false), (&plain, true)] {
            let post = bed.ask("POST /zoos/1/pens", "{}").await;
            assert_eq!((post.status, post.headers.contains_key("etag")), (201, has));
            let get = bed.ask("GET /pens/1", "").await;
            assert_eq!((get.status, get.headers.contains_key("etag")), (200, has));
            assert_eq!(bed.ask("PATCH /pens/1", "{}").await.headers.contains_key("etag"), has);
        }
    });
}

#[test]
fn at_a_flat_url_the_body_names_the_parent() {
    let bed = pens();
    let hooked = Bed::new(zoos().hooks::<Pen>(|hooks| {
        hooks.before_create(|context, new| async move {
            let zoo = context.parent::<Zoo>().ok_or_else(no_zoo)?;
            Ok(NewPen { code: Some(zoo.to_string()), ..new })
        })
    }));
    wait(async {
        let post = bed.ask("POST /pens", r#"{ "zoo_id": 2 }"#).await;
        assert_eq!((post.status, &post.json["zoo_id"]), (201, &json!(2)));
        for name in ["a", "b"] {
            hooked.store.of::<Zoo>().create(NewZoo::new(name.into())).await.unwrap();
        }
        let many = hooked.ask("POST /pens", r#"[{ "zoo_id": 1 }, { "zoo_id": 2 }]"#).await;
        assert_eq!(many.status, 201);
        for id in [1, 2] {
            let pen = hooked.store.of::<Pen>().get(nouns_runtime::Id::new(id)).await.unwrap();
            assert_eq!(pen.code, Some(id.to_string()));
        }
    });
}
