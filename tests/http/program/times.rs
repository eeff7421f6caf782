//! Times in the future: what the start says of them, and how they are repaired.

use std::{fs, path::Path};

use serde_json::json;

use super::{Serving, run, schema, stderr, stdout};

const NAME: &str = "      name: string\n";

/// The first time is that of a clock that was far ahead.
const FUTURE: &str = "2999-01-01T00:00:00.000000Z";

fn ahead(folder: &Path) {
    let database = rusqlite::Connection::open(folder.join("zoo.db")).unwrap();
    let state =
        format!("UPDATE _nouns_state SET stamped_at = '{FUTURE}', declared_at = '{FUTURE}'");
    let rows = format!("UPDATE zoos SET created_at = '{FUTURE}' WHERE id = 1");
    database
        .execute_batch(&format!(
            "{state}; UPDATE _nouns_tables SET changed_at = '{FUTURE}'; {rows}"
        ))
        .unwrap();
}

#[test]
fn times_in_the_future_are_found_at_the_start_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = schema(folder, NAME);
    let serving = Serving::start(folder, &[&file]);
    let mut client = serving.client();
    client.create("/zoos", &json!([{ "name": "one" }, { "name": "two" }]));
    let busy = run(folder, &["repair", &file]);
    assert_eq!(busy.status.code(), Some(1));
    assert!(stderr(&busy).contains("is in use by"), "{}", stderr(&busy));
    let (_, log) = serving.stop("-TERM");
    let said = "the last change of the database is more than an hour ahead of the clock";
    assert!(!log.contains(said), "{log}");
    let none = run(folder, &["repair", &file]);
    assert_eq!(stdout(&none), "`zoo.db` has no times in the future\n");
    ahead(folder);
    // Later changes keep the time.
    let serving = Serving::start(folder, &[&file]);
    let tag = serving.client().get("/zoos/1").field("etag").unwrap().to_owned();
    let made = serving.client().create("/zoos", &json!({ "name": "three" })).json();
    assert!(made["updated_at"].as_str().unwrap().starts_with("2999-"), "{made}");
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains(said), "{log}");
    let before = fs::read(folder.join("zoo.db")).unwrap();
    let counted = stdout(&run(folder, &["repair", &file]));
    assert!(counted.contains("- 2 rows of `zoos` have times in the future.\n"), "{counted}");
    assert!(counted.contains("with --apply"), "{counted}");
    assert_eq!(fs::read(folder.join("zoo.db")).unwrap(), before, "nothing has changed");
    let applied = stdout(&run(folder, &["repair", &file, "--apply"]));
    assert!(
        applied.contains("are now the present:\n- The last change has the time 2999-"),
        "{applied}"
    );
    let none = run(folder, &["repair", &file]);
    assert_eq!(stdout(&none), "`zoo.db` has no times in the future\n");
    let serving = Serving::start(folder, &[&file]);
    let mut client = serving.client();
    for zoo in client.get("/zoos").json()["items"].as_array().unwrap() {
        for name in ["created_at", "updated_at"] {
            assert!(zoo[name].as_str().unwrap().starts_with("20"), "{zoo}");
        }
    }
    assert_ne!(client.get("/zoos/1").field("etag"), Some(tag.as_str()));
    let made = client.create("/zoos", &json!({ "name": "four" })).json();
    assert!(made["created_at"].as_str().unwrap().starts_with("20"), "{made}");
    let (_, log) = serving.stop("-TERM");
    assert!(!log.contains(said), "{log}");
}
