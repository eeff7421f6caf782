//! Tests of a restart under load: the program stops, and another one starts on the same port. No
//! request that was accepted is lost.

use std::{
    collections::HashSet,
    io::{self, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::OwnedFd,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{Serving, ZOO, nouns};
use crate::client::{Client, read_some};

/// The number of restarts under load.
const RESTARTS: usize = 3;

/// The number of requests that a client sends on one connection.
const REQUESTS: usize = 5;

/// The observations of the clients.
#[derive(Default)]
struct Seen {
    /// The names of zoos whose creation was acknowledged.
    created: Mutex<HashSet<String>>,
    /// The names of zoos whose connection ended before a byte of the response came.
    unanswered: Mutex<HashSet<String>>,
    refused: AtomicUsize,
    stopped: AtomicBool,
}

/// Creates zoos until the test is over.
fn create(number: usize, address: SocketAddr, seen: &Seen) {
    let mut count = 0;
    while !seen.stopped.load(Ordering::Relaxed) {
        let mut stream = match TcpStream::connect(address) {
            Ok(stream) => stream,
            Err(error) => {
                // The system resets a handshake that the closed port has interrupted. No request
                // was sent then, as after a refusal.
                let kinds = [io::ErrorKind::ConnectionRefused, io::ErrorKind::ConnectionReset];
                assert!(kinds.contains(&error.kind()), "{error}");
                seen.refused.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(5));
                continue;
            }
        };
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        for _ in 0..REQUESTS {
            let name = format!("{number}-{count}");
            count += 1;
            match post(&mut stream, &name) {
                Ok(text) => {
                    assert!(text.starts_with("HTTP/1.1 201 Created\r\n"), "{text}");
                    seen.created.lock().unwrap().insert(name);
                    if text.contains("\r\nconnection: close\r\n") {
                        break;
                    }
                }
                Err(_) => {
                    seen.unanswered.lock().unwrap().insert(name);
                    break;
                }
            }
        }
    }
}

/// Sends a request and reads the response, which must be whole. An error means that no byte of it
/// came.
fn post(stream: &mut TcpStream, name: &str) -> io::Result<String> {
    let body = format!("{{\"name\":\"{name}\"}}");
    let head = "POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes())?;
    let (mut text, mut bytes) = (vec![], [0; 4096]);
    loop {
        let count = match read_some(&mut *stream, &mut bytes) {
            Ok(0) if text.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if text.is_empty() => return Err(error),
            read => read.expect("a response that has begun must be whole"),
        };
        assert!(count > 0, "a response that has begun must be whole");
        text.extend_from_slice(&bytes[..count]);
        if text.ends_with(b"}") && text.windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(String::from_utf8(text).unwrap());
        }
    }
}

/// Restarts the program under load. `start` starts it. Returns what clients have seen; the zoos
/// that exist are exactly those whose creation was acknowledged.
fn restart(address: SocketAddr, start: impl Fn() -> Serving) -> Seen {
    let seen = Seen::default();
    let serving = thread::scope(|scope| {
        let mut serving = start();
        for number in 0..8 {
            let seen = &seen;
            scope.spawn(move || create(number, address, seen));
        }
        for _ in 0..RESTARTS {
            thread::sleep(Duration::from_millis(300));
            serving.signal("-TERM");
            let (code, log) = serving.end();
            assert_eq!(code, Some(0), "{log}");
            serving = start();
        }
        thread::sleep(Duration::from_millis(300));
        seen.stopped.store(true, Ordering::Relaxed);
        serving
    });
    let created = seen.created.lock().unwrap();
    let unanswered = seen.unanswered.lock().unwrap();
    let found = names(&mut Client::connect(address));
    assert_eq!(found.len(), found.iter().collect::<HashSet<_>>().len(), "no write runs twice");
    let found: HashSet<_> = found.into_iter().collect();
    assert!(created.len() > 100, "{}", created.len());
    assert_eq!(created.difference(&found).count(), 0, "an acknowledged write must exist");
    assert_eq!(unanswered.intersection(&found).count(), 0, "a write that ran must be answered");
    drop((created, unanswered));
    assert_eq!(serving.stop("-TERM").0, Some(0));
    seen
}

fn names(client: &mut Client) -> Vec<String> {
    let (mut names, mut next) = (vec![], Some("/zoos?limit=100&fields=name".to_owned()));
    while let Some(target) = next {
        let page = client.get(&target).json();
        let name = |item: &Value| item["name"].as_str().unwrap().to_owned();
        names.extend(page["items"].as_array().unwrap().iter().map(name));
        next = page["links"]["next"].as_str().map(str::to_owned);
    }
    names
}

const QUIET: [&str; 5] = [ZOO, "--database", "zoo.db", "--log", "warn"];

/// Conformance 171: a restart on the same port loses no request that was accepted. While nobody
/// listens, connections are refused.
#[test]
fn a_restart_under_load_loses_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let listen = address.to_string();
    let start = || Serving::start_at(nouns(folder.path()), &QUIET, &listen);
    let seen = restart(address, start);
    assert!(seen.refused.into_inner() > 0, "the port must be closed between two programs");
}

/// Starts the program as systemd does: with a listening socket as file descriptor 3.
fn activated(folder: &Path, listener: OwnedFd) -> Serving {
    let mut command = Command::new("sh");
    let pass = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
    command.current_dir(folder).args(["-c", pass, env!("CARGO_BIN_EXE_nouns")]);
    command.env_remove("NOUNS_LOG").env("NO_COLOR", "1").stdin(Stdio::from(listener));
    Serving::spawn(command, &QUIET)
}

/// Conformance 171: with a socket that outlives the program, not even a connection is refused, and
/// none ends without a response.
#[test]
fn a_restart_with_a_socket_of_the_system_is_not_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = || activated(folder.path(), listener.try_clone().unwrap().into());
    let seen = restart(listener.local_addr().unwrap(), start);
    assert_eq!(seen.refused.into_inner(), 0);
    assert_eq!(seen.unanswered.into_inner().unwrap().len(), 0);
}
