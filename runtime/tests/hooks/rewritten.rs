//! Hooks within a write that write to the same table. Later hooks and the response get the final
//! state.

use nouns_runtime::{Api, Patch};
use serde_json::json;
use tokio::sync::mpsc;

use super::bed::Bed;
use crate::{
    store::bed::wait,
    typed::zoo::{NewZoo, Zoo, ZooPatch},
};

fn city(city: &str) -> ZooPatch {
    ZooPatch { city: Patch::Set(Some(city.into())), ..ZooPatch::default() }
}

#[test]
fn the_answer_and_every_later_hook_see_what_an_earlier_one_wrote() {
    let (sender, mut tidings) = mpsc::unbounded_channel();
    let after = sender.clone();
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks
            .within_create(|tx, change| {
                let Some(zoo) = &change.after else { return Ok(()) };
                tx.as_system().of::<Zoo>().update(zoo.id, city("Rome")).map(drop)
            })
            .within_create(move |_, change| {
                sender.send(change.after.as_ref().and_then(|zoo| zoo.city.clone())).unwrap();
                Ok(())
            })
            .after_create(move |_, change| {
                after.send(change.after.and_then(|zoo| zoo.into_inner().city)).unwrap();
                async { Ok(()) }
            })
    }));
    wait(async {
        let post = bed.ask("POST /zoos", r#"{ "name": "a" }"#).await;
        let get = bed.ask("GET /zoos/1", "").await;
        assert_eq!((post.status, &post.json["city"]), (201, &json!("Rome")));
        assert_eq!((&post.json, &post.headers["etag"]), (&get.json, &get.headers["etag"]));
        for _ in 0..2 {
            assert_eq!(tidings.recv().await.unwrap().as_deref(), Some("Rome"));
        }
    });
}

#[test]
fn of_an_array_each_is_shown_as_it_is_at_the_end() {
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks.within_create(|tx, change| match &change.after {
            Some(zoo) if zoo.name == "b" => {
                tx.as_system().of::<Zoo>().update(nouns_runtime::Id::new(1), city("Rome")).map(drop)
            }
            _ => Ok(()),
        })
    }));
    wait(async {
        let post = bed.ask("POST /zoos", r#"[{ "name": "a" }, { "name": "b" }]"#).await;
        assert_eq!(
            (&post.json["items"][0]["city"], &post.json["items"][1]["city"]),
            (&json!("Rome"), &json!(null))
        );
        let typed = bed.store.of::<Zoo>().create(NewZoo::new("c".into())).await.unwrap();
        assert_eq!(typed.revision, bed.store.of::<Zoo>().get(typed.id).await.unwrap().revision);
    });
}

#[test]
fn a_hook_that_deletes_what_is_written_undoes_the_write() {
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks.within_create(|tx, change| {
            change.after.as_ref().map_or(Ok(()), |zoo| tx.as_system().of::<Zoo>().delete(zoo.id))
        })
    }));
    wait(async {
        let error = bed.store.of::<Zoo>().create(NewZoo::new("a".into())).await.unwrap_err();
        let cause = "a hook within the write of a `zoo` deleted the written member; the hook must return an error instead";
        assert_eq!(
            (error.status().as_u16(), error.source().unwrap().to_string()),
            (500, cause.into())
        );
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "a" }"#).await.status, 500);
        assert_eq!(bed.ask("GET /zoos", "").await.json["items"], json!([]));
    });
}
