//! Tests of the program with PostgreSQL.

mod restarts;

use std::path::Path;

use serde_json::json;

use super::{Serving, ZOO, run, stderr, stdout};
use crate::database::{self, TestDatabase};

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
