//! Tests of every SQLite function that the module `raw` calls. They are also run under valgrind.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    slice,
};

use super::*;
use crate::store::sink::{Cell, Row as _};

fn prepared() -> PreparedConnection {
    PreparedConnection::new(Connection::open_in_memory().unwrap())
}

/// Runs a statement, and returns the first `cells` cells of its rows as values.
fn run(
    prepared: &mut PreparedConnection,
    slot: Slot,
    cells: usize,
    values: &[Value],
) -> Result<Vec<Vec<Value>>> {
    let mut rows = vec![];
    prepared.rows(slot, values, |row| {
        rows.push((0..cells).map(|at| row.cell(at).into()).collect());
        true
    })?;
    Ok(rows)
}

fn once(
    prepared: &mut PreparedConnection,
    text: &str,
    cells: usize,
    values: &[Value],
) -> Result<Vec<Vec<Value>>> {
    let slot = prepared.prepare(text)?;
    let rows = run(prepared, slot, cells, values);
    prepared.forget(slot);
    rows
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn values_come_back_as_they_went() {
    let mut prepared = prepared();
    let slot = prepared.prepare("SELECT ?1, typeof(?1), ?1").unwrap();
    let long = "näher ".repeat(10_000);
    let values = [
        (Value::Null, "null"),
        (Value::Integer(i64::MIN), "integer"),
        (Value::Number(-0.5), "real"),
        (text(""), "text"),
        (text("a\0b"), "text"),
        (text(&long), "text"),
    ];
    for (value, kind) in values {
        let rows = run(&mut prepared, slot, 3, slice::from_ref(&value)).unwrap();
        assert_eq!(rows, [[value.clone(), text(kind), value]]);
    }
}

#[test]
fn what_was_bound_is_bound_no_longer() {
    let mut prepared = prepared();
    let slot = prepared.prepare("SELECT ?1, ?2").unwrap();
    let bound = [text("gone"), text("gone too")];
    assert_eq!(run(&mut prepared, slot, 2, &bound).unwrap(), slice::from_ref(&bound));
    drop(bound);
    assert_eq!(
        run(&mut prepared, slot, 2, &[Value::Integer(1)]).unwrap(),
        [[Value::Integer(1), Value::Null]]
    );
}

#[test]
fn texts_of_rows_are_those_of_the_table() {
    let mut prepared = prepared();
    once(&mut prepared, "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT, y BLOB) STRICT", 0, &[])
        .unwrap();
    let insert = prepared.prepare("INSERT INTO t (x, y) VALUES (?1, x'00ff')").unwrap();
    for length in 0..2_000 {
        let added = prepared.execute(insert, &[text(&"x".repeat(length))]).unwrap();
        assert_eq!(added, 1);
    }
    let slot = prepared.prepare("SELECT x, y, length(x) FROM t ORDER BY id DESC").unwrap();
    let mut length = 2_000;
    prepared
        .rows(slot, [], |row| {
            length -= 1;
            // Each cell is read twice, and the second read must return the same value.
            for _ in 0..2 {
                assert_eq!(row.cell(0), Cell::Text("x".repeat(length).as_bytes()));
                assert_eq!(row.cell(1), Cell::Text(&[0, 255]));
            }
            assert_eq!(row.cell(2), Cell::Integer(length as i64));
            assert_eq!(row.cell(3), Cell::Null, "a cell that does not exist is NULL");
            assert_eq!(row.cell(usize::MAX), Cell::Null);
            true
        })
        .unwrap();
    assert_eq!(length, 0);
}

#[test]
fn a_run_that_ends_early_leaves_the_statement_as_it_was() {
    let mut prepared = prepared();
    let slot = prepared.prepare("SELECT ?1 UNION ALL SELECT 2").unwrap();
    for _ in 0..2 {
        let mut count = 0;
        prepared
            .rows(slot, &[Value::Integer(1)], |_| {
                count += 1;
                false
            })
            .unwrap();
        assert_eq!(count, 1);
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let value = text("of a run that panics");
        prepared.rows(slot, [&value], |row| panic!("{:?}", row.cell(0)))
    }));
    assert!(panicked.is_err());
    let rows = run(&mut prepared, slot, 1, &[]).unwrap();
    assert_eq!(rows, [[Value::Null], [Value::Integer(2)]]);
}

/// While a row of one statement is read, others run, also to their end. The statement itself cannot
/// run again before.
#[test]
fn statements_run_while_others_are_at_a_row() {
    let mut prepared = prepared();
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) ";
    let outer = prepared.prepare(&[numbers, "SELECT i, 'row ' || i FROM n"].concat()).unwrap();
    let inner = prepared.prepare(&[numbers, "SELECT ?2 || i FROM n"].concat()).unwrap();
    let mut found = vec![];
    for panics in [false, true, false] {
        found.clear();
        let runs = catch_unwind(AssertUnwindSafe(|| {
            let three = [Value::Integer(3)];
            prepared.run(outer, &three)?.rows(|row| {
                let Cell::Integer(count) = row.cell(0) else { panic!("a number is one") };
                let values = [Value::Integer(count), text("x")];
                let run = prepared.run(inner, &values).unwrap();
                run.rows(|below| {
                    assert!(!panics, "a row panics");
                    assert!(matches!(prepared.run(inner, &values), Err(Error::InvalidQuery)));
                    found.push(Value::from(below.cell(0)));
                    true
                })
                .unwrap();
                assert!(matches!(prepared.run(outer, &three), Err(Error::InvalidQuery)));
                // The row is as before, whatever ran meanwhile.
                assert_eq!(row.cell(1), Cell::Text(format!("row {count}").as_bytes()));
                true
            })
        }));
        assert_eq!(runs.is_err(), panics);
    }
    let all = ["x1", "x1", "x2", "x1", "x2", "x3"].map(text);
    assert_eq!(found, all);
    assert_eq!(run(&mut prepared, inner, 1, &[Value::Integer(1), text("y")]).unwrap().len(), 1);
}

#[test]
fn a_statement_survives_a_change_of_its_table() {
    let mut prepared = prepared();
    once(&mut prepared, "CREATE TABLE t (x)", 0, &[]).unwrap();
    let slot = prepared.prepare("SELECT x, ?1 FROM t").unwrap();
    once(&mut prepared, "INSERT INTO t VALUES (7)", 0, &[]).unwrap();
    once(&mut prepared, "ALTER TABLE t ADD COLUMN y DEFAULT 'y'", 0, &[]).unwrap();
    assert_eq!(
        run(&mut prepared, slot, 2, &[text("z")]).unwrap(),
        [[Value::Integer(7), text("z")]]
    );
}

#[test]
fn failures_say_what_sqlite_says() {
    let mut prepared = prepared();
    let unknown = prepared.prepare("SELECT * FROM missing").unwrap_err();
    assert_eq!(unknown.to_string(), "no such table: missing");
    assert!(matches!(prepared.prepare("-- nothing"), Err(Error::InvalidQuery)));
    once(&mut prepared, "CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT", 0, &[]).unwrap();
    let insert = prepared.prepare("INSERT INTO t VALUES (?1)").unwrap();
    prepared.execute(insert, &[Value::Integer(1)]).unwrap();
    let twice = prepared.execute(insert, &[Value::Integer(1)]).unwrap_err();
    assert_eq!(twice.to_string(), "UNIQUE constraint failed: t.x");
    assert_eq!(twice.sqlite_error().unwrap().extended_code, ffi::SQLITE_CONSTRAINT_PRIMARYKEY);
    let many = prepared.execute(insert, &[Value::Integer(2), text("too many")]).unwrap_err();
    assert_eq!(many.sqlite_error().unwrap().extended_code, ffi::SQLITE_RANGE);
    assert_eq!(
        prepared.execute(insert, &[Value::Integer(2)]).unwrap(),
        1,
        "the statement works after its errors"
    );
}

#[test]
fn a_slot_without_a_statement_is_refused_and_used_again() {
    let mut prepared = prepared();
    let slot = prepared.prepare("SELECT 1").unwrap();
    prepared.forget(slot);
    prepared.forget(Slot(7));
    assert!(matches!(run(&mut prepared, slot, 1, &[]), Err(Error::InvalidQuery)));
    assert_eq!(prepared.prepare("SELECT 2").unwrap(), slot);
    assert_eq!(run(&mut prepared, slot, 1, &[]).unwrap(), [[Value::Integer(2)]]);
}

#[test]
fn a_connection_closes_with_its_statements() {
    let folder = tempfile::tempdir().unwrap();
    let (file, log) = (folder.path().join("t.db"), folder.path().join("t.db-wal"));
    let connection = Connection::open(&file).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    let mut prepared = PreparedConnection::new(connection);
    let slot = prepared.prepare("SELECT * FROM t").unwrap();
    run(&mut prepared, slot, 1, &[]).unwrap();
    assert!(log.exists());
    // The pool of connections may also drop a connection on another thread than the one that opened
    // it.
    std::thread::spawn(move || drop(prepared)).join().unwrap();
    assert!(!log.exists(), "closing the last connection of a database deletes the WAL");
}

#[test]
fn a_database_is_synced_through_its_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("t.db")).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    sync(&connection).unwrap();
    sync(&Connection::open_in_memory().unwrap()).unwrap();
}

#[test]
fn a_run_can_be_ended() {
    let mut prepared = prepared();
    let slot = prepared
        .prepare("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        .unwrap();
    let mut times = 0;
    prepared
        .watch(1_000, move || {
            times += 1;
            times > 3
        })
        .unwrap();
    let ended = run(&mut prepared, slot, 1, &[]).unwrap_err();
    assert_eq!(ended.sqlite_error().unwrap().extended_code, ffi::SQLITE_INTERRUPT);
}
