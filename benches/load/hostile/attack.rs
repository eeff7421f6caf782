//! The attacks of hostile clients. Each attack uses connections of its own.

use std::{
    io,
    net::SocketAddr,
    process,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{DOCUMENTS, ZOOS, connection::Connection, victim};
use crate::workload::Random;

/// The size in bytes of one JSON member in the `content` of a document.
pub(super) const MEMBER_BYTES: usize = 20;

/// The time that an attacker that reads nothing stays connected, unless the server disconnects it.
const UNREAD_TIME: Duration = Duration::from_secs(120);
/// The minimum time that a client process lives before it is killed.
const VICTIM_TIME: Duration = Duration::from_millis(300);

/// A counter of the attacks that were made.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the count since the previous call, and resets it.
    pub(super) fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// A kind of attack.
pub(super) struct Attack {
    pub(super) name: &'static str,
    /// The number of clients that attack concurrently.
    pub(super) threads: usize,
    /// The pause of each client between attacks.
    pub(super) pause: Duration,
    pub(super) run: fn(SocketAddr, &AtomicBool, &Count),
}

const PAUSE: Duration = Duration::from_millis(20);
const QUERY_PAUSE: Duration = Duration::from_millis(5);
/// The pause between large patches. Each of them writes up to 600 KB to the disk. With this pause,
/// two clients make about six patches per second.
const PATCH_PAUSE: Duration = Duration::from_millis(300);

pub(super) const ATTACKS: [Attack; 7] = [
    Attack { name: "scans", threads: 16, pause: PAUSE, run: scans },
    Attack { name: "orders", threads: 4, pause: PAUSE, run: orders },
    Attack { name: "unread pages", threads: 12, pause: PAUSE, run: unread_pages },
    Attack { name: "unread pipelines", threads: 2, pause: PAUSE, run: unread_pipeline },
    Attack { name: "large patches", threads: 2, pause: PAUSE, run: large_patches },
    Attack { name: "aborted bodies", threads: 2, pause: PAUSE, run: aborted_bodies },
    Attack { name: "killed clients", threads: 1, pause: PAUSE, run: killed_clients },
];

/// Returns a random number generator with a new seed at every call.
fn random() -> Random {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    Random::new(CALLS.fetch_add(1, Ordering::Relaxed).wrapping_add(u64::from(process::id()) << 32))
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

fn body(method: &str, path: &str, media_type: &str, content: &str) -> Vec<u8> {
    let length = content.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media_type}\r\n\
         content-length: {length}\r\n\r\n{content}"
    )
    .into_bytes()
}

/// Returns a JSON object with this many members, whose names differ.
pub(super) fn object(members: usize) -> String {
    let members: Vec<String> =
        (0..members).map(|at| format!(r#""k{at:08}":{}"#, at % 10_000_000)).collect();
    format!("{{{}}}", members.join(","))
}

/// Sends requests on one connection, with a pause after each. Ends when a request fails or `going`
/// is false.
fn ask_on(
    (server, pause): (SocketAddr, Duration),
    going: &AtomicBool,
    count: &Count,
    next: impl Fn(&mut Random) -> Vec<u8>,
) {
    let mut random = random();
    let Ok(mut connection) = Connection::open(server) else { return };
    while going.load(Ordering::Relaxed) {
        if connection.ask(&next(&mut random)).is_err() {
            return;
        }
        count.add();
        thread::sleep(pause);
    }
}

/// Searches all animals for a name that does not exist, or requests a page at a huge offset.
fn scans(server: SocketAddr, going: &AtomicBool, count: &Count) {
    ask_on((server, QUERY_PAUSE), going, count, |random| match random.to(2) {
        1 => get(&format!("/animals?name[contains]=nobody{}&limit=1", random.to(1_000_000))),
        _ => get(&format!("/animals?limit=20&offset={}", ZOOS * 100 - random.to(1000))),
    });
}

/// Requests sort orders that no index serves. An order is rarely repeated.
fn orders(server: SocketAddr, going: &AtomicBool, count: &Count) {
    const KEYS: [&str; 6] =
        ["name", "born", "weight_kg", "created_at", "updated_at", "animal_type_id"];
    ask_on((server, QUERY_PAUSE), going, count, |random| {
        let mut keys = KEYS.to_vec();
        let sorted: Vec<String> = (0..4)
            .map(|_| {
                let key = keys.swap_remove(random.to(keys.len() as u64) as usize - 1);
                if random.to(2) == 1 { format!("-{key}") } else { key.into() }
            })
            .collect();
        get(&format!("/animals?sortby={}&limit={}", sorted.join(","), random.to(100)))
    });
}

/// Requests the largest pages, and does not read the response.
fn unread_pages(server: SocketAddr, going: &AtomicBool, count: &Count) {
    unread(server, going, count, &get("/documents?limit=100"));
}

/// Requests thousands of small pages at once, and does not read the responses.
fn unread_pipeline(server: SocketAddr, going: &AtomicBool, count: &Count) {
    unread(server, going, count, &get("/animals?limit=100").repeat(3000));
}

/// Sends requests as long as the server accepts them. Reads nothing, and waits until the server
/// closes the connection.
fn unread(server: SocketAddr, going: &AtomicBool, count: &Count, requests: &[u8]) {
    let Ok(mut connection) = Connection::open(server) else { return };
    count.add();
    // When the server stops reading, the remaining bytes are not sent.
    let mut sent = 0;
    let until = Instant::now() + UNREAD_TIME;
    while going.load(Ordering::Relaxed) && Instant::now() < until {
        let chunk = &requests[sent..requests.len().min(sent + 16 * 1024)];
        match connection.send_now(chunk) {
            Ok(more) => sent += more,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
        if connection.is_over() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Merges thousands of JSON members into a document, or moves its members with a JSON Patch.
fn large_patches(server: SocketAddr, going: &AtomicBool, count: &Count) {
    ask_on((server, PATCH_PAUSE), going, count, |random| {
        let path = format!("/documents/{}", random.to(DOCUMENTS));
        if random.to(4) > 1 {
            let content = object(random.to(30_000) as usize);
            return body(
                "PATCH",
                &path,
                "application/merge-patch+json",
                &format!(r#"{{"content":{content}}}"#),
            );
        }
        let moves: Vec<String> = (0..250)
            .map(|at| {
                format!(r#"{{"op":"move","from":"/content/k{at:08}","path":"/content/moved{at}"}}"#)
            })
            .collect();
        body("PATCH", &path, "application/json-patch+json", &format!("[{}]", moves.join(",")))
    });
}

/// Announces a large body and sends half of it. Then resets the connection, or waits for the
/// server.
fn aborted_bodies(server: SocketAddr, _: &AtomicBool, count: &Count) {
    let mut random = random();
    let Ok(mut connection) = Connection::open(server) else { return };
    let whole = body("POST", "/documents", "application/json", &object(20_000));
    let half = &whole[..whole.len() / 2];
    if connection.send(half).is_ok() && random.to(4) == 1 {
        // After its timeout, the server responds with 408 or closes the connection.
        let mut buffer = [0; 1024];
        drop(connection.read_some(&mut buffer, Duration::from_secs(2)));
    }
    drop(connection.reset());
    count.add();
}

/// Starts a client process, and kills it while it sends requests.
fn killed_clients(server: SocketAddr, _: &AtomicBool, count: &Count) {
    let Ok(mut process) = victim(server) else { return };
    thread::sleep(VICTIM_TIME + Duration::from_millis(random().to(700)));
    drop(process.kill());
    drop(process.wait());
    count.add();
}

/// The requests of a client process that is killed: reads, scans, exports and writes on many
/// connections.
pub(super) fn flood(server: SocketAddr, going: &AtomicBool, count: &Count) {
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                ask_on((server, QUERY_PAUSE), going, count, |random| match random.to(5) {
                    1 => get("/documents?limit=10"),
                    2 => get(&format!("/animals?name[contains]=nobody{}", random.to(1000))),
                    3 => get(&format!("/zoos/{}/animals?format=csv", random.to(ZOOS))),
                    4 => body(
                        "PATCH",
                        &format!("/zoos/{}", random.to(ZOOS)),
                        "application/json",
                        r#"{"city":"Halle"}"#,
                    ),
                    _ => get(&format!("/zoos/{}", random.to(ZOOS))),
                });
            });
        }
    });
}
