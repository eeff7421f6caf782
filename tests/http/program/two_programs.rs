//! Two processes that serve one database: a read from one sees at once the writes that the other
//! has acknowledged.

use std::{
    env,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{Serving, ZOO};
use crate::client::Client;

/// Connections that keep the workers busy, each with one request. There are so many that always
/// some have one, and no worker becomes idle, although each polls for new requests all the time.
const BUSY: usize = 200;
/// Threads that share these connections.
const BUSY_THREADS: usize = 4;
/// Connections that read; by chance each worker has some of them.
const READERS: usize = 8;
/// Writes that are read back, unless the environment sets another number.
const ROUNDS: usize = 40;

/// The targets of reads: a member and pages of it. Each connection reads one of them; of those with
/// the same target, the second gets a cached response.
const TARGETS: [&str; 4] =
    ["/zoos/1", "/zoos?limit=1", "/zoos/1?fields=name", "/zoos?limit=1&fields=name"];

fn address(serving: &Serving) -> SocketAddr {
    serving.url().strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap()
}

/// Stops the busy connections when it is dropped, also by a panic.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends requests on some connections until it is stopped; each follows the response to the one
/// before it.
fn keep_busy(address: SocketAddr, stopped: &AtomicBool) {
    const REQUEST: &[u8] = b"GET /zoos/2 HTTP/1.1\r\nhost: a\r\n\r\n";
    let connect = |_| TcpStream::connect(address).unwrap();
    let mut streams: Vec<_> = (0..BUSY / BUSY_THREADS).map(connect).collect();
    for stream in &mut streams {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(REQUEST).unwrap();
    }
    let mut answer = [0; 8 * 1024];
    while !stopped.load(Ordering::Relaxed) {
        for stream in &mut streams {
            assert_ne!(stream.read(&mut answer).unwrap(), 0, "the connection was closed");
            stream.write_all(REQUEST).unwrap();
        }
    }
}

/// Writes with one process and reads with the other, and returns the number of stale reads.
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
            let reads = readers
                .iter_mut()
                .map(|(reader, target)| scope.spawn(move || shows(reader, target, name)));
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
    // The log is not read, so it must be short.
    let start = || Serving::start(folder.path(), &[ZOO, "--log", "warn"]);
    let (one, other) = (start(), start());
    let zoos = json!([{ "name": "Tierpark" }, { "name": "Aquarium" }]);
    assert_eq!(one.client().post("/zoos", &zoos).status(), 201);
    let stopped = AtomicBool::new(false);
    let found = thread::scope(|scope| {
        for _ in 0..BUSY_THREADS {
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
