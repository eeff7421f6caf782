//! Hooks before a write. They change the input or refuse the write, for HTTP requests and for typed
//! calls.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::StatusCode;
use nouns_runtime::{Api, Error, Patch, error::Kind};

use super::bed::{Bed, NewNote, Note};
use crate::{
    store::bed::{letters, wait},
    typed::zoo::{Animal, AnimalPatch, NewAnimal, NewZoo, Zoo},
};

const CLOSED: Kind = Kind {
    slug: "closed",
    status: StatusCode::CONFLICT,
    title: "The zoo is closed",
    meaning: "Nothing is done while the zoo is closed. Come back tomorrow.",
};

fn closed() -> Error {
    Error::new(CLOSED, "It opens at nine.")
}

fn zoos() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>()
}

#[test]
fn the_input_of_a_creation_is_changed_and_checked() {
    let bed = Bed::new(zoos().hooks::<Zoo>(|hooks| {
        let doubled =
            |_, new: NewZoo| async move { Ok(NewZoo { name: new.name.repeat(40), ..new }) };
        hooks
            .before_create(
                |_, new| async move { Ok(NewZoo { city: Some("Leipzig".into()), ..new }) },
            )
            .before_create(doubled)
    }));
    wait(async {
        let post = bed.ask("POST /zoos", r#"{ "name": "ab", "city": "Rome" }"#).await;
        assert_eq!((post.status, &post.json["city"]), (201, &"Leipzig".into()));
        let many = bed.ask("POST /zoos", r#"[{ "name": "c" }, { "name": "def" }]"#).await;
        assert_eq!(many.status, 422);
        let fault = &many.json["errors"][0];
        assert_eq!((&fault["pointer"], &fault["code"]), (&"/1/name".into(), &"max_length".into()));
        assert_eq!(bed.ask("GET /zoos?count=true", "").await.json["total"], 1);

        let typed = bed.store.of::<Zoo>().create(NewZoo::new("x".into())).await.unwrap();
        assert_eq!((typed.name.len(), typed.city.as_deref()), (40, Some("Leipzig")));
        let error = bed.store.of::<Zoo>().create(NewZoo::new("xyz".into())).await.unwrap_err();
        assert_eq!(error.status(), 422);
    });
}

#[test]
fn what_a_hook_takes_back_gets_its_default_and_what_it_leaves_alone_stays() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks.before_create(|_, new: NewNote| async move {
            let stars = new.stars.filter(|stars| *stars < 9);
            Ok(NewNote { stars, secret: Some("s".into()), ..new })
        })
    }));
    wait(async {
        let stars = |stars: &str| {
            format!(r#"{{ "id": "n{stars}", "text": "t", "author": "a", "stars": {stars} }}"#)
        };
        for (given, kept) in [("9", 3.into()), ("5", 5.into()), ("null", serde_json::Value::Null)] {
            assert_eq!(bed.ask("POST /notes", &stars(given)).await.json["stars"], kept);
        }
        let note = bed.store.of::<Note>().get(nouns_runtime::Id::new("n5".into())).await.unwrap();
        assert_eq!(note.secret.as_deref(), Some("s"), "a hook may set a hidden field");
    });
}

#[test]
fn an_error_becomes_the_problem_that_the_hook_chose() {
    let refusing =
        |api: Api| api.hooks::<Zoo>(|hooks| hooks.before_create(|_, _| async { Err(closed()) }));
    wait(async {
        let bed = Bed::new(refusing(zoos().problem(CLOSED)));
        let problem = bed.ask("POST /zoos", r#"{ "name": "a" }"#).await;
        assert_eq!((problem.status, &problem.json["type"]), (409, &"/-/problems/closed".into()));
        assert_eq!(
            (&problem.json["title"], &problem.json["detail"]),
            (&"The zoo is closed".into(), &"It opens at nine.".into())
        );
        let page = bed.ask("GET /-/problems/closed", "").await;
        assert_eq!((page.status, &page.json["meaning"]), (200, &CLOSED.meaning.into()));
        let pages = bed.ask("GET /-/problems", "").await.json;
        assert!(
            pages["items"].as_array().unwrap().iter().any(|page| page["title"] == CLOSED.title)
        );

        let bed = Bed::new(refusing(zoos()));
        let problem = bed.ask("POST /zoos", r#"{ "name": "a" }"#).await;
        assert_eq!(
            (&problem.json["type"], &problem.json["title"]),
            (&"about:blank".into(), &"Conflict".into())
        );
        assert_eq!(bed.ask("GET /-/problems/closed", "").await.status, 404);
    });
}

#[test]
fn a_replacement_gets_what_the_member_will_be() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks
            .before_replace(|_, id, new: NewNote| async move {
                Ok(NewNote { text: format!("{id} {} {:?}", new.author, new.stars), ..new })
            })
            .before_create(
                |_, new: NewNote| async move { Ok(NewNote { text: "made".into(), ..new }) },
            )
    }));
    wait(async {
        let created =
            bed.ask("PUT /notes/n", r#"{ "text": "t", "author": "a", "stars": 5 }"#).await;
        assert_eq!(
            (created.status, &created.json["text"]),
            (201, &"made".into()),
            "a PUT that creates a member runs the hook before_create"
        );
        let put = bed.ask("PUT /notes/n", r#"{ "text": "t", "stars": 7 }"#).await;
        assert_eq!(
            (put.status, &put.json["detail"]),
            (422, &"`text` must have at most 10 characters.".into())
        );
        let put = bed.ask("PUT /notes/n", r#"{ "text": "t", "stars": null }"#).await;
        assert_eq!(
            (put.status, &put.json["text"], &put.json["author"]),
            (200, &"n a None".into(), &"a".into())
        );
    });
}

#[test]
fn a_change_is_changed_or_taken_back() {
    let bed = Bed::new(zoos().hooks::<Animal>(|hooks| {
        hooks.before_update(|_, id, patch: AnimalPatch| async move {
            let name = format!("animal {id}").into();
            Ok(AnimalPatch { name, weight_kg: Patch::Keep, ..patch })
        })
    }));
    wait(async {
        let zoo = bed.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        let animals = bed.store.of::<Animal>().within(zoo.id);
        let new = NewAnimal { weight_kg: Some(2.0), ..NewAnimal::new("b".into()) };
        let bella = animals.create(new).await.unwrap();
        let patched =
            bed.ask("PATCH /zoos/1/animals/1", r#"{ "weight_kg": 3, "born": "2026-01-01" }"#).await;
        assert_eq!(
            (&patched.json["name"], &patched.json["weight_kg"]),
            (&"animal 1".into(), &2.0.into())
        );
        assert_eq!(patched.json["born"], "2026-01-01");
        let patch = AnimalPatch { name: Patch::Set("c".into()), ..AnimalPatch::default() };
        assert_eq!(animals.update(bella.id, patch).await.unwrap().name, "animal 1");
        let missing = bed.status("PATCH /zoos/2/animals/1", "{}").await;
        assert_eq!(missing, (404, "There is no zoo `2`.".into()));
    });
}

#[test]
fn every_deletion_of_many_is_asked_for() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks.before_delete(
            |_, id| async move { if id.key() == "b" { Err(closed()) } else { Ok(()) } },
        )
    }));
    wait(async {
        for id in ["a", "b", "c"] {
            let body = format!(r#"{{ "id": "{id}", "text": "t", "author": "a" }}"#);
            assert_eq!(bed.ask("POST /notes", &body).await.status, 201);
        }
        assert_eq!(bed.ask("DELETE /notes?text=t", "").await.status, 409);
        assert_eq!(bed.ask("DELETE /notes/b", "").await.status, 409);
        assert_eq!(bed.ask("DELETE /notes?id[in]=a,c,d", "").await.status, 204);
        let notes = bed.ask("GET /notes", "").await.json;
        assert_eq!(
            (&notes["items"][0]["id"], &notes["items"][1]),
            (&"b".into(), &serde_json::Value::Null)
        );
        assert_eq!(bed.ask("DELETE /notes?id=zz", "").await.status, 204);
    });
}

/// The deleted members together are larger than a page may be. The hook still runs for each of
/// them.
#[test]
fn every_deletion_of_large_members_is_asked_for() {
    const NOTES: usize = 70;
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(move |hooks| {
        hooks.before_delete(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            async { Ok(()) }
        })
    }));
    wait(async {
        for at in 0..NOTES {
            let body = format!(r#"{{ "id": "{at:03}", "text": "t", "author": "a" }}"#);
            assert_eq!(bed.ask("POST /notes", &body).await.status, 201);
        }
        bed.database.run(&format!("UPDATE notes SET text = {}", letters(1_000_000)));
        assert_eq!(bed.ask("DELETE /notes?author=a", "").await.status, 204);
        assert_eq!(bed.database.cell("SELECT count(*) FROM notes"), "0");
        assert_eq!(runs.load(Ordering::Relaxed), NOTES);
    });
}

#[test]
fn a_panic_costs_its_request_alone() {
    let bed = Bed::new(zoos().hooks::<Zoo>(|hooks| {
        hooks.before_create(|_, new: NewZoo| async move {
            assert_ne!(new.name, "boom");
            Ok(new)
        })
    }));
    wait(async {
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "boom" }"#).await.status, 500);
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "a" }"#).await.status, 201);
    });
}

#[test]
fn a_hook_knows_the_request() {
    let bed = Bed::new(zoos().hooks::<Animal>(|hooks| {
        hooks.before_create(|context, new: NewAnimal| async move {
            let agent = context.header(&http::header::USER_AGENT).unwrap_or("a program");
            let (method, path) = (context.method().cloned(), context.path().unwrap_or("nowhere"));
            let zoo = context.parent::<Zoo>().map(|zoo| *zoo.key());
            let name = format!(
                "{agent} {method:?} {path} {zoo:?} {}",
                context.client().is_some_and(|client| client.address.is_some())
            );
            Ok(NewAnimal { name, ..new })
        })
    }));
    wait(async {
        let zoo = bed.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap();
        let body = r#"{ "name": "x" }"#;
        let post = bed.ask_with("POST /zoos/1/animals", body, &[("user-agent", "test")]).await;
        assert_eq!(post.json["name"], "test Some(POST) /zoos/1/animals Some(1) false");
        let typed = bed
            .store
            .of::<Animal>()
            .within(zoo.id)
            .create(NewAnimal::new("y".into()))
            .await
            .unwrap();
        assert_eq!(typed.name, "a program None nowhere Some(1) false");
    });
}
