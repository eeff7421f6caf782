//! Tests of the deadline of writes. A write that exceeds the deadline is refused, and other writes
//! of the same batch succeed.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{database, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  note:
    methods: [list, create, get, delete, delete_many]
    fields:
      text: { type: string, required: true }
      about_id: { references: { resource: note, as: about, on_delete: cascade } }
";

/// A trigger that makes an insert of a note with the text `slow` take years. Other inserts take no
/// time.
const SLOW: &str = "CREATE TRIGGER slow AFTER INSERT ON notes WHEN new.text = 'slow' BEGIN
    SELECT count(*) FROM notes a, notes b, notes c, notes d, notes e, notes f, notes g, notes h; END";

/// The same on PostgreSQL.
const SLOW_ON_POSTGRES: &str = "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(86400); RETURN NULL; END $$;
    CREATE TRIGGER slow AFTER INSERT ON notes FOR EACH ROW WHEN (new.text = 'slow') EXECUTE FUNCTION slow()";

/// A timeout far above the deadline of a write, and far below the time of a slow write.
const PATIENCE: Duration = Duration::from_secs(60);

/// Conformance 58: a write that takes too long is 503 with `Retry-After`, and others succeed.
#[test]
fn a_write_past_its_deadline_fails_alone() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let many: Vec<_> = (0..50).map(|number| json!({ "text": format!("{number}") })).collect();
    client.create("/notes", &json!(many));
    server.elsewhere(match database::is_postgres() {
        true => SLOW_ON_POSTGRES,
        false => SLOW,
    });
    let begun = Instant::now();
    thread::scope(|scope| {
        let slow = scope.spawn(|| server.client().post("/notes", &json!({ "text": "slow" })));
        let beside = |number: u64| {
            thread::sleep(Duration::from_millis(20 * number));
            server.client().post("/notes", &json!({ "text": "beside" })).status()
        };
        let beside: Vec<_> = (0..10).map(|number| scope.spawn(move || beside(number))).collect();
        assert!(beside.into_iter().all(|one| one.join().unwrap() == 201));
        let slow = slow.join().unwrap();
        assert_eq!((slow.status(), slow.problem().as_str()), (503, "unavailable"));
        assert_eq!(
            slow.detail(),
            "The write was interrupted, and changed nothing: it took longer than 5 seconds."
        );
        assert!(slow.field("retry-after").is_some());
    });
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(client.get("/notes?text=slow&count=true").json()["total"], 0);
    assert_eq!(client.get("/notes?text=beside&count=true").json()["total"], 10);
}

/// A deletion that cascades to more rows than the limit is interrupted and refused, and changes
/// nothing.
#[test]
fn a_deletion_that_takes_too_many_rows_along_changes_nothing() {
    let server = TestServer::of(SCHEMA);
    drop(server.service.store().clone().with_deletion_rows_max(5_000));
    let mut client = server.client();
    client.create("/notes", &json!({ "text": "root" }));
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO notes (text, about_id) SELECT 'leaf', 1 FROM n";
    server.elsewhere(rows);
    let before = client.get("/notes/1").field("etag").unwrap().to_owned();
    for target in ["/notes/1", "/notes?text[in]=root,leaf"] {
        let refused = client.delete(target);
        assert_eq!(
            (refused.status(), refused.problem().as_str()),
            (409, "deletion-too-large"),
            "{target}"
        );
        assert!(
            refused.detail().contains("more than 5000 rows"),
            "the problem must name the limit: {}",
            refused.detail()
        );
    }
    assert_eq!(client.get("/notes?count=true&limit=1").json()["total"], 5_001);
    assert_eq!(client.get("/notes/1").field("etag"), Some(&*before));
    assert_eq!(client.delete("/notes/2").status(), 204);
    assert_eq!(client.delete("/notes/1").status(), 204, "a deletion of 5,000 rows must succeed");
    assert_eq!(client.get("/notes?count=true&limit=1").json()["total"], 0);
}
