//! Tests of two processes that serve one database: a read from one process immediately sees the
//! writes that the other has acknowledged.

use std::{
    env,
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{Serving, ZOO};
use crate::client::{Client, read_some};

/// The number of connections that keep the workers busy. Each always has one request in progress,
/// so that no worker becomes idle.
const BUSY: usize = 200;
/// The number of threads that share the busy connections.
const BUSY_THREADS: usize = 4;
/// The number of connections that read. There are enough that each worker probably has some of
/// them.
const READERS: usize = 8;
/// The number of writes that are read back, unless `NOUNS_STALE_ROUNDS` is set.
const ROUNDS: usize = 40;

/// The targets of the reads: a member, and pages with this member. Each connection reads one
/// target. The second read of a target may get a cached response.
const TARGETS: [&str; 4] =
    ["/zoos/1", "/zoos?limit=1", "/zoos/1?fields=name", "/zoos?limit=1&fields=name"];

/// Stops the busy connections when it is dropped, also after a panic.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends requests on some of the busy connections until `stopped` is true. A connection sends its
/// next request after each response.
fn keep_busy(address: SocketAddr, stopped: &AtomicBool) {
    const REQUEST: &[u8] = b"GET /zoos/2 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let connect = |_| TcpStream::connect(address).unwrap();
    let mut streams: Vec<_> = (0..BUSY / BUSY_THREADS).map(connect).collect();
    for stream in &mut streams {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(REQUEST).unwrap();
    }
    let mut answer = [0; 8 * 1024];
    while !stopped.load(Ordering::Relaxed) {
        for stream in &mut streams {
            assert_ne!(
                read_some(&mut *stream, &mut answer).unwrap(),
                0,
                "the server must not close a busy connection"
            );
            stream.write_all(REQUEST).unwrap();
        }
    }
}

/// Writes through one process and reads through the other. Returns the number of reads that did not
/// return the written value.
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
    // The test does not read the log until the end, so the log must fit in the pipe.
    let start = || Serving::start(folder.path(), &[ZOO, "--log", "warn"]);
    let (one, other) = (start(), start());
    let zoos = json!([{ "name": "Tierpark" }, { "name": "Aquarium" }]);
    assert_eq!(one.client().post("/zoos", &zoos).status(), 201);
    let stopped = AtomicBool::new(false);
    let found = thread::scope(|scope| {
        for _ in 0..BUSY_THREADS {
            scope.spawn(|| keep_busy(other.address(), &stopped));
        }
        let _stop = Stop(&stopped);
        stale(&one, &other, rounds)
    });
    assert_eq!(found, 0, "no read may be stale, of {} reads", rounds * READERS);
    for serving in [one, other] {
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{log}");
    }
}
