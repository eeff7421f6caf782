//! Crash tests with SIGKILL under a load of writes: during a write, a checkpoint, or a start.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use crate::{
    client::{Client, Request},
    load::Load,
    random::{Random, env_number, seed},
    state::{self, Kind, State},
};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crash/library.yaml");
/// The number of clients that write concurrently.
const CLIENTS: usize = 6;
/// The time that a round waits for a checkpoint to begin.
const PATIENCE: Duration = Duration::from_secs(20);

/// The running `nouns serve` process.
struct Serving {
    child: Child,
    _banner: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Serving {
    fn spawn(database: &Path) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nouns"));
        command.args(["serve", SCHEMA, "--listen", "127.0.0.1:0", "--log", "warn", "--database"]);
        command.arg(database).stdout(Stdio::piped()).spawn().unwrap()
    }

    /// Starts the server and waits until it serves. It must start on its own, whatever the state of
    /// the database.
    fn start(database: &Path) -> Self {
        let mut child = Self::spawn(database);
        let mut banner = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.contains("Ctrl-C") {
            assert_ne!(
                banner.read_line(&mut text).unwrap(),
                0,
                "the server exited before it printed its address: {text}"
            );
        }
        let url =
            text.lines().map(str::trim).find_map(|line| line.strip_prefix("http://")).unwrap();
        let address = url.split('/').next().unwrap().parse().unwrap();
        Self { child, _banner: banner, address }
    }

    fn client(&self) -> Client {
        Client::connect(self.address).unwrap()
    }
}

/// Kills the server at the end of its test.
impl Drop for Serving {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The counts of all rounds of a test.
#[derive(Debug, Default)]
struct TrialCounts {
    rounds: u64,
    acknowledged: u64,
    /// The number of writes in progress at a crash that were committed (`kept`), and that were not
    /// (`absent`).
    kept: u64,
    absent: u64,
    /// The number of crashes during a checkpoint, and during a start.
    checkpoints: u64,
    starts: u64,
    repeated: u64,
    slowest_start: Duration,
}

/// A database and the clients that write to it, over several crashes of its server.
struct Trial {
    _folder: tempfile::TempDir,
    database: PathBuf,
    random: Random,
    loads: Vec<Load>,
    revisions: BTreeMap<String, u64>,
    counts: TrialCounts,
}

impl Trial {
    fn new(seed: u64) -> (Self, Serving) {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("library.db");
        let serving = Serving::start(&database);
        let mut random = Random::new(seed);
        let load =
            |at| Load::new(format!("c{at}"), Random::new(random.next()), &mut serving.client());
        let loads = (0..CLIENTS).map(load).collect();
        let trial = Self {
            _folder: folder,
            database,
            random,
            loads,
            revisions: BTreeMap::new(),
            counts: TrialCounts::default(),
        };
        (trial, serving)
    }

    /// Lets all clients write until the server is killed, restarts the server, and checks the
    /// database.
    fn round(&mut self, mut serving: Serving) -> Serving {
        let is_large = self.counts.rounds % 5 == 4;
        let before: u64 = self.loads.iter().map(|load| load.acknowledged).sum();
        let moment = Duration::from_micros(1_000 + self.random.below(200_000));
        let late = Duration::from_micros(self.random.below(4_000));
        let is_written = changes(&self.database);
        thread::scope(|scope| {
            for load in &mut self.loads {
                load.is_large = is_large;
                let mut client = serving.client();
                scope.spawn(move || while load.write(&mut client).is_ok() {});
            }
            if is_large {
                let until = Instant::now() + PATIENCE;
                while !is_written() && Instant::now() < until {
                    thread::sleep(Duration::from_micros(100));
                }
                thread::sleep(late);
            } else {
                thread::sleep(moment);
            }
            kill(&mut serving.child);
        });
        self.counts.checkpoints += u64::from(is_large && is_written());
        let after: u64 = self.loads.iter().map(|load| load.acknowledged).sum();
        self.counts.acknowledged += after - before;
        self.counts.rounds += 1;
        self.start()
    }

    /// Restarts the server and checks the database. One time in four, the server is also killed
    /// during a start.
    fn start(&mut self) -> Serving {
        if self.random.one_in(4) {
            let mut child = Serving::spawn(&self.database);
            thread::sleep(Duration::from_micros(self.random.below(40_000)));
            kill(&mut child);
            self.counts.starts += 1;
        }
        let begun = Instant::now();
        let serving = Serving::start(&self.database);
        self.counts.slowest_start = self.counts.slowest_start.max(begun.elapsed());
        self.look(&mut serving.client());
        serving
    }

    fn look(&mut self, client: &mut Client) {
        let connection = state::sound(&self.database);
        let (revisions, cipher) = (state::revisions(&connection), state::cipher(&connection));
        for (table, revision) in &self.revisions {
            assert!(
                revisions[table] >= *revision,
                "the revision of table `{table}` is lower than before the crash"
            );
        }
        for load in &mut self.loads {
            assert!(
                revisions[""] >= load.state.revision(&cipher),
                "the revision of the database is lower than one that a client received"
            );
            let under_way = load.pending.is_some();
            let is_absent = load.state.difference(&State::read(&connection, &load.name)).is_none();
            self.counts.absent += u64::from(under_way && is_absent);
            self.counts.kept += u64::from(under_way && !is_absent);
            load.recover(State::read(&connection, &load.name), &cipher);
            self.counts.repeated += repeat(load, client, &connection);
            reread(load, client);
            load.pending = None;
        }
        // There must be no rows but those of these clients.
        for (table, kind) in
            [("shelves", Kind::Shelf), ("readers", Kind::Reader), ("books", Kind::Book)]
        {
            let expected: usize = self.loads.iter().map(|load| load.state.names(kind).len()).sum();
            let text = format!("SELECT count(*) FROM {table}");
            let count: i64 = connection.query_row(&text, [], |row| row.get(0)).unwrap();
            assert_eq!(count, expected as i64, "{table}");
        }
        self.revisions = state::revisions(&connection);
    }
}

/// Returns a function that tells whether the file has changed since this call. In WAL mode, only a
/// checkpoint changes the database file.
fn changes(path: &Path) -> impl Fn() -> bool + use<> {
    let look = |path: &Path| {
        fs::metadata(path).and_then(|found| Ok((found.modified()?, found.len()))).unwrap()
    };
    let (path, before) = (path.to_owned(), look(path));
    move || look(&path) != before
}

/// Sends requests with an `Idempotency-Key` again. Each response must equal the first one. A write
/// that was in progress at the crash must be executed exactly once.
fn repeat(load: &mut Load, client: &mut Client, connection: &Connection) -> u64 {
    for (request, first) in &load.repeated {
        assert_eq!(&client.ask(request).unwrap(), first, "{request:?}");
    }
    assert!(
        load.state.difference(&State::read(connection, &load.name)).is_none(),
        "a repeated request with an `Idempotency-Key` was executed again"
    );
    let repeated = load.repeated.len() as u64;
    let Some((request, _)) = load.pending.clone() else { return repeated };
    if request.fields.iter().all(|(name, _)| *name != "idempotency-key") {
        return repeated;
    }
    let is_committed = load.state.difference(&load.pending.as_ref().unwrap().1).is_none();
    let before = load.state.clone();
    let answer = client.ask(&request).unwrap();
    load.done(&request, &answer);
    let found = State::read(connection, &load.name);
    assert!(load.state.difference(&found).is_none(), "{:?}", load.state.difference(&found));
    assert!(
        !is_committed || before.difference(&found).is_none(),
        "a write that was committed before the crash was executed again"
    );
    load.state = found;
    repeated + 1
}

/// Checks that GET returns the content of the database file, with the same revision.
fn reread(load: &Load, client: &mut Client) {
    for title in load.state.names(Kind::Book).into_iter().take(3) {
        let row = load.state.of(Kind::Book, title);
        let answer =
            client.ask(&Request::new("GET", format!("/books/{}", row.id.unwrap()), None)).unwrap();
        assert_eq!((answer.status, answer.number()), (200, row.number));
        assert_eq!(answer.body["text"], row.content["text"]);
    }
}

#[test]
fn a_server_that_is_killed_has_kept_what_it_acknowledged_and_nothing_by_halves() {
    let (mut trial, mut serving) = Trial::new(seed("NOUNS_CRASH_SEED"));
    for _ in 0..env_number("NOUNS_CRASH_ROUNDS", 10) {
        serving = trial.round(serving);
    }
    println!("{:?}", trial.counts);
    assert!(trial.counts.acknowledged > 0 && trial.counts.checkpoints > 0, "{:?}", trial.counts);
}
