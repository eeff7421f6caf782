//! Hooks after a write. They run after the commit. A response does not wait for them, but the
//! closing of the store does.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use nouns_runtime::{Api, Error, error::Kind};
use tokio::sync::{Semaphore, mpsc};

use super::bed::{Audit, Bed, NewAudit};
use crate::{
    store::bed::wait,
    typed::zoo::{Animal, NewZoo, Zoo},
};

fn zoos() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Audit>()
}

#[test]
fn they_run_after_the_commit_and_see_it() {
    let (sender, mut tidings) = mpsc::unbounded_channel();
    let bed = Bed::new(zoos().hooks::<Zoo>(move |hooks| {
        let created = sender.clone();
        hooks
            .after_create(move |context, change| {
                let sender = created.clone();
                async move {
                    let zoo = change.after.ok_or_else(|| Error::internal("no zoo"))?;
                    let stored = context.store().of::<Zoo>().get(zoo.id).await?;
                    context
                        .store()
                        .of::<Audit>()
                        .create(NewAudit { what: stored.name.clone() })
                        .await?;
                    sender
                        .send(format!("created {} at {:?}", stored.name, context.path()))
                        .unwrap();
                    Ok(())
                }
            })
            .after_delete(move |_, change| {
                let sender = sender.clone();
                async move {
                    let name = change.before.map(|zoo| zoo.into_inner().name);
                    sender.send(format!("deleted {name:?}, {:?}", change.after.is_some())).unwrap();
                    Ok(())
                }
            })
    }));
    wait(async {
        assert_eq!(
            bed.ask("POST /zoos", r#"[{ "name": "a" }, { "name": "b" }]"#).await.status,
            201
        );
        assert_eq!(tidings.recv().await.unwrap(), "created a at Some(\"/zoos\")");
        assert_eq!(tidings.recv().await.unwrap(), "created b at Some(\"/zoos\")");
        assert_eq!(bed.ask("DELETE /zoos/1", "").await.status, 204);
        assert_eq!(tidings.recv().await.unwrap(), "deleted Some(\"a\"), false");
        assert_eq!(bed.audits().await, ["a", "b"]);
    });
}

#[test]
fn what_was_not_done_is_not_told() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let bed = Bed::new(zoos().hooks::<Zoo>(|hooks| {
        hooks
            .within_create(|_, change| match &change.after {
                Some(zoo) if zoo.name == "b" => Err(Error::new(Kind::ALREADY_EXISTS, "No.")),
                _ => Ok(()),
            })
            .after_create(move |_, _| {
                count.fetch_add(1, Ordering::Relaxed);
                async { Ok(()) }
            })
    }));
    wait(async {
        assert_eq!(
            bed.ask("POST /zoos", r#"[{ "name": "a" }, { "name": "b" }]"#).await.status,
            409
        );
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "a" }"#).await.status, 201);
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "a" }"#).await.status, 409);
        bed.store.close().await;
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn closing_waits_for_them_and_neither_panics_nor_errors_stop_the_others() {
    let (gate, done) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (opened, count) = (Arc::clone(&gate), Arc::clone(&done));
    let bed = Bed::new(zoos().hooks::<Zoo>(move |hooks| {
        hooks.after_create(move |_, change| {
            let (gate, done) = (Arc::clone(&opened), Arc::clone(&count));
            let name = change.after.map(|zoo| zoo.into_inner().name).unwrap_or_default();
            assert_ne!(name, "panics");
            async move {
                assert_ne!(name, "panics later");
                if name == "fails" {
                    return Err(Error::internal("secret"));
                }
                gate.acquire().await.unwrap().forget();
                done.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        })
    }));
    wait(async {
        for name in ["a", "panics", "panics later", "fails", "b"] {
            assert!(bed.store.of::<Zoo>().create(NewZoo::new(name.into())).await.is_ok());
        }
        let store = bed.store.clone();
        let mut closing = Box::pin(async move { store.close().await });
        std::future::poll_fn(|context| {
            assert!(
                closing.as_mut().poll(context).is_pending(),
                "the store must not be closed while two hooks are still running"
            );
            std::task::Poll::Ready(())
        })
        .await;
        let refused = bed.store.of::<Zoo>().create(NewZoo::new("late".into())).await.unwrap_err();
        assert_eq!((refused.status().as_u16(), refused.headers().len()), (503, 1));
        // After the signal to stop, a writer executes one more write. So two successful creations
        // prove that the writer still runs.
        for what in ["first", "second"] {
            let note = NewAudit { what: what.into() };
            assert!(
                bed.store.of::<Audit>().create(note).await.is_ok(),
                "the writer must run until all hooks have ended"
            );
        }
        assert_eq!(done.load(Ordering::Relaxed), 0);
        gate.add_permits(2);
        closing.await;
        assert_eq!(done.load(Ordering::Relaxed), 2);
    });
}
