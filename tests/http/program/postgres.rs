//! Tests of the program with PostgreSQL.

mod restarts;

use std::{path::Path, thread, time::Duration};

use serde_json::json;

use super::{Serving, ZOO, run, stderr, stdout};
use crate::{
    client::Client,
    database::{self, TestDatabase},
};

fn url(folder: &Path) -> String {
    assert!(database::is_postgres(), "run this test with tests/with_postgres");
    TestDatabase::new(folder.join("x.db")).location()
}

/// A request is explained with the SQL and the plan of PostgreSQL.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_plan_of_postgres_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(folder.path());
    let explain = |request: &str, more: &[&str]| {
        run(folder.path(), &[&["explain", request, ZOO, "--database", &url], more].concat())
    };
    let output = explain("GET /zoos/7", &[]);
    assert!(stderr(&output).contains("does not have the tables of this schema"), "{output:?}");
    let serving = Serving::start(folder.path(), &[ZOO, "--database", &url]);
    serving.client().create("/zoos", &json!({ "name": "One" }));
    for (request, more, parts) in [
        ("GET /zoos/7", &[][..], ["$1", "zoos_pkey"]),
        ("GET /zoos/7/animals?sortby=name&weight_kg[gte]=2", &[], ["LIMIT $", "Limit"]),
        ("POST /zoos", &["--data", r#"{"name": "Two"}"#], ["INSERT INTO", "Insert on zoos"]),
        ("PATCH /zoos/1", &["--data", r#"{"name": "Two"}"#], ["UPDATE", "Update on zoos"]),
        ("DELETE /zoos/1", &[], ["DELETE FROM", "Delete on zoos"]),
    ] {
        let output = explain(request, more);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{request}: {}", stderr(&output));
        for part in parts {
            assert!(text.contains(part), "{request}: {text}");
        }
    }
    assert_eq!(serving.client().get("/zoos?count=true").json()["total"], 1);
}

/// While the database is away, each request fails, but few of them have a line in the log.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_log_has_few_lines_while_the_database_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let other = TestDatabase::new(folder.path().join("x.db"));
    for script in ["DROP DATABASE IF EXISTS nouns_away", "CREATE DATABASE nouns_away"] {
        other.run(script);
    }
    let url = database::url("dbname=nouns_away");
    let serving = Serving::start(folder.path(), &[ZOO, "--database", &url]);
    let mut client = serving.client();
    client.create("/zoos", &json!({ "name": "One" }));
    other.run("ALTER DATABASE nouns_away ALLOW_CONNECTIONS false");
    other
        .run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'nouns_away'");
    let status = |client: &mut Client| Client::get(client, "/zoos?count=true").status();
    let failed = (0..200).filter(|_| status(&mut client) == 503).count();
    assert!(failed > 100, "{failed}");
    other.run("ALTER DATABASE nouns_away ALLOW_CONNECTIONS true");
    for _ in 0..500 {
        if status(&mut client) == 200 {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(status(&mut client), 200);
    let (_, log) = serving.stop("-TERM");
    let count = |part: &str| log.lines().filter(|line| line.contains(part)).count();
    let (lines, back) = (count("The database is not available"), count("is available again"));
    assert!((1..20).contains(&lines), "{lines} lines of {failed} failures: {log}");
    assert_eq!(back, 1, "{log}");
}
