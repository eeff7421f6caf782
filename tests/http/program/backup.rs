//! Tests of `nouns backup` and `nouns restore`, while a server runs and after it has stopped.

use std::{fs, path::Path, process::Stdio, thread, time::Duration};

use nouns::__runtime::plan::TagCipher;
use serde_json::json;

use super::{Serving, ZOO, nouns, run, stderr, stdout};
use crate::{
    client::{Answer, Client},
    tools,
};

const COPY: &str = "copy.db";

fn ok(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    stdout(&output)
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "{arguments:?}");
    stderr(&output)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn with(
    client: &mut Client,
    method: &str,
    target: &str,
    field: (&str, &str),
    body: Option<&str>,
) -> Answer {
    let fields = [("content-type", "application/json"), field];
    client.request(method, target, &fields, body.map(str::as_bytes))
}

fn post_once(client: &mut Client, key: &str, name: &str) -> Answer {
    let body = json!({ "name": name }).to_string();
    let answer = with(client, "POST", "/zoos", ("idempotency-key", key), Some(&body));
    assert_eq!(answer.status(), 201, "{answer:?}");
    answer
}

/// The revision that the tag of a response hides, in the database of a folder.
fn revision(folder: &Path, answer: &Answer) -> u64 {
    let tag = answer.field("etag").unwrap().trim_matches('"');
    let connection = rusqlite::Connection::open(folder.join("zoo.db")).unwrap();
    let secret = "SELECT secret FROM _nouns_state";
    let secret: Vec<u8> = connection.query_row(secret, [], |row| row.get(0)).unwrap();
    TagCipher::of(&secret).decrypt(tag.split('-').next().unwrap().parse().unwrap())
}

/// Returns the entity tag and the `Last-Modified` of a target.
fn seen(client: &mut Client, target: &str) -> [String; 2] {
    let answer = client.get(target);
    ["etag", "last-modified"].map(|name| answer.field(name).unwrap().to_owned())
}

/// Returns the statuses of two conditional reads: by this entity tag, and by this date.
fn statuses(client: &mut Client, target: &str, [tag, date]: &[String; 2]) -> [u16; 2] {
    [("if-none-match", tag), ("if-modified-since", date)]
        .map(|(name, value)| with(client, "GET", target, (name, value), None).status())
}

/// The error of a restore that would replace a database.
const NOT_REPLACED: &str = "error: the database `zoo.db` exists already; with `replace` it is renamed to `….replaced-TIME`.\n";

#[test]
fn what_a_restore_takes_back_is_never_taken_for_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    let first = post_once(&mut client, "\"a\"", "Tierpark");
    let [kept, all_kept] = ["/zoos/1", "/zoos"].map(|target| seen(&mut client, target));
    let text = ok(folder.path(), &["backup", ZOO, COPY]);
    assert!(
        text.starts_with("backed up `zoo.db` to `copy.db`: ") && text.lines().count() == 1,
        "{text}"
    );
    assert!(
        text.ends_with("4 tables with all pages, rows, indexes and references verified\n"),
        "{text}"
    );

    let changed = client.patch("/zoos/1", &json!({ "city": "Halle" }));
    post_once(&mut client, "\"b\"", "Lost");
    let [lost, all_lost] = ["/zoos/1", "/zoos"].map(|target| seen(&mut client, target));
    let text = refused(folder.path(), &["restore", ZOO, COPY, "--replace"]);
    let expected = format!(
        "error: the database `zoo.db` is in use by `nouns` (process {}); stop it first.\n",
        serving.child.id()
    );
    assert_eq!(text, expected);
    serving.stop("-TERM");
    assert_eq!(refused(folder.path(), &["restore", ZOO, COPY]), NOT_REPLACED);
    let text = ok(folder.path(), &["restore", ZOO, COPY, "--replace"]);
    assert!(text.starts_with("restored `zoo.db` from `copy.db`: "), "{text}");
    let aside = text.lines().nth(1).unwrap().split('`').nth(1).unwrap().to_owned();
    let name = Path::new(&aside).file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("zoo.db.replaced-2"), "{text}");

    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    assert_eq!(client.names("/zoos"), "Tierpark");
    assert_eq!(
        statuses(&mut client, "/zoos/1", &kept),
        [304, 200],
        "the tag matches, not the date"
    );
    assert_eq!(statuses(&mut client, "/zoos/1", &lost), [200, 200]);
    assert_eq!(statuses(&mut client, "/zoos", &lost), [200, 200]);
    assert_eq!(statuses(&mut client, "/zoos", &all_lost), [200, 200]);
    assert_eq!(statuses(&mut client, "/zoos", &all_kept), [200, 200]);
    let body = Some("{\"city\": \"Halle\"}");
    for (name, value) in [("if-match", &lost[0]), ("if-unmodified-since", &lost[1])] {
        let refused = with(&mut client, "PATCH", "/zoos/1", (name, value), body);
        assert_eq!(refused.status(), 412, "{name}");
    }
    assert_eq!(
        post_once(&mut client, "\"a\"", "Tierpark").body,
        first.body,
        "a request whose response is in the backup must not be executed again"
    );
    assert_eq!(
        post_once(&mut client, "\"b\"", "Lost").field("location"),
        Some("/zoos/2"),
        "a request that is not in the backup must be executed"
    );
    assert_eq!(client.names("/zoos"), "Tierpark Lost");
    let updated = with(&mut client, "PATCH", "/zoos/1", ("if-match", &kept[0]), body);
    assert!(
        updated.status() == 200
            && revision(folder.path(), &updated) > revision(folder.path(), &changed) + (1 << 40),
        "{updated:?}"
    );
    serving.stop("-TERM");

    let serving = Serving::start(folder.path(), &[ZOO, "--database", &aside]);
    assert_eq!(serving.client().names("/zoos"), "Tierpark Lost", "the replaced file must be kept");
    serving.stop("-TERM");
}

#[test]
fn a_backup_is_stopped_by_a_signal_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    Serving::start(folder.path(), &[ZOO]).stop("-TERM");
    let filler = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000)
                  INSERT INTO admin (name) SELECT i || hex(zeroblob(250)) FROM n";
    rusqlite::Connection::open(folder.path().join("zoo.db"))
        .unwrap()
        .execute_batch(filler)
        .unwrap();
    for signal in ["-INT", "-TERM"] {
        // The backup may finish before the signal arrives if this thread gets no processor time. So
        // the test tries up to 20 times.
        let code = (0..20).find_map(|_| stopped(folder.path(), signal));
        assert_eq!(code, Some(1), "{signal}");
        assert_eq!(names(folder.path()), ["zoo.db"]);
    }
}

/// Returns the exit code of a backup that a signal stopped; `None` if the backup finished before
/// the signal.
fn stopped(folder: &Path, signal: &str) -> Option<i32> {
    let mut child =
        nouns(folder).args(["backup", ZOO, COPY]).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id().to_string();
    let draft = folder.join(format!(".{COPY}.{id}"));
    while !draft.exists() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_micros(100));
    }
    if child.try_wait().unwrap().is_none() {
        for signal in ["-STOP", signal, "-CONT"] {
            assert!(tools::signal(&child, signal));
        }
    }
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        fs::remove_file(folder.join(COPY)).unwrap();
        return None;
    }
    assert_eq!(stderr(&output), "error: stopped; the backup `copy.db` was not written.\n");
    output.status.code()
}

#[test]
fn the_database_is_that_of_the_schema_a_variable_or_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.yaml");
    fs::write(
        &file,
        "nouns: 1\nserver: { database: one.db }\nresources: { shop: { fields: { name: string } } }\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    Serving::start(folder.path(), &[file]).stop("-TERM");
    ok(folder.path(), &["backup", file, COPY]);
    let message = refused(folder.path(), &["backup", file, COPY]);
    assert!(
        message.contains(
            "`copy.db` exists already; choose another name, or replace it with `replace`."
        ),
        "{message}"
    );
    ok(folder.path(), &["backup", file, COPY, "--replace"]);
    let restore = nouns(folder.path())
        .args(["restore", file, COPY])
        .env("NOUNS_DATABASE", "two.db")
        .output()
        .unwrap();
    assert!(stdout(&restore).starts_with("restored `two.db` from `copy.db`: "), "{restore:?}");
    ok(folder.path(), &["backup", file, "copy-2.db", "--database", "two.db"]);
    assert_eq!(names(folder.path()), ["copy-2.db", "copy.db", "one.db", "shop.yaml", "two.db"]);

    let more =
        fs::read_to_string(file).unwrap().replace("name: string", "name: string, city: string");
    fs::write(file, more).unwrap();
    for flags in [&[][..], &["--database", "two.db"]] {
        let restore = [&["restore", file, COPY, "--replace"], flags].concat();
        let output = run(folder.path(), &restore);
        assert_eq!(output.status.code(), Some(0));
        let apply = [flags, &["--apply"]].concat().join(" ");
        let expected = format!(
            "the backup was made for another schema; `nouns serve {file} {apply}` makes these \
             changes:\n- The column `shops.city` is new."
        );
        assert!(stderr(&output).starts_with(&expected), "{}", stderr(&output));
    }
}
