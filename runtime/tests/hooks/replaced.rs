//! Operations that a handler replaces. The response is built like the response of the generated
//! operation.

use nouns_runtime::{
    Api, Error,
    error::Kind,
    hook::Hooks,
    typed::{Page, Query},
};
use serde_json::json;

use super::bed::{Bed, NewNote, Note};
use crate::{
    store::bed::wait,
    typed::zoo::{NewZoo, Zoo, ZooPatch},
};

fn replaced(hooks: Hooks<Zoo>) -> Hooks<Zoo> {
    hooks
        .instead_of_list(|context, query: Query<Zoo>| async move {
            let mut page: Page<Zoo> = context.store().of::<Zoo>().list(&query).await?;
            page.members.retain(|zoo| zoo.name != "secret");
            Ok(page)
        })
        .instead_of_get(|context, id| async move {
            let mut zoo = context.store().of::<Zoo>().get(id).await?;
            zoo.value.city = Some("Everywhere".into());
            Ok(zoo)
        })
        .instead_of_create(|context, new: NewZoo| async move {
            let name = format!("{}!", new.name);
            context.store().of::<Zoo>().create(NewZoo { name, ..new }).await
        })
        .instead_of_replace(|context, id, new: NewZoo| async move {
            let name = format!("{}?", new.name);
            context.store().of::<Zoo>().replace(id, NewZoo { name, ..new }).await
        })
        .instead_of_update(|context, id, patch: ZooPatch| async move {
            context
                .store()
                .of::<Zoo>()
                .update(id, ZooPatch { city: Some("Here".to_owned()).into(), ..patch })
                .await
        })
        .instead_of_delete(|_, id| async move {
            Err(Error::new(Kind::STILL_REFERENCED, format!("{id} stays.")))
        })
}

fn zoos() -> Bed {
    Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(replaced))
}

#[test]
fn the_answer_is_that_of_the_generated_operation() {
    let bed = zoos();
    wait(async {
        let post = bed.ask("POST /zoos", r#"{ "name": "a" }"#).await;
        assert_eq!(
            (post.status, &post.headers["location"], &post.json["name"]),
            (201, &"/zoos/1".parse().unwrap(), &json!("a!"))
        );
        let get = bed.ask("GET /zoos/1", "").await;
        assert_eq!((get.status, &get.json["city"]), (200, &json!("Everywhere")));
        assert_eq!(get.headers["etag"], post.headers["etag"]);
        let put = bed.ask("PUT /zoos/1", r#"{ "name": "b" }"#).await;
        assert_eq!(
            (put.status, &put.json["name"], put.headers.get("etag")),
            (200, &json!("b?"), None)
        );
        let patched = bed.ask("PATCH /zoos/1", r#"{ "name": "c" }"#).await;
        assert_eq!((&patched.json["name"], &patched.json["city"]), (&json!("c"), &json!("Here")));
        assert_eq!(bed.status("DELETE /zoos/1", "").await, (409, "1 stays.".into()));
        let keys: Vec<_> = patched.json.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["city", "created_at", "id", "name", "updated_at"]);
    });
}

#[test]
fn a_page_has_its_links_and_no_validator() {
    let bed = zoos();
    wait(async {
        for name in ["a", "secret", "b"] {
            bed.store.of::<Zoo>().create(NewZoo::new(name.into())).await.unwrap();
        }
        let listed = bed.ask("GET /zoos?sortby=name&limit=2&count=true", "").await;
        let names: Vec<_> = listed.json["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|zoo| zoo["name"].clone())
            .collect();
        assert_eq!((names, &listed.json["total"]), (vec![json!("a"), json!("b")], &json!(3)));
        assert_eq!(listed.json["links"]["next"], "/zoos?sortby=name&count=true&limit=2&offset=2");
        assert!(!listed.headers.contains_key("etag"));
        assert_eq!(bed.ask_with("GET /zoos", "", &[("if-match", "\"0\"")]).await.status, 412);
    });
}

/// A page from a handler contains as many members as fit. If the request has `per_page` and the
/// page does not fit, the response is an error that names the size that fits.
#[test]
fn a_page_of_large_members_ends_early() {
    let hooks = |hooks: Hooks<Zoo>| {
        hooks.instead_of_list(|context, query: Query<Zoo>| async move {
            let mut page: Page<Zoo> = context.store().of::<Zoo>().list(&query).await?;
            page.members.iter_mut().for_each(|zoo| zoo.value.city = Some("x".repeat(1_000_000)));
            Ok(page)
        })
    };
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(hooks));
    wait(async {
        for name in 0..10 {
            bed.store.of::<Zoo>().create(NewZoo::new(name.to_string())).await.unwrap();
        }
        let (mut next, mut names) = (Some("/zoos?limit=50".to_owned()), vec![]);
        while let Some(target) = next {
            let page = bed.ask(&format!("GET {target}"), "").await.json;
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= 4, "{target}");
            names.extend(items.iter().map(|zoo| zoo["name"].as_str().unwrap().to_owned()));
            next = page["links"]["next"].as_str().map(str::to_owned);
        }
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let (status, detail) = bed.status("GET /zoos?per_page=50", "").await;
        assert!(status == 400 && detail.contains("use `per_page=4`,"), "{status} {detail}");
    });
}

#[test]
fn preconditions_hold_before_the_handler_is_asked() {
    let bed = zoos();
    wait(async {
        let tag = bed.ask("POST /zoos", r#"{ "name": "a" }"#).await.headers["etag"].clone();
        let tag = tag.to_str().unwrap();
        assert_eq!(bed.ask_with("GET /zoos/1", "", &[("if-none-match", tag)]).await.status, 304);
        let patch = |field: &'static str| {
            let (bed, fields) = (&bed, [(field, tag)]);
            async move { bed.ask_with("PATCH /zoos/1", r#"{ "name": "b" }"#, &fields).await.status }
        };
        assert_eq!(
            (patch("if-none-match").await, patch("if-match").await, patch("if-match").await),
            (412, 200, 412)
        );
        assert_eq!(bed.ask_with("DELETE /zoos/1", "", &[("if-match", tag)]).await.status, 412);
        let echo = bed.ask("PATCH /zoos/1", r#"{ "created_at": "2020-01-01T00:00:00Z" }"#).await;
        assert_eq!((echo.status, &echo.json["errors"][0]["code"]), (422, &json!("read_only")));
        assert_eq!(bed.ask("PUT /zoos/9", r#"{ "name": "c" }"#).await.status, 404);
    });
}

/// If the request accepts no media type of the server, the response is a 406, and no handler runs.
#[test]
fn a_request_that_accepts_nothing_there_is_asks_no_handler() {
    let bed = zoos();
    wait(async {
        bed.ask("POST /zoos", r#"{ "name": "a" }"#).await;
        for (line, body) in [
            ("GET /zoos", ""),
            ("GET /zoos/1", ""),
            ("GET /zoos/9", ""),
            ("PUT /zoos/1", r#"{ "name": "b" }"#),
            ("PATCH /zoos/9", r#"{ "name": "b" }"#),
            ("POST /zoos", r#"{ "name": "b" }"#),
        ] {
            let refused = bed.ask_with(line, body, &[("accept", "image/png")]).await;
            assert_eq!(refused.status, 406, "{line}");
        }
        assert_eq!(
            bed.ask("GET /zoos?fields=name", "").await.json["items"],
            json!([{ "name": "a!" }])
        );
    });
}

#[test]
fn an_array_is_not_created_by_a_handler() {
    let bed = zoos();
    wait(async {
        assert_eq!(bed.ask("POST /zoos", r#"[{ "name": "a" }]"#).await.status, 422);
        assert_eq!(bed.ask("GET /zoos", "").await.json["items"], json!([]));
    });
}

#[test]
fn a_replacement_may_create_where_clients_assign_ids() {
    let model = Api::new("Notes").resource::<Note>();
    let bed = Bed::new(model.hooks::<Note>(|hooks| {
        hooks.instead_of_replace(|context, id, new: NewNote| async move {
            context.store().of::<Note>().replace(id, new).await
        })
    }));
    wait(async {
        let put = bed.ask("PUT /notes/n", r#"{ "text": "t", "author": "a" }"#).await;
        assert_eq!(
            (put.status, put.json),
            (201, json!({ "id": "n", "text": "t", "author": "a", "stars": 3 }))
        );
        let put = bed.ask("PUT /notes/n", r#"{ "text": "u" }"#).await;
        assert_eq!((put.status, &put.json["author"]), (200, &json!("a")));
    });
}
