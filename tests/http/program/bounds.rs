//! Tests of `nouns serve` with writes that take too long or change too many rows.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Serving, ZOO};

const DATABASE: &str = "zoo.db";

/// A trigger that makes an insert of a zoo with the name `slow` take years.
const SLOW: &str = "CREATE TRIGGER slow AFTER INSERT ON zoos WHEN new.name = 'slow' BEGIN
    SELECT count(*) FROM zoos a, zoos b, zoos c, zoos d, zoos e, zoos f, zoos g, zoos h; END";

/// A timeout far above the drain time of the server, and far below the time of a slow write.
const PATIENCE: Duration = Duration::from_secs(40);

/// A signal ends the program soon even during a slow write. The database then contains nothing of
/// that write.
#[test]
fn a_signal_ends_the_program_whatever_write_is_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--database", DATABASE]);
    let many: Vec<_> = (0..50).map(|number| json!({ "name": format!("zoo {number}") })).collect();
    serving.client().create("/zoos", &json!(many));
    let database = rusqlite::Connection::open(folder.path().join(DATABASE)).unwrap();
    database.execute_batch(SLOW).unwrap();
    let mut client = serving.client();
    let body = json!({ "name": "slow" }).to_string();
    let head = "POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    client.write(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
    // The insert has begun, and now its client disconnects.
    thread::sleep(Duration::from_millis(500));
    drop(client);
    let begun = Instant::now();
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    let count = "SELECT count(*) FROM zoos WHERE name = 'slow'";
    assert_eq!(database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn the_rows_of_a_deletion_are_bounded_by_a_flag_and_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let schema = "
nouns: 1
resources:
  zoo: { fields: { name: string } }
  animal: { parent: { resource: zoo, on_delete: cascade }, fields: { name: string } }
";
    fs::write(folder.path().join("cascading.yaml"), schema).unwrap();
    let serving = Serving::start(folder.path(), &["cascading.yaml", "--deletion-rows-max", "20"]);
    let mut client = serving.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    client.create(
        "/zoos/1/animals",
        &(0..20).map(|number| json!({ "name": number.to_string() })).collect(),
    );
    let refused = client.delete("/zoos/1");
    assert_eq!((refused.status(), refused.problem().as_str()), (409, "deletion-too-large"));
    assert!(refused.detail().contains("more than 20 rows"), "{}", refused.detail());
    assert_eq!(
        client.get("/zoos/1/animals?count=true").json()["total"],
        20,
        "a refused deletion must delete nothing"
    );
    serving.stop("-TERM");
    let mut command = super::nouns(folder.path());
    command.env("NOUNS_DELETION_ROWS_MAX", "21");
    let serving = Serving::start_with(command, &["cascading.yaml"]);
    assert_eq!(serving.client().delete("/zoos/1").status(), 204);
    serving.stop("-TERM");
}
