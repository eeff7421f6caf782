//! Tests of `nouns copy` between SQLite and PostgreSQL.

use std::path::Path;

use serde_json::json;

use super::{MANY, ZOO, bodies, copy, everything, interrupt, many, refused, serve};
use crate::{
    database::{self, TestDatabase},
    program::Serving,
};

const LEAGUE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/league.yaml");

/// The URL of an empty schema for a test.
fn url(folder: &Path, name: &str) -> String {
    assert!(database::is_postgres(), "run this test with tests/with_postgres");
    TestDatabase::new(folder.join(name).join("x.db")).location()
}

/// Runs a script as another program, in the schema of a URL. Returns the one cell of its result, if
/// it has one.
fn elsewhere(url: &str, script: &str) -> String {
    let schema = url.split("search_path%3D").nth(1).unwrap().split('&').next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let rows = TestDatabase::new(folder.path().join("x.db"))
        .rows(&format!("SET search_path = {schema}; {script}"));
    rows.into_iter().flatten().next().unwrap_or_default()
}

/// There and back again: each response is the same, with its ETag if the sources were sealed.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_round_trip_changes_no_response() {
    for (schema, seal) in [(ZOO, true), (LEAGUE, true), (ZOO, false)] {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
        let (there, across) =
            (url(folder.path(), &format!("{name}a")), url(folder.path(), &format!("{name}b")));
        let serving =
            Serving::start(folder.path(), &[schema, "--database", "one.db", "--mock", "7"]);
        let before = everything(folder.path(), schema, &mut serving.client());
        assert!(before.len() > 20, "{}", before.len());
        drop(serving);
        let flags: &[&str] = if seal { &["--seal"] } else { &[] };
        let mut from = "one.db";
        for to in [&*there, &*across, "two.db", "three.db"] {
            copy(folder.path(), &[flags, &[from, to]].concat());
            from = to;
            let serving = serve(folder.path(), schema, to);
            let after = everything(folder.path(), schema, &mut serving.client());
            assert_eq!(bodies(&after), bodies(&before), "{schema}, {to}");
            assert_eq!(after == before, seal, "{schema}, {to}");
        }
    }
}

/// Ids and revisions go on after the last ones of the source, also after one whose row is deleted.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn ids_and_revisions_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
    let url = url(folder.path(), &name);
    let (databases, mut tags, mut id) = (["one.db", &url, "two.db"], vec![], 0);
    for (at, database) in databases.iter().enumerate() {
        if at > 0 {
            copy(folder.path(), &["--seal", databases[at - 1], database]);
        }
        let serving = serve(folder.path(), ZOO, database);
        let mut client = serving.client();
        for _ in 0..2 {
            id += 1;
            let answer = client.create("/zoos", &json!({ "name": format!("Zoo {id}") }));
            assert_eq!(answer.json()["id"], id, "{database}");
            tags.push(answer.field("etag").unwrap().to_owned());
            tags.push(client.get("/zoos").field("etag").unwrap().to_owned());
        }
        assert_eq!(client.delete(&format!("/zoos/{id}")).status(), 204);
        tags.push(client.get("/zoos").field("etag").unwrap().to_owned());
        serving.stop("-TERM");
    }
    let count = tags.len();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), count, "no tag comes twice");
}

/// A sealed PostgreSQL database refuses the writes of servers and of other programs.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_sealed_database_refuses_writes() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
    let url = url(folder.path(), &name);
    let serving = serve(folder.path(), ZOO, &url);
    serving.client().create("/zoos", &json!({ "name": "One" }));
    copy(folder.path(), &["--seal", &url, "zoo.db"]);
    for answer in [
        serving.client().post("/zoos", &json!({ "name": "Late" })),
        serving.client().patch("/zoos/1", &json!({ "name": "Late" })),
        serving.client().delete("/zoos/1"),
    ] {
        assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")), "{answer:?}");
    }
    let refusal = |script: &str| {
        let script = format!(
            "DO $$ BEGIN {script}; RAISE EXCEPTION 'it was not refused'; \
             EXCEPTION WHEN SQLSTATE 'NX001' THEN END $$"
        );
        elsewhere(&url, &script);
    };
    refusal("UPDATE zoos SET name = 'x'");
    refusal("TRUNCATE zoos CASCADE");
    refusal("DELETE FROM _nouns_grants");
    let message =
        refused(folder.path(), &["serve", ZOO, "--database", &url, "--listen", "127.0.0.1:0"]);
    assert!(message.contains("was moved to `zoo.db`; serve that one"), "{message}");
    drop(serving);
    copy(folder.path(), &["--unseal", &url]);
    serve(folder.path(), ZOO, &url).client().create("/zoos", &json!({ "name": "Two" }));
}

/// A copy that is killed goes on, and the digest finds a row that has changed in it.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn an_interrupted_copy_goes_on_and_damage_is_found() {
    for is_damaged in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
        let url = url(folder.path(), &name);
        many(folder.path(), "zoo.db");
        let stored = || {
            let text = "SELECT to_regclass('_nouns_copy_tables') IS NOT NULL AS there \\gset\n\\if :there\n\
                SELECT rows FROM _nouns_copy_tables WHERE name = 'animals';\n\\endif\n";
            elsewhere(&url, text).parse().ok()
        };
        interrupt(folder.path(), &url, stored);
        let serving = ["serve", ZOO, "--database", &url, "--listen", "127.0.0.1:0"];
        let message = refused(folder.path(), &serving);
        assert!(message.contains(" is an unfinished copy; run `nouns copy` again"), "{message}");
        if is_damaged {
            elsewhere(&url, "UPDATE animals SET name = 'Bnt' WHERE id = 7");
            let message = refused(folder.path(), &["copy", "zoo.db", &url]);
            assert!(message.contains("the copy is damaged: the table `animals` has "), "{message}");
            continue;
        }
        let report = copy(folder.path(), &["zoo.db", &url]);
        assert!(report.contains(" of them were there already\n"), "{report}");
        let serving = serve(folder.path(), ZOO, &url);
        let answer = serving.client().get("/zoos/1/animals?count=true&limit=1").json();
        assert_eq!(answer["total"], MANY);
    }
}

/// A database that is not empty, and a value that has no place, are named.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn what_cannot_be_copied_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
    let (full, empty) =
        (url(folder.path(), &format!("{name}a")), url(folder.path(), &format!("{name}b")));
    serve(folder.path(), ZOO, "zoo.db").stop("-TERM");
    elsewhere(&full, "CREATE TABLE animals ()");
    let message = refused(folder.path(), &["copy", "zoo.db", &full]);
    assert!(message.contains(" is not empty: it has the table `animals`; "), "{message}");
    let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
    database.execute_batch("INSERT INTO zoos (name) VALUES ('a' || char(0))").unwrap();
    let message = refused(folder.path(), &["copy", "zoo.db", &empty]);
    let expected = " cannot store the column `name` of the row `1` of the table `zoos`: it has the character U+0000";
    assert!(message.contains(expected), "{message}");
    // Once it is changed, the copy goes on.
    database.execute_batch("UPDATE zoos SET name = 'x'").unwrap();
    copy(folder.path(), &["zoo.db", &empty]);
}
