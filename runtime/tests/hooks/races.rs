//! Members that are created or deleted between a hook before a write and the write itself. No write
//! must bypass the hook.

use std::sync::{Arc, Mutex, mpsc};

use nouns_runtime::{Api, Error, error::Kind};

use super::bed::{Answered, Bed, NewNote, Note};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, Zoo},
};

/// Sends a request while the transaction that creates a member is open. Returns the two responses.
fn meanwhile(
    api: Api,
    create: &'static str,
    body: &'static str,
    line: &str,
    sent: &str,
) -> (Bed, Answered) {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let may_go_on = Mutex::new(may_go_on);
    let hold = move || {
        begun.send(()).unwrap();
        may_go_on.lock().unwrap().recv().unwrap();
    };
    let hold = Arc::new(hold);
    let zoo = Arc::clone(&hold);
    let bed = Bed::new(
        api.hooks::<Zoo>(|hooks| {
            hooks
                .within_create(move |_, _| {
                    zoo();
                    Ok(())
                })
                .before_replace(|_, _, _| async {
                    Err(Error::new(Kind::STILL_REFERENCED, "It stays."))
                })
        })
        .hooks::<Note>(|hooks| {
            hooks
                .within_create(move |_, _| {
                    hold();
                    Ok(())
                })
                .before_delete(|_, _| async {
                    Err(Error::new(Kind::STILL_REFERENCED, "It stays."))
                })
        }),
    );
    let answered = wait(async {
        let creating = bed.service.clone();
        let creating = tokio::spawn(async move {
            let (method, uri) = create.split_once(' ').unwrap();
            let request = http::Request::builder().method(method).uri(uri);
            creating.reply(request.body(nouns_runtime::Body::from(body)).unwrap()).await.status
        });
        tokio::task::spawn_blocking(move || has_begun.recv().unwrap()).await.unwrap();
        let mut other = Box::pin(bed.ask(line, sent));
        // The write is in the queue after the request is polled once for each of its reads. The
        // reads do not wait for the writer.
        let early = std::future::poll_fn(|context| {
            std::task::Poll::Ready(other.as_mut().poll(context).is_ready())
        });
        assert!(!early.await, "the second request must wait while a hook blocks the writer");
        go_on.send(()).unwrap();
        let answered = other.await;
        assert_eq!(creating.await.unwrap(), 201);
        answered
    });
    (bed, answered)
}

fn api() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Note>()
}

#[test]
fn a_member_that_comes_meanwhile_is_not_replaced() {
    let (bed, put) =
        meanwhile(api(), "POST /zoos", r#"{ "name": "a" }"#, "PUT /zoos/1", r#"{ "name": "b" }"#);
    assert_eq!(put.status, 412);
    assert_eq!(wait(bed.ask("GET /zoos/1", "")).json["name"], "a");
    assert_eq!(
        wait(bed.status("PUT /zoos/9", r#"{ "name": "b" }"#)),
        (404, "There is no zoo `9`. PUT creates a member only if clients choose the ids.".into())
    );
}

#[test]
fn a_member_that_comes_meanwhile_is_not_deleted() {
    let body = r#"{ "id": "n", "text": "t", "author": "a" }"#;
    let (bed, deleted) = meanwhile(api(), "POST /notes", body, "DELETE /notes?text=t", "");
    assert_eq!(deleted.status, 204);
    assert_eq!(wait(bed.ask("GET /notes/n", "")).status, 200);
}

#[test]
fn a_hook_names_a_member_only_where_no_url_does() {
    let bed = Bed::new(Api::new("Notes").resource::<Note>().hooks::<Note>(|hooks| {
        hooks.before_create(|_, new| async move {
            Ok(NewNote { id: nouns_runtime::Id::new("other".into()), ..new })
        })
    }));
    wait(async {
        let body = r#"{ "id": "mine", "text": "t", "author": "a" }"#;
        assert_eq!(bed.ask("POST /notes", body).await.headers["location"], "/notes/other");
        assert_eq!(bed.ask("PUT /notes/mine", body).await.status, 500);
        assert_eq!(bed.ask("GET /notes/mine", "").await.status, 404);
        let error = bed.store.of::<Note>().replace(
            nouns_runtime::Id::new("mine".into()),
            NewNote {
                id: nouns_runtime::Id::new("mine".into()),
                text: "t".into(),
                secret: None,
                author: "a".into(),
                stars: None,
            },
        );
        let error = error.await.unwrap_err();
        assert!(error.source().unwrap().to_string().contains("changed the id"), "{error:?}");
    });
}
