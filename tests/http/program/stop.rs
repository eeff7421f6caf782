//! Tests of the stop of `nouns serve`: it is announced, loses no request that has arrived, and ends
//! soon, whatever runs.

use std::{
    fs::File,
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Serving, ZOO, nouns, schema};
use crate::client::read_some;

/// The time within which the program ends after a signal, whatever runs.
const STOP_MAX: Duration = Duration::from_secs(10);

/// The time in which a second signal means the same as the first.
const ECHO_TIME: Duration = Duration::from_millis(500);

/// The time in which an idle connection may bring its last request.
const LAST_REQUEST_WAIT: Duration = Duration::from_millis(250);

/// A trigger that makes an insert of a zoo with the name `slow` take years.
const SLOW: &str = "CREATE TRIGGER slow AFTER INSERT ON zoos WHEN new.name = 'slow' BEGIN
    SELECT count(*) FROM zoos a, zoos b, zoos c, zoos d, zoos e, zoos f, zoos g, zoos h; END";

/// Rows for reads and exports that take long.
const MANY: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
    INSERT INTO zoos (name, city)
    SELECT 'zoo ' || i, hex(randomblob(40)) FROM n";

fn connect(serving: &Serving) -> TcpStream {
    let stream = TcpStream::connect(serving.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

fn send(serving: &Serving, request: &str) -> TcpStream {
    let mut stream = connect(serving);
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn rest(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("the connection must be closed, not reset");
    text
}

const GET: &str = "GET /zoos HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// A load balancer has time to notice that the server stops, before a client does.
#[test]
fn it_goes_on_for_a_while_and_says_that_it_is_not_ready() {
    const DRAIN_DELAY: Duration = Duration::from_secs(4);
    let folder = tempfile::tempdir().unwrap();
    let mut command = nouns(folder.path());
    command.env("NOUNS_DRAIN_DELAY", "4s");
    let serving = Serving::start_with(command, &[ZOO]);
    let mut client = serving.client();
    assert_eq!(client.get("/-/ready").status(), 200);
    let begun = Instant::now();
    serving.signal("-TERM");
    let not_ready = loop {
        let answer = client.get("/-/ready");
        if answer.status() != 200 {
            break answer;
        }
        assert!(begun.elapsed() < DRAIN_DELAY, "the server must say that it stops");
    };
    assert_eq!((not_ready.status(), not_ready.field("retry-after")), (503, Some("5")));
    assert_eq!(not_ready.detail(), "The server is stopping.");
    assert_eq!(client.get("/-/health").status(), 200);
    // A new connection is served, too, and lasts.
    let mut other = serving.client();
    other.create("/zoos", &json!({ "name": "Tierpark" }));
    assert_eq!(other.get("/zoos/1").field("connection"), None);
    let (code, log) = serving.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(begun.elapsed() >= DRAIN_DELAY, "{:?}", begun.elapsed());
}

/// Conformance 171: connections that wait to be accepted are answered, not reset. The program is
/// suspended while they come, so it meets them all at once, together with the signal. To answer
/// them takes longer than an idle connection may wait for its last request.
#[test]
fn connections_that_wait_are_answered_and_told_that_it_was_the_last_time() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--database", "zoo.db"]);
    let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
    database.execute_batch(MANY).unwrap();
    let page = |at| format!("GET /zoos?limit=100&offset={at} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut waiting: Vec<_> = (0..100).map(|_| connect(&serving)).collect();
    serving.signal("-STOP");
    for (at, stream) in waiting.iter_mut().enumerate() {
        stream.write_all(page(at).as_bytes()).unwrap();
    }
    waiting.extend((100..500).map(|at| send(&serving, &page(at))));
    serving.signal("-TERM");
    serving.signal("-CONT");
    let mut served = 0;
    for stream in &mut waiting {
        let text = rest(stream);
        let is_served = text.starts_with("HTTP/1.1 200 OK\r\n");
        // Where other programs use the processors, so many at once are an overload.
        assert!(is_served || text.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{text}");
        served += usize::from(is_served);
    }
    assert!(served > 0, "none of the connections was served");
    assert!(TcpStream::connect(serving.address()).is_err());
    let (code, log) = serving.end();
    assert_eq!(code, Some(0), "{log}");
}

/// Conformance 171: the last response says that the connection ends, and idle connections are
/// closed, not reset.
///
/// From outside, nobody sees the moment between the end of listening and the end of idle
/// connections. If this process or a worker was suspended, the late request comes before or after
/// it, and the test tries again.
#[test]
fn idle_connections_are_closed_and_a_late_request_gets_the_last_response() {
    const ATTEMPTS_MAX: usize = 20;
    let said_the_end = |text: String| text.contains("\r\nconnection: close\r\n");
    let mut last = (0..ATTEMPTS_MAX).map(|_| stop_with_a_late_request());
    assert!(last.any(said_the_end), "no last response says that it is the last");
}

/// Returns what a client gets whose request comes when the server has just stopped listening:
/// nothing if it came after the end of its connection.
fn stop_with_a_late_request() -> String {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let (mut silent, mut used) = (connect(&serving), send(&serving, GET));
    let mut late = send(&serving, GET);
    let mut first = [0; 4096];
    for stream in [&mut used, &mut late] {
        assert!(read_some(&mut *stream, &mut first).unwrap() > 0);
    }
    serving.signal("-TERM");
    let mut listened = Instant::now();
    while TcpStream::connect(serving.address()).is_ok() {
        listened = Instant::now();
        thread::sleep(Duration::from_millis(2));
    }
    // A connection that was closed before the request came is reset by it.
    let written = late.write_all(GET.as_bytes());
    let is_in_time = listened.elapsed() < LAST_REQUEST_WAIT / 2;
    let mut text = String::new();
    let read = written.and_then(|()| late.read_to_string(&mut text));
    assert!(read.is_ok() || text.is_empty(), "{read:?}: {text}");
    assert!(!is_in_time || !text.is_empty(), "a request in time gets its response");
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    assert_eq!((rest(&mut used), rest(&mut silent)), (String::new(), String::new()));
    assert_eq!(serving.end().0, Some(0));
    text
}

/// A slow write, slow reads, an export and a page that nobody reads, a slow body, a slow head, also
/// on the admin listener, and a connection of HTTP/2 that stays open.
#[test]
fn it_ends_in_time_whatever_runs() {
    let folder = tempfile::tempdir().unwrap();
    let flags = [ZOO, "--database", "zoo.db", "--admin-listen", "127.0.0.1:0"];
    let serving = Serving::start(folder.path(), &flags);
    let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
    database.execute_batch(&format!("{MANY};{SLOW}")).unwrap();
    let post = "POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let body = r#"{"name":"slow"}"#;
    let slow_write = format!("{post}content-length: {}\r\n\r\n{body}", body.len());
    let read = "GET /zoos?city[contains]=xyz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let export = "GET /zoos?format=csv HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let slow_body = format!("{post}content-length: 100000\r\n\r\n{{");
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{4}\0\0\0\0\0";
    let requests = [&slow_write, &slow_write, export, &slow_body, "GET /zoos HT", preface, ""];
    let mut open: Vec<_> = requests.iter().map(|request| send(&serving, request)).collect();
    open.extend((0..20).map(|_| send(&serving, read)));
    open.push(send(&serving, &GET.repeat(3000)));
    let admin = serving.admin().unwrap();
    thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    serving.signal("-TERM");
    // The admin listener is the last to end. This head begins only then.
    thread::sleep(Duration::from_secs(4));
    let mut slow_head = TcpStream::connect(admin).unwrap();
    slow_head.write_all(b"GET /-/met").unwrap();
    let (code, log) = serving.end();
    assert!(begun.elapsed() < STOP_MAX, "{:?}: {log}", begun.elapsed());
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("open connections were closed after 5s of shutdown"), "{log}");
    drop(open);
    // The database was closed: its WAL is empty.
    let wal = std::fs::metadata(folder.path().join("zoo.db-wal")).map_or(0, |file| file.len());
    assert_eq!(wal, 0);
    let count = "SELECT count(*) FROM zoos WHERE name = 'slow'";
    assert_eq!(database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (signal, expected) in [("-TERM", 143), ("-INT", 130)] {
        let serving = Serving::start(folder.path(), &[ZOO, "--drain-delay", "1h"]);
        serving.signal("-TERM");
        let mut client = serving.client();
        while client.get("/-/ready").status() == 200 {}
        thread::sleep(ECHO_TIME);
        let begun = Instant::now();
        let (code, log) = serving.stop(signal);
        assert_eq!(code, Some(expected), "{log}");
        assert!(begun.elapsed() < STOP_MAX);
        assert!(log.contains("a second signal ends the server at once"), "{log}");
    }
}

/// GNU `timeout`, npm and make deliver a signal twice. A request in progress is still answered.
#[test]
fn two_signals_at_once_are_one() {
    let folder = tempfile::tempdir().unwrap();
    for signal in ["-TERM", "-INT"] {
        let serving = Serving::start(folder.path(), &[ZOO]);
        let body = format!("{{\"name\":\"{signal}\"}}");
        let (begin, end) = body.split_at(5);
        let head = "POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
        let length = format!("content-length: {}\r\nexpect: 100-continue\r\n\r\n", body.len());
        let mut stream = send(&serving, &format!("{head}{length}"));
        let mut interim = [0; 25];
        stream.read_exact(&mut interim).unwrap();
        stream.write_all(begin.as_bytes()).unwrap();
        let id = serving.child.id();
        let twice = format!("kill {signal} {id}; sleep 0.02; kill {signal} {id}");
        assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
        stream.write_all(end.as_bytes()).unwrap();
        let text = rest(&mut stream);
        assert!(text.starts_with("HTTP/1.1 201 Created\r\n"), "{text}");
        let (code, log) = serving.end();
        assert_eq!(code, Some(0), "{log}");
    }
}

/// The schema file is a pipe, so the server starts when the test has written the schema: after the
/// signal.
#[test]
fn a_signal_while_it_starts_stops_it_once_it_has_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      name: string\n");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    for signal in ["-TERM", "-INT"] {
        let mut command = nouns(folder.path());
        command.args(["serve", &file, "--listen", "127.0.0.1:0"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = File::options().write(true).open(&file).unwrap();
        assert!(crate::tools::signal(&child, signal));
        pipe.write_all(text.as_bytes()).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{signal}: {log}");
        assert!(log.contains("a signal to stop has come while the server starts"), "{log}");
        assert_eq!(output.stdout, b"", "it was never ready");
    }
    let wal = std::fs::metadata(folder.path().join("zoo.db-wal")).map_or(0, |file| file.len());
    assert_eq!(wal, 0);
    assert!(
        folder.path().join("zoo.db").exists() && !folder.path().join("zoo.db-journal").exists()
    );
}
