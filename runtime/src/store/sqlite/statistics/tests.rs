//! Tests that tables are analyzed after they have grown, and that readers use the new planner
//! statistics.

use super::*;

const TABLE: &str = "CREATE TABLE a (id INTEGER PRIMARY KEY, few INTEGER, many INTEGER);
    CREATE INDEX a_few ON a (few);
    CREATE INDEX a_many ON a (many);
    CREATE TABLE b (id INTEGER PRIMARY KEY, few INTEGER);
    CREATE INDEX b_few ON b (few);";

fn fill(connection: &Connection, from: u64, to: u64) {
    let text = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
                INSERT INTO a SELECT i, i % 2, i FROM n";
    connection.execute(text, [from.cast_signed(), to.cast_signed()]).unwrap();
}

/// The number of rows of a table according to SQLite's statistics. 0 if the table was not analyzed.
fn rows(connection: &Connection, table: &str) -> u64 {
    let text = "SELECT max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE tbl = ?1";
    let rows: Option<i64> = connection.query_row(text, [table], |row| row.get(0)).unwrap();
    rows.unwrap_or_default().unsigned_abs()
}

#[test]
fn tables_that_have_grown_are_analyzed_one_by_one() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(TABLE).unwrap();
    let commits = Arc::new(Commits::default());
    let mut statistics = Statistics::new(Arc::clone(&commits));
    fill(&connection, 1, CHANGES - 1);
    assert!(
        !statistics.tend(&connection),
        "fewer than `CHANGES` rows have changed, so no step is due"
    );
    connection.execute("INSERT INTO b VALUES (1, 1)", []).unwrap();
    let steps = std::iter::repeat_with(|| statistics.tend(&connection))
        .take_while(|has_worked| *has_worked)
        .count();
    assert_eq!(
        (steps, commits.statistics()),
        (3, 1),
        "one step finds the tables, and one more step analyzes each of the two tables"
    );
    assert_eq!((rows(&connection, "a"), rows(&connection, "b")), (CHANGES - 1, 1));
    fill(&connection, CHANGES, 5 * CHANGES);
    assert!(
        !statistics.tend(&connection),
        "too few rows have changed since the last check, so no step is due"
    );
    fill(&connection, 5 * CHANGES + 1, 40 * CHANGES);
    let steps = std::iter::repeat_with(|| statistics.tend(&connection))
        .take_while(|has_worked| *has_worked)
        .count();
    assert_eq!(
        (steps, commits.statistics()),
        (2, 2),
        "one step finds the tables, and one more analyzes table `a`, since `b` has not grown"
    );
    assert_eq!(rows(&connection, "a"), 40 * CHANGES);
    statistics.at = Instant::now();
    assert!(statistics.tend(&connection), "the interval is over, so a step asks SQLite");
    assert!(!statistics.tend(&connection), "no table needs an analysis");
    assert_eq!(commits.statistics(), 2);
}

/// Compares the query plans of a statement on a worker's connection, before and after an analysis.
#[test]
fn readers_go_by_new_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    writer.execute_batch(TABLE).unwrap();
    let commits = Arc::new(Commits::default());
    let file = Arc::new(crate::store::sqlite::file::DatabaseFile::of(&writer));
    let identity = crate::plan::validator::Identity {
        database: "".into(),
        declared: crate::plan::validator::DeclaredTime::new(
            crate::http::http_date::Second::default(),
        ),
        cipher: crate::plan::TagCipher::of(b""),
    };
    let lanes =
        crate::store::sqlite::lane::Lanes::new(&path, 0, file, identity, Arc::clone(&commits));
    let _seat = lanes.enter(usize::MAX).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let uses = |index: &str| {
        let plan = lanes.with(|lane| {
            let text =
                "EXPLAIN QUERY PLAN SELECT * FROM a WHERE few = ?1 AND many > ?2 AND many < ?3";
            let connection = lane.handle.connection();
            connection.query_row(text, [1, 1, 2], |row| row.get::<_, String>(3)).unwrap()
        });
        let plan = runtime.block_on(plan).unwrap();
        assert!(plan.contains(index), "{plan}");
    };
    uses("a_few");
    let text = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
                INSERT INTO a SELECT i, 1, i FROM n";
    writer.execute_batch(text).unwrap();
    let mut statistics = Statistics::new(commits);
    while statistics.tend(&writer) {}
    uses("a_many");
}
