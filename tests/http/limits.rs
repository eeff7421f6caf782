//! Tests of the limits and timeouts that a schema can change: each acts with another value than its
//! default.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::{Answer, Client, read_some},
    server::TestServer,
};

/// A server whose resource has a field of each kind that a limit is about.
fn server(settings: &str) -> TestServer {
    TestServer::of(&format!(
        "nouns: 1\nserver: {{ {settings} }}\nresources:\n  zoo:\n    limit: {{ default: 20, maximum: 100 }}\n    \
         fields: {{ name: string, plan: json, size: integer }}\n"
    ))
}

fn get(server: &TestServer, target: &str) -> Answer {
    server.client().get(target)
}

fn post(client: &mut Client, body: &str) -> Answer {
    client.request("POST", "/zoos", &[("content-type", "application/json")], Some(body.as_bytes()))
}

/// Conformance 47, 56, 149: the limits of a head and a body can be changed.
#[test]
fn the_sizes_of_a_request_can_be_changed() {
    let settings =
        "limits: { target_bytes: 1KiB, header_bytes: 4KiB, headers: 16, body_bytes: 1KiB }";
    let server = server(settings);
    assert_eq!(get(&server, &format!("/zoos?name={}", "a".repeat(1000))).status(), 200);
    assert_eq!(get(&server, &format!("/zoos?name={}", "a".repeat(1100))).problem(), "uri-too-long");
    let with = |fields: &[(&str, &str)]| server.client().request("GET", "/zoos", fields, None);
    assert_eq!(with(&[("x", &"a".repeat(3500))]).status(), 200);
    let large = with(&[("x", &"a".repeat(4200))]);
    assert_eq!((large.status(), large.problem().as_str()), (431, "fields-too-large"));
    let names: Vec<_> = (0..20).map(|at| format!("x-{at}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "a")).collect();
    assert_eq!(with(&many[..10]).status(), 200);
    let refused = with(&many);
    assert_eq!(refused.status(), 431);
    assert!(refused.detail().ends_with("header fields; at most 16 are accepted."), "{refused:?}");
    let body = |bytes: usize| json!({ "name": "a".repeat(bytes) }).to_string();
    assert_eq!(post(&mut server.client(), &body(900)).status(), 201);
    let refused = post(&mut server.client(), &body(1100));
    assert_eq!(refused.problem(), "content-too-large");
    assert_eq!(refused.detail(), "A body has at most 1024 bytes here.");
}

#[test]
fn a_larger_body_is_accepted_if_it_is_declared() {
    let server = server("limits: { body_bytes: 4MiB, headers: 200 }");
    let name = "a".repeat(3 << 20);
    let mut client = server.client();
    assert_eq!(
        post(&mut client, &json!({ "name": name, "plan": { "b": 1 } }).to_string()).status(),
        201
    );
    assert_eq!(client.get("/zoos/1").json()["name"].as_str().unwrap().len(), 3 << 20);
    // A merge with what is stored has the limit of a body, too.
    let merge = [("content-type", "application/merge-patch+json")];
    let patch = json!({ "plan": { "a": "b".repeat(2 << 20) } }).to_string();
    let merged = client.request("PATCH", "/zoos/1", &merge, Some(patch.as_bytes()));
    assert_eq!(merged.status(), 200);
    let names: Vec<_> = (0..150).map(|at| format!("x-{at}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), "a")).collect();
    assert_eq!(client.request("GET", "/zoos?fields=id", &many, None).status(), 200);
}

#[test]
fn the_limits_of_a_query_can_be_changed() {
    let settings =
        "limits: { parameters: 8, filters: 3, filter_values: 6, list_values: 4, page_members: 10 }";
    let server = server(settings);
    let refused = |query: &str, detail: &str| {
        let answer = get(&server, &format!("/zoos?{query}"));
        assert_eq!(answer.status(), 400, "{query}");
        assert!(answer.detail().contains(detail), "{query}: {}", answer.detail());
    };
    assert_eq!(get(&server, "/zoos?size=1&size=2&size=3").status(), 200);
    refused(&["size=1"; 9].join("&"), "at most 8 parameters");
    refused("size[gt]=1&size[lt]=2&size[ne]=3&size[gte]=4", "at most 3 conditions");
    refused("size[in]=1,2,3,4&size[nin]=1,2,3", "at most 6 values");
    refused("size[in]=1,2,3,4,5", "A list has at most 4 values");
    assert_eq!(get(&server, "/zoos?limit=10").status(), 200);
    refused("limit=11", "10");
    let described = server.client().request("OPTIONS", "/zoos", &[], None);
    assert!(described.json().to_string().contains("\"maximum\":10"), "{}", described.json());
    assert_eq!(get(&server, "/zoos").json()["limit"], 10);
}

#[test]
fn the_depth_of_json_can_be_changed() {
    let server = server("limits: { json_depth: 3 }");
    let mut client = server.client();
    let plan = |depth: usize| format!("{{\"plan\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(post(&mut client, &plan(3)).status(), 201);
    let refused = post(&mut client, &plan(4));
    assert_eq!((refused.status(), refused.faults().as_str()), (422, "/plan type"));
    assert!(refused.detail().contains("deeper than 3 levels"), "{}", refused.detail());
    let patch = [("content-type", "application/json-patch+json")];
    let deeper = r#"[{"op":"add","path":"/plan","value":[[[[1]]]]}]"#;
    let refused = client.request("PATCH", "/zoos/1", &patch, Some(deeper.as_bytes()));
    assert!(refused.detail().contains("deeper than 3 levels"), "{}", refused.detail());
}

/// Conformance 164: the declared time and number of requests are announced and kept.
#[test]
fn a_connection_lasts_as_long_as_declared() {
    let server = server("keep_alive: { idle: 1s, requests: 3 }");
    let mut client = server.client();
    let mut get = || client.request("GET", "/zoos", &[("connection", "keep-alive")], None);
    assert_eq!(get().field("keep-alive"), Some("timeout=1, max=2"));
    assert_eq!(get().field("keep-alive"), Some("timeout=1, max=1"));
    assert_eq!(get().field("connection"), Some("close"));
    let mut idle = TcpStream::connect(server.address()).unwrap();
    idle.write_all(b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n").unwrap();
    let (begun, mut all) = (Instant::now(), String::new());
    idle.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    idle.read_to_string(&mut all).unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
    assert!(all.starts_with("HTTP/1.1 200 OK\r\n"), "{all}");
}

/// Sends the head of a POST, and then a byte of its body in each interval, until the server
/// answers or a time is over. Returns the response.
fn drip(server: &TestServer, interval: Duration, most: Duration) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ncontent-length: 10000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(interval)).unwrap();
    let (begun, mut answer) = (Instant::now(), vec![]);
    while begun.elapsed() < most && answer.is_empty() {
        let mut bytes = [0; 4096];
        if let Ok(count) = read_some(&mut stream, &mut bytes) {
            answer.extend_from_slice(&bytes[..count]);
        }
        stream.write_all(b" ").ok();
    }
    String::from_utf8(answer).unwrap()
}

/// Conformance 42, 147: a body has a time as a whole, and a minimum rate.
#[test]
fn a_body_that_comes_slowly_is_refused() {
    let late = server("timeouts: { body: 1s }");
    let slow = server("timeouts: { body: 1h }, limits: { body_rate: 100 }");
    let patient = server("timeouts: { body: 1h }, limits: { body_rate: 0 }");
    let second = Duration::from_secs(1);
    thread::scope(|scope| {
        let late = scope.spawn(|| drip(&late, second / 10, 20 * second));
        let slow = scope.spawn(|| drip(&slow, second / 10, 30 * second));
        let patient = scope.spawn(|| drip(&patient, second / 10, 7 * second));
        let late = late.join().unwrap();
        assert!(late.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{late}");
        assert!(late.contains("The body took longer than 1 seconds."), "{late}");
        let slow = slow.join().unwrap();
        assert!(slow.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{slow}");
        assert!(slow.contains("Less than 100 bytes of the body arrived in a second."), "{slow}");
        assert!(slow.contains("\r\nconnection: close\r\n"), "{slow}");
        assert_eq!(patient.join().unwrap(), "", "without a rate, a slow body is waited for");
    });
}

/// A client may send a body in chunks of one byte.
#[test]
fn a_body_in_small_pieces_is_the_same_body() {
    let server = server("");
    let body = json!({ "name": "Tierpark ".repeat(200) }).to_string();
    let chunks: String = body.chars().map(|one| format!("1\r\n{one}\r\n")).collect();
    let head = "POST /zoos HTTP/1.1\r\nhost: zoo.localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = server.client().raw(format!("{head}{chunks}0\r\n\r\n").as_bytes(), false);
    assert_eq!(
        (answer.status(), answer.json()["name"].clone()),
        (201, "Tierpark ".repeat(200).into())
    );
}

#[test]
fn connections_are_refused_beyond_the_declared_number() {
    let server = server("limits: { connections: 3, client_connections: 2 }");
    let connect = || {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let mut open = vec![connect(), connect()];
    for stream in &mut open {
        stream.write_all(b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n").unwrap();
        assert!(read_some(&mut *stream, &mut [0; 4096]).unwrap() > 0);
    }
    let mut answer = String::new();
    connect().read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
}

/// When all places are taken, an idle connection gives way to a new one: that of the address with
/// the most. Others stay, and so does one with a request in progress.
#[test]
fn idle_connections_give_way_to_new_ones() {
    let server = server(
        "limits: { connections: 5, client_connections: 3 }, timeouts: { head: 10m }, keep_alive: { idle: 1h }",
    );
    let request = b"GET /zoos HTTP/1.1\r\nhost: zoo.localhost\r\n\r\n";
    let mut few = server.connect_from([127, 0, 0, 2]);
    few.write_all(request).unwrap();
    assert!(read_some(&mut few, &mut [0; 4096]).unwrap() > 0);
    let mut many: Vec<_> = (0..3).map(|_| server.connect_from([127, 0, 0, 3])).collect();
    // The first has sent a part of a request, the second nothing, and the third has a response.
    many[0].write_all(&request[..20]).unwrap();
    many[2].write_all(request).unwrap();
    assert!(read_some(&mut many[2], &mut [0; 4096]).unwrap() > 0);
    let kept = server.connect_from([127, 0, 0, 4]);
    // A connection that the server accepted after a later one would be the one too many.
    server.wait_until_accepted();
    let served = || {
        let mut new = server.connect_from([127, 0, 0, 5]);
        new.write_all(request).unwrap();
        let mut answer = [0; 12];
        (new.read_exact(&mut answer).is_ok() && &answer == b"HTTP/1.1 200").then_some(new)
    };
    let until = Instant::now() + Duration::from_secs(60);
    let wait = || loop {
        if let Some(served) = served() {
            break served;
        }
        assert!(Instant::now() < until, "no connection gives way");
        thread::sleep(Duration::from_millis(100));
    };
    let new = [wait(), wait()];
    for ended in [1, 2] {
        assert_eq!(read_some(&mut many[ended], &mut [0]).unwrap_or(0), 0, "{ended}");
    }
    many[0].write_all(&request[20..]).unwrap();
    few.write_all(request).unwrap();
    for used in [&mut many[0], &mut few] {
        let mut answer = [0; 12];
        used.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"HTTP/1.1 200");
    }
    drop((kept, new));
}
