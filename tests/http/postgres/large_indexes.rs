//! Tests of indexes of a large table, which are built while nodes write.

use std::{
    fs,
    mem::swap,
    process::{Child, Command, Stdio},
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use nouns::Location;
use serde_json::json;

use crate::server::TestServer;

const BEFORE: &str = "
nouns: 1
resources:
  animal: { fields: { name: string, chip: string, note: string } }
";
const INDEXED: &str = "
nouns: 1
resources:
  animal: { fields: { name: string, chip: { type: string, index: true }, note: string } }
";
const UNIQUE: &str = "
nouns: 1
resources:
  animal:
    fields:
      name: { type: string, index: true }
      chip: { type: string, unique: true }
      note: string
      tag: { type: string, index: true }
";
/// All rows get the same pair, except for different names.
const FILLED: &str = "
nouns: 1
resources:
  animal:
    fields: { name: string, chip: string, note: string, rank: { type: integer, default: 1 } }
    unique: [[name, rank]]
";

/// The number of servers that start at the same time.
const STARTS: usize = 4;
/// A test waits no longer for what comes soon.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A server with a table that is large: four rows are a page of 8 KiB.
fn large_table() -> TestServer {
    let server = TestServer::of(BEFORE);
    server.elsewhere(
        "INSERT INTO animals (name, chip, note) \
         SELECT 'a' || n, n, (SELECT string_agg(md5(n || ' ' || k), '') FROM generate_series(1, 56) AS k) \
         FROM generate_series(1, 5000) AS n",
    );
    server
}

/// The indexes of the table, and whether they are valid.
fn indexes(server: &TestServer) -> Vec<String> {
    let query = "SELECT indexrelid::regclass::text || ' ' || indisvalid FROM pg_index \
        WHERE indrelid = 'animals'::regclass AND NOT indisprimary ORDER BY 1";
    server.database.rows(query).concat()
}

/// The number of the one index of the table. Another build of it has another number.
fn index(server: &TestServer) -> String {
    let query =
        "SELECT indexrelid FROM pg_index WHERE indrelid = 'animals'::regclass AND NOT indisprimary";
    server.cell(query)
}

/// Waits until the query of a number returns 1.
fn wait_for(server: &TestServer, query: &str) {
    let begun = Instant::now();
    while server.cell(query) != "1" {
        assert!(begun.elapsed() < WAIT_MAX, "{query}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until the build of an index of the table waits for an open transaction.
fn wait_for_build(server: &TestServer) {
    wait_for(
        server,
        "SELECT count(*) FROM pg_stat_progress_create_index \
         WHERE relid = 'animals'::regclass AND phase = 'waiting for writers before build'",
    );
}

/// A program that does not outlive the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A build that waits for a transaction keeps no write waiting, and no start without the index.
/// Other nodes with the index wait for the one that builds it, for longer than their timeouts.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn nodes_write_while_an_index_is_built() {
    let server = large_table();
    let timeouts = "options=-cstatement_timeout%3D1s%20-clock_timeout%3D1s%20";
    let location = Location::from(server.database.location().replace("options=", timeouts));
    let mut open = server.database.session();
    open.rows("BEGIN; INSERT INTO animals (name) VALUES ('open')");
    thread::scope(|scope| {
        let mut open = open;
        let start = || TestServer::at(INDEXED, location.clone());
        let nodes = [(); 2].map(|()| scope.spawn(start));
        wait_for_build(&server);
        let mut client = server.client();
        for at in 0..20 {
            client.create("/animals", &json!({ "chip": format!("new {at}") }));
            let patched = client.patch("/animals/1", &json!({ "chip": format!("old {at}") }));
            assert_eq!(patched.status(), 200, "{patched:?}");
        }
        let another = server.another();
        another.client().create("/animals", &json!({ "chip": "another" }));
        wait_for(
            &server,
            "SELECT count(*) FROM pg_stat_progress_create_index JOIN pg_stat_activity USING (pid) \
             WHERE relid = 'animals'::regclass AND clock_timestamp() - query_start > interval '1.5 s'",
        );
        assert!(nodes.iter().all(|node| !node.is_finished()));
        open.rows("COMMIT");
        for node in nodes {
            let node = node.join().unwrap();
            let mut client = node.client();
            for chip in ["new 19", "old 19", "another"] {
                let page = client.get(&format!("/animals?chip={}", chip.replace(' ', "%20")));
                assert_eq!(page.json()["items"].as_array().unwrap().len(), 1, "{page:?}");
            }
        }
    });
    assert_eq!(indexes(&server), ["animals__chip__id__idx true"]);
}

/// Ends a build of a unique index in the middle. The start that builds fails.
fn kill_build(server: &TestServer) {
    let mut open = server.database.session();
    open.rows("BEGIN; INSERT INTO animals (name) VALUES ('open')");
    thread::scope(|scope| {
        let mut open = open;
        let start = scope.spawn(|| server.open(UNIQUE).map(drop));
        wait_for_build(server);
        server.elsewhere(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE relid = 'animals'::regclass",
        );
        assert!(start.join().unwrap().is_err());
        open.rows("ROLLBACK");
    });
    let left = indexes(server);
    assert!(left.len() == 1 && left[0].ends_with(" false"), "{left:?}");
}

/// The next start drops an invalid index, which would refuse writes. With the same schema, it
/// builds the index again.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_next_start_repairs_what_a_killed_build_has_left() {
    let server = large_table();
    kill_build(&server);
    drop(server.another());
    assert_eq!(indexes(&server), [""; 0]);
    kill_build(&server);
    let next = server.next(UNIQUE);
    let mut client = next.client();
    assert_eq!(
        indexes(&server),
        ["animals__chip__key true", "animals__name__id__idx true", "animals__tag__id__idx true"]
    );
    assert_eq!(client.post("/animals", &json!({ "chip": "7" })).status(), 409);
}

/// The server completes the build of a program that was killed. Starts leave it alone meanwhile,
/// and use the index then. The database is not sealed meanwhile.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn the_build_of_a_killed_program_goes_on() {
    let server = large_table();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zoo.yaml"), INDEXED).unwrap();
    let url = server.database.location();
    let nouns = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nouns"));
        command.current_dir(folder.path()).args(arguments).stdout(Stdio::null());
        command
    };
    let mut open = server.database.session();
    open.rows("BEGIN; INSERT INTO animals (name) VALUES ('open')");
    thread::scope(|scope| {
        let mut open = open;
        let arguments = ["serve", "zoo.yaml", "--apply", "--listen", "127.0.0.1:0"];
        let program = Program(nouns(&arguments).args(["--database", &url]).spawn().unwrap());
        wait_for_build(&server);
        drop(program);
        let built = index(&server);
        let node = scope.spawn(|| server.next(INDEXED));
        let seal = nouns(&["copy", "--seal", &url, "zoo.db"]).output().unwrap();
        let message = String::from_utf8(seal.stderr).unwrap();
        assert!(message.contains("a node changes its tables or builds an index"), "{message}");
        drop(server.another());
        wait_for_build(&server);
        open.rows("COMMIT");
        drop(node.join().unwrap());
        assert_eq!(index(&server), built);
    });
    assert_eq!(indexes(&server), ["animals__chip__id__idx true"]);
}

/// A build that waits for another session, which waits for the build, is tried again.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_build_that_was_the_victim_of_a_deadlock_is_tried_again() {
    let server = large_table();
    let mut sessions = [(); 2].map(|()| server.database.session());
    let begin =
        "BEGIN; SET LOCAL deadlock_timeout = '1h'; INSERT INTO animals (name) VALUES ('open')";
    let names = sessions.each_mut().map(|session| {
        session.rows(begin);
        session.rows("SELECT pg_backend_pid()").concat().concat()
    });
    thread::scope(|scope| {
        let [mut first, mut second] = sessions;
        let node = scope.spawn(|| server.next(INDEXED));
        wait_for_build(&server);
        let built = index(&server);
        let query = "SELECT current_locker_pid FROM pg_stat_progress_create_index WHERE relid = 'animals'::regclass";
        if server.cell(query) == names[1] {
            swap(&mut first, &mut second);
        }
        // The build waits for the first one, then for the second one, which waits for the build.
        let other = scope.spawn(move || {
            second.rows("ALTER TABLE animals ADD COLUMN other integer; ROLLBACK");
        });
        wait_for(
            &server,
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'animals'::regclass",
        );
        first.rows("COMMIT");
        other.join().unwrap();
        drop(node.join().unwrap());
        assert_ne!(index(&server), built);
    });
    assert_eq!(indexes(&server), ["animals__chip__id__idx true"]);
}

/// Each index is built once, by one of the nodes that start at the same time.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn nodes_that_start_at_once_build_each_index_once() {
    let server = large_table();
    let (start, is_over) = (Barrier::new(STARTS), AtomicBool::new(false));
    let applied: Vec<_> = thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = server.client();
            for at in 0.. {
                client.create("/animals", &json!({ "chip": format!("new {at}") }));
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let open = || {
            start.wait();
            server.open(UNIQUE).map(|(_, applied)| applied)
        };
        let threads: Vec<_> = (0..STARTS).map(|_| scope.spawn(open)).collect();
        let results: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        results.into_iter().flat_map(Result::unwrap).map(|each| each.description).collect()
    });
    assert_eq!(
        applied,
        [
            "The column `animals.tag` is new.",
            "In `animals`, `chip` must be unique.",
            "In `animals`, `name` with `id` gets an index.",
            "In `animals`, `tag` with `id` gets an index."
        ]
    );
    assert_eq!(
        indexes(&server),
        ["animals__chip__key true", "animals__name__id__idx true", "animals__tag__id__idx true"]
    );
}

/// Rows that share a value are found before anything is changed. When they are changed, the next
/// start succeeds.
#[test]
#[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
fn a_unique_index_over_duplicates_leaves_nothing() {
    let server = large_table();
    server.elsewhere("UPDATE animals SET chip = '7' WHERE id = 8");
    let state = || {
        let columns = "SELECT string_agg(attname, ' ') FROM pg_attribute WHERE attrelid = 'animals'::regclass AND attnum > 0";
        (server.cell("SELECT record FROM _nouns_state"), server.cell(columns), indexes(&server))
    };
    let before = state();
    let refusal = server.open(UNIQUE).map(drop).unwrap_err().to_string();
    assert!(
        refusal.contains("In `animals`, `chip` must be unique. Several rows share the value `7`."),
        "{refusal}"
    );
    assert_eq!(state(), before);
    server.elsewhere("UPDATE animals SET name = 'same' WHERE id < 3");
    let refusal = server.open(FILLED).map(drop).unwrap_err().to_string();
    assert!(
        refusal.contains(
            "`name` with `rank` must be unique. Several rows share the value `same` with"
        ),
        "{refusal}"
    );
    assert_eq!(state(), before, "a new column does not stay without its index");
    server.client().create("/animals", &json!({ "chip": "7" }));
    server.elsewhere("UPDATE animals SET chip = id");
    let next = server.next(UNIQUE);
    let mut client = next.client();
    assert_eq!(client.post("/animals", &json!({ "chip": "7" })).status(), 409);
    client.create("/animals", &json!({ "chip": "other" }));
    let earlier = server.client().post("/animals", &json!({ "chip": "7" }));
    assert_eq!(earlier.status(), 503, "the earlier schema has no reason: {earlier:?}");
}
