//! Two processes that serve one database: whoever reads from one sees at once what the other has answered.

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

/// Connections that keep the workers busy, so that none of them becomes idle: more than one for each worker.
const BUSY: usize = 8;
/// Requests that such a connection has sent and not yet read the answers to.
const PIPELINED: usize = 64;
/// Connections that read: by chance each worker has some of them.
const READERS: usize = 8;
/// Writes that are read back, unless the environment says how many.
const ROUNDS: usize = 60;

/// What is read: a member, a page, and both in other words, which no other request asks for.
const TARGETS: [&str; 4] = ["/zoos/1", "/zoos?limit=1", "/zoos/1?fields=name", "/zoos?limit=1&fields=name"];

fn address(serving: &Serving) -> SocketAddr {
    serving.url().strip_prefix("http://").unwrap().split('/').next().unwrap().parse().unwrap()
}

/// Sends requests until it is stopped, so that some always wait for their answers.
fn keep_busy(address: SocketAddr, stopped: &AtomicBool) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut rest = vec![];
    let requests = "GET /zoos/2 HTTP/1.1\r\nhost: a\r\n\r\n".repeat(PIPELINED);
    stream.write_all(requests.as_bytes()).unwrap();
    while !stopped.load(Ordering::Relaxed) {
        stream.write_all(requests.as_bytes()).unwrap();
        read_answers(&mut stream, &mut rest, PIPELINED);
    }
}

/// Reads so many answers, and perhaps some of the next ones: so requests never fill the buffers of the system.
fn read_answers(stream: &mut TcpStream, read: &mut Vec<u8>, count: usize) {
    const STATUS: &[u8] = b"HTTP/1.1 200";
    let mut found = 0;
    while found < count {
        let at = read.len();
        read.resize(at + (1 << 16), 0);
        let more = stream.read(&mut read[at..]).unwrap();
        assert_ne!(more, 0, "the connection was closed");
        read.truncate(at + more);
        found += read.windows(STATUS.len()).filter(|window| *window == STATUS).count();
        // The rest may be the beginning of the next one.
        read.drain(..read.len().saturating_sub(STATUS.len() - 1));
    }
}

/// Writes by one process and reads by the other, and says how many reads found what was there before.
fn stale(writing: &Serving, reading: &Serving, rounds: usize) -> usize {
    let (mut writer, mut readers) = (writing.client(), vec![]);
    readers.resize_with(READERS, || reading.client());
    let mut stale = 0;
    for round in 0..rounds {
        let name = format!("Tierpark {round}");
        assert_eq!(writer.patch("/zoos/1", &json!({ "name": name })).status(), 200);
        for reader in &mut readers {
            stale += TARGETS.iter().filter(|target| !shows(reader, target, &name)).count();
        }
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
    // Nobody reads the log, which therefore must be short.
    for flags in [&[ZOO, "--log", "warn"][..], &[ZOO, "--log", "warn", "--cache", "0"]] {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (Serving::start(folder.path(), flags), Serving::start(folder.path(), flags));
        let zoos = json!([{ "name": "Tierpark" }, { "name": "Aquarium" }]);
        assert_eq!(one.client().post("/zoos", &zoos).status(), 201);
        let stopped = AtomicBool::new(false);
        let found = thread::scope(|scope| {
            for _ in 0..BUSY {
                scope.spawn(|| keep_busy(address(&other), &stopped));
            }
            let found = stale(&one, &other, rounds);
            stopped.store(true, Ordering::Relaxed);
            found
        });
        assert_eq!(found, 0, "of {} reads, with {flags:?}", rounds * READERS * TARGETS.len());
        for serving in [one, other] {
            let (code, log) = serving.stop("-TERM");
            assert_eq!(code, Some(0), "{log}");
        }
    }
}
