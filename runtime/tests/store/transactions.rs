//! Transactions of the program: they read and write any resource, keep all or nothing, and cannot
//! wait for themselves.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use nouns_runtime::{
    Api, AsSystem, Error, Fault, Id, Kind, Query, Resource as _, Tx, identify::Caller, limits,
};

use super::bed::wait;
use crate::{
    database,
    hooks::bed::{Audit, Bed, NewAudit},
    typed::zoo::{Animal, AnimalPatch, NewAnimal, NewZoo, Zoo, ZooPatch},
};

fn api() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<Animal>().resource::<Audit>()
}

fn taken() -> Error {
    Error::new(Kind::ALREADY_EXISTS, "Not this one.")
}

/// Returns the texts of all records, as the store has them.
fn records(bed: &Bed) -> Vec<String> {
    let page = wait(bed.store.of::<Audit>().list(&Query::new().limit(100))).unwrap();
    page.into_iter().map(|record| record.what.clone()).collect()
}

fn record(tx: &mut Tx<'_, AsSystem>, what: &str) -> Result<(), Error> {
    tx.of::<Audit>().create(NewAudit { what: what.into() }).map(drop)
}

#[test]
fn a_transaction_reads_and_writes_every_resource() {
    let bed = Bed::new(api());
    let done = bed.store.transaction_as_system(|tx| {
        let zoo = tx.of::<Zoo>().create(NewZoo::new("City".into()))?;
        let many = vec![NewAnimal::new("Bella".into()), NewAnimal::new("Tembo".into())];
        let many = tx.of::<Animal>().within(zoo.id).create_many(many)?;
        let names = Animal::query().filter(|animal| animal.name.starts_with("B"));
        assert_eq!(tx.of::<Animal>().within(zoo.id).count(&names)?, 1);
        assert!(tx.of::<Animal>().exists(&names)?);
        assert_eq!(tx.of::<Animal>().first(&names)?.unwrap().id, many[0].id);
        assert!(tx.of::<Animal>().find(Id::new(9))?.is_none());
        let stale = tx.of::<Zoo>().if_match(many[1].revision).update(zoo.id, ZooPatch::default());
        assert_eq!(stale.unwrap_err().status().as_u16(), 412);
        let patch = ZooPatch { name: "Town".to_owned().into(), ..ZooPatch::default() };
        let zoo = tx.of::<Zoo>().if_match(zoo.revision).update(zoo.id, patch)?;
        assert_eq!(tx.of::<Animal>().delete_many(&names)?, 1);
        record(tx, &zoo.name)?;
        tx.of::<Animal>().count(&Query::new())
    });
    assert_eq!(wait(done).unwrap(), 1);
    assert_eq!(records(&bed), ["Town"]);
}

#[test]
fn an_error_undoes_everything_and_comes_back_as_it_is() {
    let bed = Bed::new(api());
    let etag = |bed: &Bed| wait(bed.ask("GET /audits", "")).headers["etag"].clone();
    let before = etag(&bed);
    let failed = wait(bed.store.transaction_as_system(|tx| {
        record(tx, "a")?;
        let fault = Fault::body("/what", "taken", "must be another one.");
        Err::<(), _>(Error::from_faults(Kind::INVALID_CONTENT, vec![fault]))
    }));
    assert_eq!(failed.unwrap_err().to_string(), "`what` must be another one.");
    assert_eq!(records(&bed), [""; 0]);
    assert_eq!(etag(&bed), before, "an undone write changes no validator");
    wait(bed.store.transaction_as_system(|tx| record(tx, "b"))).unwrap();
    assert_ne!(etag(&bed), before, "a transaction changes the validators of what it writes");
}

#[test]
fn a_savepoint_undoes_its_own_writes_only() {
    let bed = Bed::new(api());
    wait(bed.store.transaction_as_system(|tx| {
        record(tx, "a")?;
        let inner = tx.savepoint(|tx| {
            record(tx, "b")?;
            tx.savepoint(|tx| record(tx, "c"))?;
            Err::<(), _>(taken())
        });
        assert_eq!(inner.unwrap_err().to_string(), "Not this one.");
        tx.savepoint(|tx| record(tx, "d"))?;
        // A refused write changes nothing, and the transaction continues.
        assert_eq!(record(tx, "d").unwrap_err().kind(), Kind::ALREADY_EXISTS);
        record(tx, "e")
    }))
    .unwrap();
    assert_eq!(records(&bed), ["a", "d", "e"]);
}

#[test]
fn a_panic_in_a_savepoint_undoes_its_own_writes_only() {
    let bed = Bed::new(api());
    wait(bed.store.transaction_as_system(|tx| {
        record(tx, "a")?;
        let outer = tx.savepoint(|tx| {
            record(tx, "b")?;
            let inner = AssertUnwindSafe(|| {
                tx.savepoint(|tx| -> Result<(), Error> {
                    record(tx, "c")?;
                    panic!("the code of a user failed")
                })
            });
            assert!(catch_unwind(inner).is_err());
            record(tx, "d")
        });
        assert!(outer.is_ok());
        let undone = tx.savepoint(|tx| record(tx, "e").and_then(|()| Err::<(), _>(taken())));
        assert!(undone.is_err());
        record(tx, "f")
    }))
    .unwrap();
    assert_eq!(records(&bed), ["a", "b", "d", "f"]);
}

#[test]
fn writes_of_a_transaction_run_the_hooks_within_and_after() {
    let after = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&after);
    let bed = Bed::new(api().hooks::<Zoo>(move |hooks| {
        let counted = Arc::clone(&counted);
        hooks
            .before_create(|_, _| async { Err(Error::internal("no transaction runs this")) })
            .within_write(|tx, change| match &change.after {
                Some(zoo) if zoo.name == "none" => Err(taken()),
                Some(zoo) => {
                    let what = format!("{} {}", change.operation.word(), zoo.name);
                    record(&mut tx.as_system(), &what)
                }
                None => record(&mut tx.as_system(), change.operation.word()),
            })
            .after_write(move |_, _| {
                counted.fetch_add(1, Ordering::SeqCst);
                async { Ok(()) }
            })
    }));
    wait(async {
        let undone = bed.store.transaction_as_system(|tx| {
            tx.of::<Zoo>().create(NewZoo::new("undone".into()))?;
            Err::<(), _>(taken())
        });
        assert!(undone.await.is_err());
        let done = bed.store.transaction_as_system(|tx| {
            let zoo = tx.of::<Zoo>().create(NewZoo::new("a".into()))?;
            let refused = tx.of::<Zoo>().create(NewZoo::new("none".into()));
            assert_eq!(refused.unwrap_err().to_string(), "Not this one.");
            let undone = tx.savepoint(|tx| {
                tx.of::<Zoo>().create(NewZoo::new("c".into()))?;
                Err::<(), _>(taken())
            });
            assert!(undone.is_err());
            tx.of::<Zoo>().replace(zoo.id, NewZoo::new("b".into()))?;
            tx.of::<Zoo>().delete(zoo.id)
        });
        done.await.unwrap();
        bed.store.close().await;
    });
    assert_eq!(after.load(Ordering::SeqCst), 3, "only for writes that were committed");
    assert_eq!(records(&bed), ["create a", "replace b", "delete"]);
}

#[test]
fn a_call_of_the_store_from_inside_is_an_error_and_no_deadlock() {
    let bed = Bed::new(api());
    let inner = bed.store.clone();
    let failed = wait(bed.store.transaction_as_system(move |tx| {
        let from_inside = [
            wait(inner.of::<Zoo>().create(NewZoo::new("a".into()))).map(drop),
            wait(inner.of::<Zoo>().list(&Query::new())).map(drop),
            wait(inner.transaction_as_system(|tx| record(tx, "nested"))),
        ];
        for result in from_inside {
            let source = result.unwrap_err().source().unwrap().to_string();
            assert!(source.contains("use the `Tx` of the transaction"), "{source}");
        }
        record(tx, "outer")
    }));
    failed.unwrap();
    assert_eq!(records(&bed), ["outer"]);
}

#[test]
fn a_panic_fails_only_its_own_transaction() {
    let bed = Bed::new(api());
    let panicked = wait(bed.store.transaction_as_system(|tx| {
        record(tx, "a")?;
        panic!("the closure panicked");
        #[expect(unreachable_code, reason = "the closure needs a type")]
        Ok(())
    }));
    assert_eq!(panicked.unwrap_err().status().as_u16(), 500);
    wait(bed.store.transaction_as_system(|tx| record(tx, "b"))).unwrap();
    assert_eq!(records(&bed), ["b"]);
}

#[test]
fn sql_reads_what_the_declaration_cannot_say() {
    let bed = Bed::new(api());
    let rows = wait(bed.store.transaction_as_system(|tx| {
        for (zoo, animals) in [("a", 1), ("b", 3), ("c", 0)] {
            let zoo = tx.of::<Zoo>().create(NewZoo::new(zoo.into()))?.id;
            let named = |number: i32| NewAnimal::new(format!("animal {number}"));
            tx.of::<Animal>().within(zoo).create_many((0..animals).map(named).collect())?;
        }
        let text = "SELECT z.name, count(a.id), max(a.name) FROM zoos z LEFT JOIN animals a \
                    ON a.zoo_id = z.id WHERE z.name <> $1 GROUP BY z.id ORDER BY 2";
        let rows = tx.sql(text).bind("a").rows::<(String, u32, Option<String>)>()?;
        assert!(tx.sql("SELECT 1 WHERE 1 = $1").bind(0).first::<(i64,)>()?.is_none());
        Ok(rows)
    }));
    let rows = rows.unwrap();
    assert_eq!(rows, [("c".into(), 0, None), ("b".into(), 3, Some("animal 2".into()))]);
}

/// Texts that a transaction does not run, and the causes.
const REFUSED: [(&str, &str); 19] = [
    ("DELETE FROM audits", "not authorized"),
    ("INSERT INTO audits (what) VALUES ('x')", "not authorized"),
    ("UPDATE audits SET what = 'x' RETURNING what", "not authorized"),
    ("COMMIT", "not authorized"),
    ("SAVEPOINT job", "not authorized"),
    ("ATTACH 'other.db' AS other", "not authorized"),
    ("PRAGMA user_version", "not authorized"),
    ("SELECT * FROM pragma_database_list", "access to"),
    ("SELECT count(*) FROM _nouns_state", "not authorized"),
    ("SELECT name FROM sqlite_master", "access to"),
    ("WITH x AS (SELECT * FROM _NOUNS_state) SELECT 1 FROM x", "access to"),
    ("CREATE TEMP TABLE x AS SELECT 1", "not authorized"),
    ("SELECT 1; SELECT 2", "Multiple statements"),
    ("", "it is no SELECT"),
    ("SELECT what FROM nowhere", "no such table"),
    ("SELECT ?", "it has 1 parameters, and 0 values are bound"),
    ("SELECT 1, 2", "it has 2 columns, and 1 are read"),
    ("SELECT NULL", "its column 1 has NULL, which is not of the type `i64`"),
    ("SELECT x'00'", "a column of its result has a BLOB"),
];

/// The same on PostgreSQL.
const REFUSED_ON_POSTGRES: [(&str, &str); 16] = [
    ("DELETE FROM audits", "it is no SELECT"),
    ("INSERT INTO audits (what) VALUES ('x')", "it is no SELECT"),
    ("UPDATE audits SET what = 'x' RETURNING id", "read-only transaction"),
    ("WITH x AS (DELETE FROM audits RETURNING id) SELECT id FROM x", "read-only transaction"),
    ("COMMIT", "it is no SELECT"),
    ("SAVEPOINT job", "it is no SELECT"),
    ("SET transaction_read_only = off", "it is no SELECT"),
    ("SELECT count(*) FROM _nouns_state", "a table of the store itself"),
    ("WITH x AS (SELECT * FROM _NOUNS_state) SELECT 1 FROM x", "a table of the store itself"),
    ("CREATE TEMP TABLE x AS SELECT 1", "it is no SELECT"),
    ("SELECT 1; SELECT 2", "multiple commands"),
    ("", "it is no SELECT"),
    ("SELECT what FROM nowhere", "\"nowhere\" does not exist"),
    ("SELECT $1::bigint", "it has 1 parameters, and 0 values are bound"),
    ("SELECT 1, 2", "it has 2 columns, and 1 are read"),
    ("SELECT NULL::bigint", "its column 1 has NULL, which is not of the type `i64`"),
];

#[test]
fn sql_can_only_read_and_not_the_tables_of_the_store() {
    let bed = Bed::new(api());
    wait(bed.store.transaction_as_system(|tx| record(tx, "kept"))).unwrap();
    let refused = if database::is_postgres() { &REFUSED_ON_POSTGRES[..] } else { &REFUSED[..] };
    for (text, cause) in refused {
        let failed = wait(bed.store.transaction_as_system(move |tx| {
            record(tx, "undone")?;
            tx.sql(text).rows::<(i64,)>().map(drop)
        }));
        let error = failed.unwrap_err();
        let source = error.source().unwrap().to_string();
        assert!(source.contains(cause), "{text}: {source}");
        assert_eq!(records(&bed), ["kept"], "{text}");
    }
}

#[test]
fn sql_is_bounded_in_rows_and_in_time() {
    let bed = Bed::new(api());
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    let most = i64::from(limits::LIST_MEMBERS_MAX);
    let limited = format!("{numbers} LIMIT $1");
    let rows = |limit: i64| {
        let text = limited.clone();
        let read = move |tx: &mut Tx<'_, AsSystem>| tx.sql(&text).bind(limit).rows::<(i64,)>();
        wait(bed.store.transaction_as_system(read)).map(|rows| rows.len() as i64)
    };
    assert_eq!(rows(most).unwrap(), most);
    let error = rows(most + 1).unwrap_err();
    assert!(error.source().unwrap().to_string().contains("more than 10000 rows"));
    assert_eq!(rows(1).unwrap(), 1);
}

#[test]
fn sql_without_end_is_interrupted_and_the_next_transaction_runs() {
    let bed = Bed::new(api());
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                   SELECT count(*) FROM n";
    let failed = wait(bed.store.transaction_as_system(move |tx| {
        record(tx, "undone")?;
        // The closure ignores the failure, but the transaction cannot continue.
        tx.sql(endless).first::<(i64,)>().ok();
        assert!(record(tx, "late").is_err());
        Ok(())
    }));
    assert_eq!(failed.unwrap_err().status().as_u16(), 503);
    wait(bed.store.transaction_as_system(|tx| record(tx, "next"))).unwrap();
    assert_eq!(records(&bed), ["next"]);
}

#[test]
fn sql_has_no_access_rules_so_it_runs_for_the_program_only() {
    let bed = Bed::new(api());
    let anyone = bed.store.acting_as(&Caller::Anonymous);
    let rows = wait(anyone.transaction(|tx| {
        assert_eq!(*tx.caller(), Caller::Anonymous);
        assert_eq!(*tx.as_caller().caller(), Caller::Anonymous);
        assert_eq!(*tx.as_system().caller(), Caller::System);
        tx.as_system().sql("SELECT 7").rows::<(i64,)>()
    }));
    assert_eq!(rows.unwrap(), [(7,)]);
}

#[test]
fn a_transaction_of_a_closed_store_is_refused() {
    let bed = Bed::new(api());
    wait(bed.store.close());
    let refused = wait(bed.store.transaction_as_system(|tx| record(tx, "late")));
    assert_eq!(refused.unwrap_err().status().as_u16(), 503);
}

#[test]
fn transactions_run_one_after_the_other() {
    let bed = Bed::new(api());
    let adds = (0..50).map(|_| {
        let store = bed.store.clone();
        std::thread::spawn(move || {
            wait(store.transaction_as_system(|tx| {
                let count = tx.of::<Audit>().count(&Query::new())?;
                record(tx, &format!("{count:02}"))
            }))
        })
    });
    for add in adds.collect::<Vec<_>>() {
        add.join().unwrap().unwrap();
    }
    let expected: Vec<_> = (0..50).map(|number| format!("{number:02}")).collect();
    assert_eq!(records(&bed), expected);
}

#[test]
fn a_patch_of_a_transaction_is_checked_like_one_of_a_client() {
    let bed = Bed::new(api());
    let failed = wait(bed.store.transaction_as_system(|tx| {
        let zoo = tx.of::<Zoo>().create(NewZoo::new("a".into()))?;
        let animal = tx.of::<Animal>().within(zoo.id).create(NewAnimal::new("b".into()))?;
        let patch = AnimalPatch { weight_kg: Some(-1.0).into(), ..AnimalPatch::default() };
        tx.of::<Animal>().update(animal.id, patch)
    }));
    assert_eq!(failed.unwrap_err().status().as_u16(), 422);
}
