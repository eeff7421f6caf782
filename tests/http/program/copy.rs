//! Tests of `nouns copy`: between files here, and between engines in `postgres`.

mod postgres;

use std::{
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use serde_json::{Value as Json, json};

use super::{Serving, ZOO, nouns, run, stderr, stdout};
use crate::client::Client;

/// A test waits this long at most for a copy to get somewhere.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of rows that take a copy some time.
const MANY: u32 = 60_000;

fn copy(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["copy"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{arguments:?}");
    let message = stderr(&output);
    message.lines().rfind(|line| !line.starts_with("copying ")).unwrap().to_owned()
}

fn serve(folder: &Path, schema: &str, database: &str) -> Serving {
    Serving::start(folder, &[schema, "--database", database])
}

/// The paths of a schema with lists, and the paths of their members: the path of each response, its
/// status, its ETag and its body.
fn everything(folder: &Path, schema: &str, client: &mut Client) -> Vec<(String, Vec<String>)> {
    let routes = stdout(&run(folder, &["routes", schema, "--format", "json"]));
    let routes: Vec<Json> = serde_json::from_str(&routes).unwrap();
    let lists = routes
        .iter()
        .filter(|route| route["method"] == "GET" && route["operation"] == "list")
        .map(|route| route["path"].as_str().unwrap());
    let mut paths = vec![];
    for list in lists {
        for path in collections(client, list) {
            let members: Vec<_> =
                ids(client, &path).iter().map(|id| format!("{path}/{id}")).collect();
            paths.push(format!("{path}?count=true"));
            paths.extend(members);
        }
    }
    let look = |path: String| {
        let answer = client.get(&path);
        let tag = answer.field("etag").unwrap_or_default().to_owned();
        let body = String::from_utf8(answer.body.clone()).unwrap();
        (path, vec![answer.status().to_string(), body, tag])
    };
    paths.into_iter().map(look).collect()
}

/// The collections of a path with the names of ids, for the first ids of each parent.
fn collections(client: &mut Client, path: &str) -> Vec<String> {
    let Some((above, rest)) = path.split_once("/{") else { return vec![path.to_owned()] };
    let (_, below) = rest.split_once('}').unwrap();
    let ids = ids(client, above);
    ids.iter().take(2).flat_map(|id| collections(client, &format!("{above}/{id}{below}"))).collect()
}

fn ids(client: &mut Client, path: &str) -> Vec<String> {
    let items = client.get(path).json()["items"].as_array().unwrap().clone();
    let id = |item: &Json| item["id"].as_str().map_or_else(|| item["id"].to_string(), Into::into);
    items.iter().map(id).collect()
}

/// The responses without their ETags.
fn bodies(all: &[(String, Vec<String>)]) -> Vec<(&String, &[String])> {
    all.iter().map(|(path, answer)| (path, &answer[..2])).collect()
}

/// Makes a zoo with many rows, in two tables.
fn many(folder: &Path, database: &str) {
    let serving = serve(folder, ZOO, database);
    serving.client().create("/zoos", &json!({ "name": "Large" }));
    serving.client().create("/animal_types", &json!({ "name": "Ant" }));
    serving.stop("-TERM");
    let animals = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY}) \
         INSERT INTO animals (name, zoo_id, animal_type_id, revision) \
         SELECT 'Ant ' || i, 1, 1, 1000000000000000 + i FROM n; \
         UPDATE _nouns_state SET revision = 1000000000000000 + {MANY}; \
         UPDATE _nouns_tables SET revision = 1000000000000000 + {MANY} WHERE name = 'animals'"
    );
    Connection::open(folder.join(database)).unwrap().execute_batch(&animals).unwrap();
}

/// Starts a copy, waits until some rows of the large table are stored, and kills the program.
fn interrupt(folder: &Path, to: &str, rows: impl Fn() -> Option<u32>) {
    let mut program = start(folder, to);
    let end = Instant::now() + PATIENCE;
    while rows().unwrap_or_default() == 0 {
        assert!(Instant::now() < end, "the copy must get somewhere");
        assert!(program.try_wait().unwrap().is_none(), "the copy was over too soon");
        thread::sleep(Duration::from_millis(1));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    let stored = rows().unwrap();
    assert!(0 < stored && stored < MANY, "the copy was interrupted at {stored} rows");
}

fn start(folder: &Path, to: &str) -> Child {
    let arguments = ["copy", "zoo.db", to];
    let quiet = || Stdio::null();
    nouns(folder).args(arguments).stdout(quiet()).stderr(quiet()).spawn().unwrap()
}

/// The number of animals that an unfinished copy has.
fn stored(path: &Path) -> Option<u32> {
    let copy = Connection::open(path).ok()?;
    copy.busy_timeout(PATIENCE).unwrap();
    let text = "SELECT rows FROM _nouns_copy_tables WHERE name = 'animals'";
    copy.query_row(text, [], |row| row.get(0)).ok()
}

/// A copy without a seal has the same members, but other tags for collections, and each goes on by
/// itself.
#[test]
fn a_copy_goes_its_own_way() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--database", "zoo.db", "--mock", "9"]);
    let original = everything(folder.path(), ZOO, &mut serving.client());
    let report = copy(folder.path(), &["zoo.db", "copy.db"]);
    assert!(report.starts_with("copied `zoo.db` to `copy.db`: "), "{report}");
    assert!(report.contains("the copy has an identity of its own"), "{report}");
    let other = serve(folder.path(), ZOO, "copy.db");
    let copied = everything(folder.path(), ZOO, &mut other.client());
    assert_eq!(bodies(&original), bodies(&copied));
    let is_collection = |path: &str| path.ends_with("?count=true");
    for ((path, before), (_, after)) in original.iter().zip(&copied) {
        assert_eq!(before[2] == after[2], !is_collection(path), "{path}: {before:?} {after:?}");
    }
    // What each writes from now on has other tags, and other ids than any before.
    let write = |serving: &Serving| {
        let answer = serving.client().create("/zoos", &json!({ "name": "New" }));
        (answer.json()["id"].clone(), answer.field("etag").unwrap().to_owned())
    };
    let (one, two) = (write(&serving), write(&other));
    assert_eq!(one.0, two.0);
    assert_ne!(one.1, two.1);
}

/// A sealed database refuses writes, and its copy has its place.
#[test]
fn a_sealed_source_hands_over_its_tags() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--database", "zoo.db", "--mock", "9"]);
    let before = everything(folder.path(), ZOO, &mut serving.client());
    let report = copy(folder.path(), &["--seal", "zoo.db", "copy.db"]);
    assert!(report.ends_with("the copy has its identity\n"), "{report}");
    // The server that has it open refuses to write, as other programs are refused.
    let answer = serving.client().post("/zoos", &json!({ "name": "Late" }));
    assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")));
    assert_eq!(answer.detail(), "The database was moved to another one, and accepts no changes.");
    let other = Connection::open(folder.path().join("zoo.db")).unwrap();
    for change in [
        "INSERT INTO zoos (name) VALUES ('x')",
        "UPDATE zoos SET name = 'x'",
        "DELETE FROM zoos",
        "DELETE FROM _nouns_grants",
        "INSERT INTO _nouns_answers VALUES ('', '', 0, '', '', 0, '', '', '')",
    ] {
        let error = other.execute(change, []).err().map(|error| error.to_string());
        let is_empty = change == "DELETE FROM _nouns_grants";
        assert_eq!(error.is_none(), is_empty, "{change}: {error:?}");
    }
    drop((serving, other));
    let copied = serve(folder.path(), ZOO, "copy.db");
    assert_eq!(everything(folder.path(), ZOO, &mut copied.client()), before);
    copied.client().create("/zoos", &json!({ "name": "New" }));
    // The sealed database is not served, until it is released with another identity.
    let serving = ["serve", ZOO, "--database", "zoo.db", "--listen", "127.0.0.1:0"];
    assert_eq!(
        refused(folder.path(), &serving),
        "error: the database `zoo.db` was moved to `copy.db`; serve that one, or release this one with `nouns copy --unseal`."
    );
    let message = refused(folder.path(), &["copy", "--seal", "zoo.db", "another.db"]);
    assert!(message.contains("`zoo.db` is sealed for another copy; "), "{message}");
    copy(folder.path(), &["--unseal", "zoo.db"]);
    let serving = serve(folder.path(), ZOO, "zoo.db");
    let after = everything(folder.path(), ZOO, &mut serving.client());
    assert_eq!(bodies(&after), bodies(&before));
    assert_ne!(after[0].1[2], before[0].1[2]);
    serving.client().create("/zoos", &json!({ "name": "New" }));
    assert_eq!(copy(folder.path(), &["--unseal", "zoo.db"]), "`zoo.db` is not sealed\n");
}

/// A copy that is killed goes on. Until it is complete, nobody serves it.
#[test]
fn an_interrupted_copy_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    many(folder.path(), "zoo.db");
    let path = folder.path().join("copy.db");
    interrupt(folder.path(), "copy.db", || stored(&path));
    let reached = stored(&path).unwrap();
    let serving = ["serve", ZOO, "--database", "copy.db", "--listen", "127.0.0.1:0"];
    let unfinished = "is an unfinished copy; run `nouns copy` again, and it goes on, or delete it.";
    for arguments in [&serving[..], &["backup", ZOO, "--database", "copy.db", "b.db"]] {
        let message = refused(folder.path(), arguments);
        assert_eq!(message, format!("error: the database `copy.db` {unfinished}"));
    }
    let message = refused(folder.path(), &["copy", "copy.db", "third.db"]);
    assert_eq!(message, format!("error: the database `copy.db` {unfinished}"));
    let report = copy(folder.path(), &["zoo.db", "copy.db"]);
    // The zoo and the type of animals were there, too.
    assert!(
        report.contains(&format!("\n{} of them were there already\n", reached + 2)),
        "{report}"
    );
    let serving = serve(folder.path(), ZOO, "copy.db");
    let total = serving.client().get("/zoos/1/animals?count=true&limit=1").json()["total"].clone();
    assert_eq!(total, MANY);
}

/// A table that changes while its copy is interrupted is copied again.
#[test]
fn an_interrupted_copy_has_what_changed_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    many(folder.path(), "zoo.db");
    let path = folder.path().join("copy.db");
    interrupt(folder.path(), "copy.db", || stored(&path));
    let original = Connection::open(folder.path().join("zoo.db")).unwrap();
    original.execute_batch("UPDATE animals SET name = 'Changed' WHERE id = 1").unwrap();
    drop(original);
    let report = copy(folder.path(), &["zoo.db", "copy.db"]);
    assert!(report.contains("\n2 of them were there already\n"), "{report}");
    let serving = serve(folder.path(), ZOO, "copy.db");
    assert_eq!(serving.client().get("/zoos/1/animals/1").json()["name"], "Changed");
}

/// The digest finds a row that has changed in the copy.
#[test]
fn a_damaged_copy_is_found() {
    let folder = tempfile::tempdir().unwrap();
    many(folder.path(), "zoo.db");
    let path = folder.path().join("copy.db");
    interrupt(folder.path(), "copy.db", || stored(&path));
    let damage = Connection::open(&path).unwrap();
    damage.busy_timeout(PATIENCE).unwrap();
    damage.execute_batch("UPDATE animals SET name = 'Bnt 7' WHERE id = 7").unwrap();
    drop(damage);
    let message = refused(folder.path(), &["copy", "zoo.db", "copy.db"]);
    let begin =
        format!("error: the copy is damaged: the table `animals` has {MANY} rows with the digest ");
    assert!(message.starts_with(&begin), "{message}");
    assert!(message.ends_with("; delete the copy, and copy again."), "{message}");
}

/// The error for something that cannot be copied is one sentence that names it.
#[test]
fn what_cannot_be_copied_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    serve(folder.path(), ZOO, "zoo.db").stop("-TERM");
    serve(folder.path(), ZOO, "other.db").stop("-TERM");
    let foreign = Connection::open(folder.path().join("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE zoos (id)").unwrap();
    for (from, to, message) in [
        ("zoo.db", "other.db", "`other.db` is not empty: it has the table `"),
        ("zoo.db", "zoo.db", "`zoo.db` is not empty: it has the table `"),
        (
            "zoo.db",
            "foreign.db",
            "`foreign.db` is not empty: it has the table `zoos`; name a file that does not exist.",
        ),
        ("foreign.db", "new.db", "`foreign.db` was not created by Nouns."),
        ("missing.db", "new.db", "`missing.db` does not exist."),
        (
            "zoo.db",
            "no/such/new.db",
            "`no/such/new.db` is in a folder that does not exist; create no/such first.",
        ),
        ("zoo.db", "xy://z", "`xy://z` cannot be opened: "),
    ] {
        let found = refused(folder.path(), &["copy", from, to]);
        assert!(found.starts_with(&format!("error: the database {message}")), "{found}");
        assert!(!folder.path().join("new.db").exists(), "{found}");
    }
}

/// A backup of a sealed database is restored as one that can be written.
#[test]
fn a_backup_of_a_sealed_database_is_restored_without_the_seal() {
    let folder = tempfile::tempdir().unwrap();
    serve(folder.path(), ZOO, "zoo.db").stop("-TERM");
    copy(folder.path(), &["--seal", "zoo.db", "copy.db"]);
    for arguments in [
        &["backup", ZOO, "--database", "zoo.db", "b.db"][..],
        &["restore", ZOO, "--database", "again.db", "b.db"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let serving = serve(folder.path(), ZOO, "again.db");
    serving.client().create("/zoos", &json!({ "name": "New" }));
}
