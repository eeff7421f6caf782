//! Transactions whose code panics, ignores errors, or asks for too much. They hurt no other write.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nouns_runtime::{Api, AsSystem, Error, Kind, Query, Tx};

use super::bed::wait;
use crate::{
    hooks::bed::{Audit, Bed, NewAudit},
    typed::zoo::{NewZoo, Zoo, ZooPatch},
};

fn api() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Audit>()
}

fn record(tx: &mut Tx<'_, AsSystem>, what: &str) -> Result<(), Error> {
    tx.of::<Audit>().create(NewAudit { what: what.into() }).map(drop)
}

fn records(bed: &Bed) -> Vec<String> {
    let page = wait(bed.store.of::<Audit>().list(&Query::new().limit(100))).unwrap();
    page.into_iter().map(|record| record.what.clone()).collect()
}

/// A refused precondition of a collection stores revisions before it is tested. If a savepoint
/// undoes that, the commit stores them again.
#[test]
fn an_undone_precondition_loses_no_revision() {
    let bed = Bed::new(api());
    let old = wait(bed.store.of::<Zoo>().create(NewZoo::new("old".into()))).unwrap();
    let etag = |bed: &Bed| wait(bed.ask("GET /zoos", "")).headers["etag"].clone();
    let before = etag(&bed);
    let revision = old.revision;
    let created = wait(bed.store.transaction_as_system(move |tx| {
        let new = tx.of::<Zoo>().create(NewZoo::new("new".into()))?;
        let every = Query::<Zoo>::new().filter(|zoo| zoo.name.eq("old"));
        let refused =
            tx.savepoint(|tx| tx.of::<Zoo>().if_match(revision).delete_many(&every).map(drop));
        assert_eq!(refused.unwrap_err().status().as_u16(), 412);
        Ok(new)
    }))
    .unwrap();
    assert_ne!(etag(&bed), before, "the new zoo changes the validator of the zoos");
    let patch = ZooPatch { name: "newer".to_owned().into(), ..ZooPatch::default() };
    let patched = wait(async { bed.store.of::<Zoo>().update(old.id, patch).await }).unwrap();
    assert_ne!(patched.revision, created.revision, "no revision is used twice");
}

#[test]
fn a_caught_panic_of_a_hook_fails_the_transaction() {
    let bed = Bed::new(api().hooks::<Zoo>(|hooks| {
        hooks.within_create(|tx, _| {
            record(&mut tx.as_system(), "of the hook")?;
            panic!("the code of a hook failed")
        })
    }));
    let ends = Arc::new(AtomicUsize::new(0));
    for succeeds in [true, false] {
        let reached = Arc::clone(&ends);
        let failed = wait(bed.store.transaction_as_system(move |tx| {
            record(tx, "before")?;
            let create = AssertUnwindSafe(|| tx.of::<Zoo>().create(NewZoo::new("z".into())));
            let is_over = catch_unwind(create).map_or(true, |created| created.is_err());
            assert!(is_over && record(tx, "after").is_err(), "the transaction has failed");
            reached.fetch_add(1, Ordering::Relaxed);
            match succeeds {
                true => Ok(()),
                false => Err(Error::new(Kind::ALREADY_EXISTS, "Not this one.")),
            }
        }));
        assert_eq!(failed.unwrap_err().status().as_u16(), 500);
        assert_eq!(records(&bed), [""; 0]);
        assert_eq!(wait(bed.store.of::<Zoo>().count(&Query::new())).unwrap(), 0);
    }
    assert_eq!(ends.load(Ordering::Relaxed), 2, "both closures came to their end");
    wait(bed.store.transaction_as_system(|tx| record(tx, "next"))).unwrap();
    assert_eq!(records(&bed), ["next"]);
}

/// A value that a closure owns, whose `Drop` panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the drop of a value failed");
        }
    }
}

#[test]
fn a_panic_in_a_drop_hurts_no_other_write() {
    let bed = Bed::new(api());
    let writes: Vec<_> = (0..40)
        .map(|at| {
            let store = bed.store.clone();
            std::thread::spawn(move || {
                let bomb = (at % 4 == 0).then(|| Bomb);
                wait(store.transaction_as_system(move |tx| {
                    let _owned = &bomb;
                    record(tx, &format!("{at:02}"))
                }))
            })
        })
        .collect();
    for (at, write) in writes.into_iter().enumerate() {
        let result = write.join().unwrap();
        assert!(result.is_ok() || at % 4 == 0, "{at}: {result:?}");
    }
    assert_eq!(records(&bed).len(), 40);
}

#[test]
fn each_deletion_has_its_own_limit_of_rows() {
    let bed = Bed::new(api());
    let store = bed.store.clone().with_deletion_rows_max(3);
    let deleted = wait(store.transaction_as_system(|tx| {
        for name in ["a1", "b1", "a2", "b2", "a3", "b3"] {
            tx.of::<Zoo>().create(NewZoo::new(name.into()))?;
        }
        let named =
            |name: &'static str| Query::<Zoo>::new().filter(|zoo| zoo.name.starts_with(name));
        let first = tx.of::<Zoo>().delete_many(&named("a"))?;
        Ok(first + tx.of::<Zoo>().delete_many(&named("b"))?)
    }));
    assert_eq!(deleted.unwrap(), 6);
}

#[test]
fn one_transaction_cannot_take_the_places_of_all_hooks() {
    let after = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&after);
    let bed = Bed::new(api().hooks::<Audit>(move |hooks| {
        let counted = Arc::clone(&counted);
        hooks.after_create(move |_, _| {
            let counted = Arc::clone(&counted);
            async move {
                counted.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        })
    }));
    let records = |count: usize| {
        wait(bed.store.transaction_as_system(move |tx| {
            (0..count).try_for_each(|at| record(tx, &format!("{count} {at}")))
        }))
    };
    records(128).unwrap();
    let refused = records(129).unwrap_err();
    assert!(refused.source().unwrap().to_string().contains("at most 128 writes"));
    let many = wait(bed.store.transaction_as_system(|tx| {
        let many = (0..500).map(|at| NewAudit { what: format!("y{at}") }).collect();
        tx.of::<Audit>().create_many(many).map(|many| many.len())
    }));
    assert_eq!(many.unwrap(), 500);
    wait(bed.store.close());
    assert_eq!(after.load(Ordering::Relaxed), 628);
}

/// The connection caches statements by their text, also those of the store itself.
#[test]
fn a_text_of_the_store_itself_is_refused_too() {
    let bed = Bed::new(api());
    for text in [
        "SELECT \"revision\", \"stamped_at\" FROM \"_nouns_state\"",
        "SELECT name, pgsize FROM dbstat",
    ] {
        let read = wait(
            bed.store.transaction_as_system(move |tx| tx.sql(text).rows::<(String, String)>()),
        );
        let cause = read.unwrap_err().source().unwrap().to_string();
        assert!(
            cause.contains("not authorized") || cause.contains("prohibited"),
            "{text}: {cause}"
        );
    }
}

#[test]
fn a_value_of_another_type_is_not_repeated() {
    let bed = Bed::new(api());
    let read = wait(bed.store.transaction_as_system(|tx| {
        record(tx, "s3cret")?;
        tx.sql("SELECT what FROM audits").rows::<(i64,)>()
    }));
    let cause = read.unwrap_err().source().unwrap().to_string();
    assert!(cause.contains("its column 1 has a text") && !cause.contains("s3cret"), "{cause}");
}
