//! Clients that read with validators while nodes and other programs write. A tag stands for one
//! content, and a 304 never answers a request that came after a later write.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    process::{Child, ChildStdout, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::json;

use super::{
    client::{Client, Response, unexpected},
    database::Database,
    nodes::NodeKind,
    trial,
};
use crate::{start::Program, workload::Random};

/// The resources that are written and read.
const TABLES: [&str; 4] = ["entries", "shelves", "items", "counters"];
/// The targets that are read, each with the index of the table that decides about it.
const TARGETS: [(&str, usize); 7] = [
    ("/entries?limit=1000", 0),
    ("/entries?name=a&limit=5", 0),
    ("/shelves?limit=100", 1),
    ("/shelves/1/items?limit=100", 2),
    ("/shelves/2/items?limit=100", 2),
    ("/counters?limit=1000&sortby=value", 3),
    ("/counters?value%5Bgte%5D=3", 3),
];
/// The number of shelves and of counters that are there at the start.
const ROWS: u64 = 4;

/// The writes of a table: how many have begun, and the last of them that has ended.
#[derive(Default)]
struct Writes {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// The state that the clients share.
#[derive(Default)]
struct Observations {
    writes: [Writes; TABLES.len()],
    /// The content of each tag of a target.
    contents: Mutex<HashMap<(&'static str, String), Vec<u8>>>,
    reads: AtomicU64,
    unchanged: AtomicU64,
    over: AtomicBool,
}

/// Reads and writes for this many seconds.
pub(super) fn steady(program: &Program, seconds: u64) -> io::Result<String> {
    let (folder, database) = (tempfile::tempdir()?, Database::create()?);
    let url = Database::url(&[database.port]);
    let nodes = trial::start(&[NodeKind::Served; 3], program, &url, folder.path())?;
    let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
    let (seen, mut client) = (Observations::default(), Client::default());
    for at in 1..=ROWS {
        let name = format!("c{at}");
        create(&mut client, addresses[0], "/shelves", &json!({ "name": name }))?;
        create(&mut client, addresses[0], "/counters", &json!({ "name": name, "value": at }))?;
    }
    let results = thread::scope(|scope| {
        let (seen, nodes, database) = (&seen, &addresses, &database);
        let writers = (1..=3).map(|at| scope.spawn(move || write(seen, nodes, at)));
        let others = (11..=12).map(|at| scope.spawn(move || write_elsewhere(seen, database, at)));
        let readers = (21..=24).map(|at| scope.spawn(move || read(seen, nodes, at)));
        let threads: Vec<_> = writers.chain(others).chain(readers).collect();
        for _ in 0..seconds * 10 {
            // A client that has failed ends the trial.
            if threads.iter().any(thread::ScopedJoinHandle::is_finished) {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        seen.over.store(true, Ordering::Relaxed);
        let panicked = |_| Err(io::Error::other("a client panicked"));
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
        ends.collect::<io::Result<Vec<()>>>()
    });
    results?;
    let writes: u64 = seen.writes.iter().map(|one| one.begun.load(Ordering::Relaxed)).sum();
    let tags = seen.contents.lock().unwrap_or_else(PoisonError::into_inner).len();
    Ok(format!(
        "{seconds} s, {writes} writes, {} reads, {} of them 304, {tags} tags, each with one content",
        seen.reads.load(Ordering::Relaxed),
        seen.unchanged.load(Ordering::Relaxed),
    ))
}

fn create(
    client: &mut Client,
    node: SocketAddr,
    target: &str,
    body: &serde_json::Value,
) -> io::Result<Response> {
    let created = client.ask(node, ("POST", target), &[], Some(body))?;
    if created.status == 201 { Ok(created) } else { Err(unexpected(target, &created)) }
}

impl Observations {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Records a write that changes rows of a table, if `write` says that it did.
    fn writing(&self, table: usize, write: impl FnOnce() -> io::Result<bool>) -> io::Result<()> {
        let Writes { begun, ended } = &self.writes[table];
        let number = begun.fetch_add(1, Ordering::SeqCst) + 1;
        if write()? {
            ended.fetch_max(number, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Compares a response with all others of its tag.
    fn check(&self, target: &'static str, response: &Response) -> io::Result<()> {
        let Some(tag) = response.tag.clone() else { return Err(unexpected(target, response)) };
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let known = contents.entry((target, tag)).or_insert_with(|| response.body.clone());
        match *known == response.body {
            true => Ok(()),
            false => Err(unexpected(&format!("{target} has two contents under one tag"), response)),
        }
    }
}

/// Writes to the nodes.
fn write(seen: &Observations, nodes: &[SocketAddr], seed: u64) -> io::Result<()> {
    let (mut client, mut random) = (Client::default(), Random::new(seed));
    while !seen.is_over() {
        let node = nodes[random.to(nodes.len() as u64) as usize - 1];
        let number = random.to(ROWS);
        let name = if random.to(2) == 1 { "a" } else { "b" };
        let mut send = |method: &str, target: &str, body: Option<&serde_json::Value>| {
            let response = client.ask(node, (method, target), &[], body)?;
            match response.status {
                200 | 201 | 204 => Ok(true),
                // Another client has deleted it, or the transaction met others too often.
                404 | 409 | 503 => Ok(false),
                _ => Err(unexpected(target, &response)),
            }
        };
        match random.to(8) {
            1 | 2 => {
                let body = json!({ "value": random.to(9) });
                seen.writing(3, || send("PATCH", &format!("/counters/{number}"), Some(&body)))?;
            }
            3 => {
                let body = json!([{ "name": name, "part": 1 }, { "name": name, "part": 2 }]);
                seen.writing(0, || send("POST", "/entries", Some(&body)))?;
            }
            4 => {
                let body = json!({ "part": number });
                seen.writing(2, || send("POST", &format!("/shelves/{number}/items"), Some(&body)))?;
            }
            5 => seen.writing(1, || send("POST", "/shelves", Some(&json!({ "name": name }))))?,
            // It may find no rows, and then changes nothing.
            6 => drop(send("DELETE", &format!("/entries?name={name}&part={number}"), None)?),
            7 => drop(send("DELETE", &format!("/shelves/{}", ROWS + random.to(200)), None)?),
            _ => drop(send("DELETE", &format!("/shelves/1/items/{}", random.to(300)), None)?),
        }
    }
    Ok(())
}

/// Writes with SQL, as another program does, without waiting for the disk.
fn write_elsewhere(seen: &Observations, database: &Database, seed: u64) -> io::Result<()> {
    let mut session = SqlSession::open(database)?;
    session.run("SET synchronous_commit = off")?;
    let mut random = Random::new(seed);
    while !seen.is_over() {
        let (number, value) = (random.to(ROWS), random.to(9));
        let (table, sql) = match random.to(6) {
            1 => (3, format!("UPDATE counters SET value = {value} WHERE id = {number}")),
            2 => (
                0,
                format!(
                    "INSERT INTO entries (name, part) SELECT 'a', {value} FROM generate_series(1, 3)"
                ),
            ),
            3 => (2, format!("INSERT INTO items (shelf_id, part) VALUES ({number}, {value})")),
            4 => {
                session.run(&format!("DELETE FROM entries WHERE part = {value}"))?;
                continue;
            }
            5 => {
                let sql = format!(
                    "BEGIN; DELETE FROM shelves WHERE id > {ROWS} AND name = 'b'; UPDATE counters SET value = {value} WHERE id = {number}; ROLLBACK"
                );
                session.run(&sql)?;
                continue;
            }
            _ => (
                1,
                format!(
                    "BEGIN; INSERT INTO shelves (name) VALUES ('c'); DELETE FROM items WHERE part = {value}; COMMIT"
                ),
            ),
        };
        seen.writing(table, || session.run(&sql).map(|()| true))?;
        thread::sleep(Duration::from_millis(random.to(4)));
    }
    Ok(())
}

/// Reads from the nodes, mostly with the tag of the last response.
fn read(seen: &Observations, nodes: &[SocketAddr], seed: u64) -> io::Result<()> {
    let (mut client, mut random) = (Client::default(), Random::new(seed));
    let mut known: HashMap<&str, (String, u64)> = HashMap::new();
    while !seen.is_over() {
        let node = nodes[random.to(nodes.len() as u64) as usize - 1];
        let (target, table) = TARGETS[random.to(TARGETS.len() as u64) as usize - 1];
        let Writes { begun, ended } = &seen.writes[table];
        let last = known.get(target).filter(|_| random.to(4) > 1);
        let ended = ended.load(Ordering::SeqCst);
        let response = client.get(node, target, last.map(|(tag, _)| tag.as_str()))?;
        seen.reads.fetch_add(1, Ordering::Relaxed);
        match (response.status, last) {
            (304, Some((tag, begun))) => {
                seen.unchanged.fetch_add(1, Ordering::Relaxed);
                if ended > *begun {
                    let wrong =
                        format!("{target} was 304 for {tag}, but write {ended} came after {begun}");
                    return Err(io::Error::other(wrong));
                }
            }
            (200, _) => {
                seen.check(target, &response)?;
                let tag = response.tag.unwrap_or_default();
                known.insert(target, (tag, begun.load(Ordering::SeqCst)));
            }
            (503, _) => {}
            _ => return Err(unexpected(target, &response)),
        }
    }
    Ok(())
}

/// A connection of the program psql.
struct SqlSession {
    program: Child,
    output: BufReader<ChildStdout>,
}

impl SqlSession {
    fn open(database: &Database) -> io::Result<Self> {
        let mut program = database.psql();
        let mut program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = program.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { program, output: BufReader::new(output) })
    }

    /// Runs statements and waits for their end.
    fn run(&mut self, sql: &str) -> io::Result<()> {
        let input = self.program.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{sql};\n\\echo done")?;
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err(io::Error::other(format!("psql has ended at {sql}"))),
            _ => Ok(()),
        }
    }
}

impl Drop for SqlSession {
    fn drop(&mut self) {
        self.program.stdin = None;
        self.program.wait().ok();
    }
}
