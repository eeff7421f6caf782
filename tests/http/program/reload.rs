//! Tests of SIGHUP: `nouns serve` reloads its schema file, and no request fails.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Serving, schema};
use crate::client::Client;

/// A time in which a reload is done, on any machine.
const RELOAD_MAX: Duration = Duration::from_secs(30);

/// Writes a schema whose zoos have a name and this many further fields.
fn with_fields(folder: &Path, count: usize) -> String {
    let fields = (0..count).map(|number| format!("      f{number}: string\n"));
    let name = "      name: { type: string, required: true }\n".to_owned();
    schema(folder, &fields.fold(name, |all, field| all + &field))
}

/// The log message about a schema that cannot be used.
const KEPT: &str = "the schema was not reloaded: the server goes on with the former one";

/// Waits until a request has a status. Any other response until then is one of the former schema.
fn until(client: &mut Client, target: &str, status: u16) {
    let begun = Instant::now();
    while client.get(target).status() != status {
        assert!(begun.elapsed() < RELOAD_MAX, "{target} must become {status}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the server has handled all signals: a change of the title shows it.
fn settle(serving: &Serving, folder: &Path, client: &mut Client) {
    let path = folder.join("zoo.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}  marker: {{ fields: {{ name: string }} }}\n")).unwrap();
    serving.signal("-HUP");
    until(client, "/markers", 200);
}

/// Reads and writes until `stopped`, on connections of twenty requests. Returns the number of
/// writes.
fn load(serving: &Serving, stopped: &AtomicBool) -> usize {
    let mut writes = 0;
    while !stopped.load(Ordering::Relaxed) {
        let mut client = serving.client();
        for _ in 0..10 {
            let answer = client.post("/zoos", &json!({ "name": "Tierpark" }));
            assert_eq!(answer.status(), 201, "{answer:?}");
            writes += 1;
            let answer = client.get("/zoos?limit=2&sortby=-id");
            assert_eq!(answer.status(), 200, "{answer:?}");
        }
    }
    writes
}

/// Twenty reloads add a field each, while clients read and write.
#[test]
fn no_request_fails_and_an_open_connection_sees_each_new_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_fields(folder.path(), 0);
    let serving = Serving::start(folder.path(), &[&file, "--apply", "--log", "warn"]);
    let (stopped, writes) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| writes.fetch_add(load(&serving, &stopped), Ordering::Relaxed));
        }
        // This connection stays open through all reloads.
        let mut open = serving.client();
        for count in 1..=20 {
            with_fields(folder.path(), count);
            serving.signal("-HUP");
            let last = format!("f{}", count - 1);
            until(&mut open, &format!("/zoos?{last}=x"), 200);
            let answer = open.post("/zoos", &json!({ "name": "new", (last.clone()): "x" }));
            assert_eq!((answer.status(), &answer.json()[&last]), (201, &"x".into()));
        }
        stopped.store(true, Ordering::Relaxed);
    });
    let total = serving.client().get("/zoos?count=true&limit=1").json()["total"].clone();
    assert_eq!(total, writes.into_inner() + 20);
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("applied to `zoo.db`: ").count(), 20, "{log}");
}

#[test]
fn a_broken_file_changes_nothing_and_all_its_mistakes_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_fields(folder.path(), 0);
    let serving = Serving::start(folder.path(), &[&file, "--apply"]);
    let mut client = serving.client();
    schema(folder.path(), "      name: strng\n      city: { type: string, uniqe: true }\n");
    serving.hang_up(KEPT);
    fs::remove_file(folder.path().join("zoo.yaml")).unwrap();
    serving.hang_up(KEPT);
    assert_eq!(client.get("/zoos?name=a").status(), 200);
    with_fields(folder.path(), 0);
    settle(&serving, folder.path(), &mut client);
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("did you mean `string`?") && log.contains("uniqe"), "{log}");
    assert!(log.contains("zoo.yaml` cannot be read"), "{log}");
    assert_eq!(log.matches(KEPT).count(), 2, "{log}");
    assert!(log.contains("the schema was reloaded"), "{log}");
}

/// The database decides as at a start: additions need `--apply`, and everything else is refused.
#[test]
fn a_schema_that_does_not_fit_the_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_fields(folder.path(), 0);
    let serving = Serving::start(folder.path(), &[&file]);
    let mut client = serving.client();
    with_fields(folder.path(), 1);
    serving.hang_up(KEPT);
    schema(folder.path(), "      name: { type: integer, required: true }\n");
    serving.hang_up(KEPT);
    assert_eq!(client.get("/zoos?f0=x").status(), 400);
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    // What is not in the database needs no `--apply`.
    schema(folder.path(), "      name: { type: string, required: true, max_length: 3 }\n");
    serving.signal("-HUP");
    let begun = Instant::now();
    while client.post("/zoos", &json!({ "name": "Tierpark" })).status() != 422 {
        assert!(begun.elapsed() < RELOAD_MAX);
    }
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(
        log.contains("The column `zoos.f0` is new. Rows get its default, or null.\nStart again"),
        "{log}"
    );
    assert_eq!(log.matches(KEPT).count(), 2, "{log}");
}

/// Settings of the process stay as they were at the start.
#[test]
fn another_address_waits_for_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_fields(folder.path(), 0);
    let serving = Serving::start(folder.path(), &[&file]);
    let text = fs::read_to_string(&file).unwrap();
    let server = "server: { listen: \"127.0.0.1:1\", drain_delay: 1h, trace: true }\n";
    fs::write(&file, text.replace("resources:", &format!("{server}resources:"))).unwrap();
    serving.signal("-HUP");
    let mut client = serving.client();
    let begun = Instant::now();
    while client.request("TRACE", "/zoos", &[], None).status() != 200 {
        assert!(begun.elapsed() < RELOAD_MAX);
    }
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    for key in ["listen", "drain_delay"] {
        let sentence = format!("the new value of `server.{key}` takes effect at the next start");
        assert!(log.contains(&sentence), "{log}");
    }
}

const ACCOUNTS: &str = "
nouns: 1
auth: { accounts: user, login: email, session: { store: STORE, secure: false } }
resources:
  user:
    access: { create: public }
    fields:
      email: { type: string, required: true, unique: true }
      password: { type: password, required: true }
";

/// Sessions in the memory of the process, or in files that the process owns, survive a reload.
#[test]
fn sessions_survive_a_reload() {
    for store in ["memory", "file", "database"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("zoo.yaml");
        let mut text = ACCOUNTS.replace("STORE", store);
        fs::write(&file, &text).unwrap();
        let serving = Serving::start(folder.path(), &["zoo.yaml", "--apply", "--log", "warn"]);
        let mut client = serving.client();
        let ada = json!({ "email": "ada", "password": "correct horse" });
        client.create("/users", &ada);
        let session = client.create("/sessions", &ada);
        let cookie = session.field("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        for number in 0..3 {
            text += &format!("      f{number}: string\n");
            fs::write(&file, &text).unwrap();
            serving.signal("-HUP");
            let begun = Instant::now();
            loop {
                let target = format!("/users?f{number}=x");
                let answer = client.request("GET", &target, &[("cookie", &cookie)], None);
                if answer.status() == 200 {
                    break;
                }
                assert_eq!(answer.status(), 400, "{store}: {answer:?}");
                assert!(begun.elapsed() < RELOAD_MAX);
            }
            let current = client.request("GET", "/sessions/current", &[("cookie", &cookie)], None);
            assert_eq!(current.status(), 200, "{store}: {current:?}");
        }
        // A session that begins after a reload is stored where the others are.
        client.create("/sessions", &ada);
        let ended =
            client.request("DELETE", "/sessions/current", &[("cookie", &cookie)], None).status();
        assert_eq!(ended, 204, "{store}");
        let current = client.request("GET", "/sessions/current", &[("cookie", &cookie)], None);
        assert_ne!(current.status(), 200, "{store}");
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{store}: {log}");
    }
}

#[test]
fn a_hundred_signals_at_once_are_no_more_than_some() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_fields(folder.path(), 0);
    let serving = Serving::start(folder.path(), &[&file, "--apply"]);
    let mut client = serving.client();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25).for_each(|_| serving.signal("-HUP")));
        }
        for _ in 0..100 {
            assert_eq!(client.get("/zoos").status(), 200);
        }
    });
    settle(&serving, folder.path(), &mut client);
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("the schema is unchanged"), "{log}");
}

/// A table with so many rows that an index of it takes many times the time before a signal.
const MANY: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
    INSERT INTO zoos (name) SELECT hex(randomblob(100)) FROM n";

/// A signal to stop ends a reload: what it has done in the database is rolled back. So does
/// `kill -9`.
#[test]
fn a_reload_that_is_cut_off_leaves_the_database_as_it_was() {
    for (signal, code) in [("-TERM", Some(0)), ("-KILL", None)] {
        let folder = tempfile::tempdir().unwrap();
        let name = "      name: { type: string, required: true";
        let file = schema(folder.path(), &format!("{name} }}\n"));
        let serving = Serving::start(folder.path(), &[&file, "--apply", "--log", "warn"]);
        let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
        database.execute_batch(MANY).unwrap();
        schema(folder.path(), &format!("{name}, unique: true }}\n      city: string\n"));
        serving.signal("-HUP");
        thread::sleep(Duration::from_millis(50));
        let begun = Instant::now();
        let (ended, log) = serving.stop(signal);
        assert!(begun.elapsed() < Duration::from_secs(10), "{signal}: {log}");
        assert_eq!(ended, code, "{signal}: {log}");
        drop(database);
        // Either the reload was done before the signal, or it was undone: the next start decides.
        let serving = Serving::start(folder.path(), &[&file, "--apply", "--log", "warn"]);
        assert_eq!(serving.client().get("/zoos?city=x").status(), 200, "{signal}");
        let (ended, log) = serving.stop("-TERM");
        assert_eq!(ended, Some(0), "{signal}: {log}");
    }
}
