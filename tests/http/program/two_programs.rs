//! Two processes that serve one database: whoever reads from one sees at once what the other has answered.

use std::{
    env,
    io::{self, Write},
    iter,
    net::{Shutdown, SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{Serving, ZOO};
use crate::client::Client;

/// Connections that keep the workers busy, so that none of them becomes idle: more than one for each worker.
const BUSY: usize = 4;
/// Requests that such a connection sends at once. A worker looks at its other connections when it has answered about a
/// thousand, or none is left.
const PIPELINED: usize = 1_000;
/// Connections that read: by chance each worker has some of them.
const READERS: usize = 8;
/// Writes that are read back, unless the environment says how many.
const ROUNDS: usize = 20;

/// What is read: a member and pages of it. Each connection asks for one of them; of those that ask for the same, the second is
/// answered from memory.
const TARGETS: [&str; 4] = ["/zoos/1", "/zoos?limit=1", "/zoos/1?fields=name", "/zoos?limit=1&fields=name"];

fn address(serving: &Serving) -> SocketAddr {
    serving.url().strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap()
}

/// Stops what keeps the workers busy when it is dropped, also by a panic.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends requests until it is stopped, so that some always wait for their answers, which nobody looks at.
fn keep_busy(address: SocketAddr, stopped: &AtomicBool) {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    let requests = "GET /zoos/2 HTTP/1.1\r\nhost: a\r\n\r\n".repeat(PIPELINED);
    thread::scope(|scope| {
        scope.spawn(|| io::copy(&mut &stream, &mut io::sink()));
        let sent = iter::repeat_with(|| (&stream).write_all(requests.as_bytes()));
        let failed = sent.take_while(|_| !stopped.load(Ordering::Relaxed)).find_map(Result::err);
        stream.shutdown(Shutdown::Both).ok();
        assert!(failed.is_none(), "{failed:?}");
    });
}

/// Writes by one process and reads by the other, and returns how many reads found what was there before.
fn stale(writing: &Serving, reading: &Serving, rounds: usize) -> usize {
    let mut writer = writing.client();
    let mut readers: Vec<_> =
        TARGETS.iter().cycle().map(|target| (reading.client(), target)).take(READERS).collect();
    let mut stale = 0;
    for round in 0..rounds {
        let name = format!("Tierpark {round}");
        assert_eq!(writer.patch("/zoos/1", &json!({ "name": name })).status(), 200);
        let name = &name;
        stale += thread::scope(|scope| {
            let reads =
                readers.iter_mut().map(|(reader, target)| scope.spawn(move || shows(reader, target, name)));
            let reads: Vec<_> = reads.collect();
            reads.into_iter().map(|read| usize::from(!read.join().unwrap())).sum::<usize>()
        });
    }
    stale
}

fn shows(reader: &mut Client, target: &str, name: &str) -> bool {
    let found = reader.get(target).json();
    let member = found.get("items").map_or(&found, |items| &items[0]);
    member["name"] == name
}

#[test]
fn what_one_process_has_written_the_other_shows_at_once() {
    let rounds = env::var("NOUNS_STALE_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    // Nobody reads the log, so it must be short.
    let start = || Serving::start(folder.path(), &[ZOO, "--log", "warn"]);
    let (one, other) = (start(), start());
    let zoos = json!([{ "name": "Tierpark" }, { "name": "Aquarium" }]);
    assert_eq!(one.client().post("/zoos", &zoos).status(), 201);
    let stopped = AtomicBool::new(false);
    let found = thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| keep_busy(address(&other), &stopped));
        }
        let _stop = Stop(&stopped);
        stale(&one, &other, rounds)
    });
    assert_eq!(found, 0, "stale of {} reads", rounds * READERS);
    for serving in [one, other] {
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{log}");
    }
}
