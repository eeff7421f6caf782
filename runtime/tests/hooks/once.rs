//! Requests with an `Idempotency-Key` that are sent again: their hooks run only once.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
    mpsc,
};

use nouns_runtime::Api;

use super::bed::Bed;
use crate::{store::bed::wait, typed::zoo::Zoo};

const KEY: [(&str, &str); 1] = [("idempotency-key", "\"a\"")];
const BODY: &str = r#"{ "name": "Tierpark" }"#;

/// Conformance 161: a request that is sent again gets the first response, and no hook runs again.
#[test]
fn hooks_are_told_once() {
    let counts: Arc<[AtomicUsize; 3]> = Arc::default();
    let count = |at: usize| {
        let counts = Arc::clone(&counts);
        move || counts[at].fetch_add(1, Ordering::SeqCst)
    };
    let (before, within, after) = (count(0), count(1), count(2));
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks
            .before_create(move |_, new| {
                before();
                async move { Ok(new) }
            })
            .within_create(move |_, _| {
                within();
                Ok(())
            })
            .after_create(move |_, _| {
                after();
                async { Ok(()) }
            })
    }));
    wait(async {
        let first = bed.ask_with("POST /zoos", BODY, &KEY).await;
        assert_eq!(first.status, 201);
        for _ in 0..3 {
            let again = bed.ask_with("POST /zoos", BODY, &KEY).await;
            assert_eq!(
                (again.status, &again.json, &again.headers),
                (201, &first.json, &first.headers)
            );
            let other = bed.ask_with("POST /zoos", r#"{ "name": "Bergzoo" }"#, &KEY).await;
            assert_eq!(other.status, 422);
        }
        bed.store.close().await;
    });
    let counts: Vec<_> = counts.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    assert_eq!(counts, [1, 1, 1]);
}

/// Conformance 161: while a request is executed, another request with the same key gets a 409. This
/// holds even after the first client has disconnected.
#[test]
fn a_request_in_progress_has_its_key_to_itself() {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    let may_go_on = Mutex::new(may_go_on);
    let bed = Bed::new(Api::new("Zoos").resource::<Zoo>().hooks::<Zoo>(|hooks| {
        hooks.within_create(move |_, _| {
            begun.send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
            Ok(())
        })
    }));
    wait(async {
        {
            let mut first = Box::pin(bed.ask_with("POST /zoos", BODY, &KEY));
            let begun = tokio::task::spawn_blocking(move || has_begun.recv().unwrap());
            tokio::select! {
                _ = &mut first => panic!("the first request must wait while a hook blocks its write"),
                begun = begun => begun.unwrap(),
            }
            let second = bed.ask_with("POST /zoos", BODY, &KEY).await;
            assert_eq!(
                (second.status, &second.json["type"]),
                (409, &"/-/problems/request-in-progress".into())
            );
            assert_eq!(second.headers["retry-after"], "1");
        }
        let third = bed.ask_with("POST /zoos", BODY, &KEY).await;
        assert_eq!(
            third.status, 409,
            "the request is still executed although its client has disconnected"
        );
        go_on.send(()).unwrap();
        let last = loop {
            let again = bed.ask_with("POST /zoos", BODY, &KEY).await;
            if again.status != 409 {
                break again;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        };
        assert_eq!((last.status, &last.json["id"]), (201, &1.into()));
        assert_eq!(bed.ask("GET /zoos?count=true", "").await.json["total"], 1);
    });
}
