//! Tests of what the server refuses to do for one client, or for too many: requests that wait, that
//! take too long, or that come too often, and hosts that it does not serve. Attackers and clients
//! that behave well have different addresses.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use nouns::{Answer as Custom, Api, Model, Timeout, http};
use serde_json::json;
use socket2::{Domain, Socket, Type};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const ATTACKER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

fn server(settings: &str) -> TestServer {
    TestServer::of(&format!(
        "nouns: 1\nserver: {{ {settings} }}\nresources: {{ zoo: {{ fields: {{ name: string }} }} }}\n"
    ))
}

/// Opens a connection from another loopback address.
fn connect(server: &TestServer, from: Ipv4Addr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.connect(&server.address().into()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket.into()
}

/// Sends a request and reads the head of its response.
fn ask(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = String::new();
    let mut lines = BufReader::new(&mut *stream);
    while lines.read_line(&mut head).unwrap() > 2 {}
    head
}

const GET: &str = "GET /zoos HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// The head of a POST whose body does not come.
const BEGUN: &str = "POST /zoos HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";

/// Conformance 58: requests that wait have a limit, in total and for each network.
#[test]
fn requests_that_wait_are_bounded() {
    let server = server("limits: { requests: 4, client_requests: 2 }");
    // Whoever waits for a body says so.
    let begun = BEGUN
        .replace("\r\n\r\n", "\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n\r\n");
    let begin = |from| {
        let mut stream = connect(&server, from);
        let head = ask(&mut stream, &begun);
        assert!(head.starts_with("HTTP/1.1 100"), "{head}");
        stream
    };
    let until_refused = |from| {
        let begun = Instant::now();
        loop {
            let head = ask(&mut connect(&server, from), GET);
            if head.starts_with("HTTP/1.1 503") {
                return head;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{head}");
        }
    };
    let first = [begin(ATTACKER), begin(ATTACKER)];
    let head = until_refused(ATTACKER);
    assert!(head.contains("\r\nretry-after: 1\r\n"), "{head}");
    let answer = server.client().get("/zoos");
    assert_eq!(answer.status(), 200, "another address is served");
    let second = [begin(OTHER), begin(OTHER)];
    until_refused(OTHER);
    let refused = server.client().get("/zoos");
    assert_eq!((refused.status(), refused.problem().as_str()), (503, "unavailable"));
    drop((first, second));
    let begun = Instant::now();
    while server.client().get("/zoos").status() != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

/// Conformance 46: the body of a refused request is not the next request. A small one is read, so
/// that the connection stays open. A large one closes it.
#[test]
fn the_body_of_a_refused_request_is_not_the_next_request() {
    let server = server("limits: { requests: 1 }");
    let mut waiting = connect(&server, ATTACKER);
    waiting.write_all(BEGUN.as_bytes()).unwrap();
    let large = BEGUN.replace("content-length: 100", "content-length: 70000");
    for (begin, length, is_kept) in [(BEGUN, 100, true), (&large, 70_000, false)] {
        let smuggled = format!("{begin}{GET}{}", " ".repeat(length - GET.len()));
        let begun = Instant::now();
        loop {
            let mut stream = connect(&server, OTHER);
            let head = ask(&mut stream, &smuggled);
            if !head.starts_with("HTTP/1.1 503") {
                assert!(begun.elapsed() < Duration::from_secs(20), "{head}");
                continue;
            }
            assert_eq!(head.contains("\r\nconnection: close\r\n"), !is_kept, "{head}");
            if is_kept {
                let last = GET.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
                stream.write_all(last.as_bytes()).unwrap();
            }
            let mut rest = String::new();
            stream.read_to_string(&mut rest).unwrap();
            assert_eq!(rest.matches("HTTP/1.1 503").count(), usize::from(is_kept), "{rest}");
            assert_eq!(rest.matches("HTTP/1.1").count(), usize::from(is_kept), "{rest}");
            break;
        }
    }
}

/// A server with a route that takes a second, and a timeout of 200 ms.
fn slow() -> TestServer {
    let api = Api::new("Zoos").timeout(Timeout::Request, Duration::from_millis(200));
    let api = api.host("*").route(http::Method::GET, "/slow", |_| async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Ok(Custom::status(http::StatusCode::OK))
    });
    let api = api.route(http::Method::POST, "/slow", |_| async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Ok(Custom::status(http::StatusCode::OK))
    });
    let model: Arc<Model> = api.build().unwrap();
    TestServer::serve(model)
}

/// Conformance 58: a worker that gets more requests than it can answer refuses some of them, and
/// recovers.
#[test]
fn a_worker_with_too_much_to_do_refuses_the_rest() {
    let busy = |_| async {
        thread::sleep(Duration::from_millis(2));
        Ok(Custom::status(http::StatusCode::OK))
    };
    let api = Api::new("Zoos").host("localhost").route(http::Method::GET, "/busy", busy);
    let server = TestServer::serve(api.build().unwrap());
    let request = b"GET /busy HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let crowd = || {
        let mut crowd: Vec<_> = (0..600).map(|_| connect(&server, ATTACKER)).collect();
        crowd.iter_mut().for_each(|stream| stream.write_all(request).unwrap());
        let text = |mut stream: TcpStream| {
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        crowd.into_iter().map(text).collect::<Vec<_>>()
    };
    let (refused, answered): (Vec<_>, Vec<_>) = (0..5)
        .flat_map(|_| crowd())
        .partition(|text| text.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
    // Those that come before the worker notices, and some of each later crowd.
    assert!(answered.len() > 300, "{}", answered.len());
    assert!(answered.iter().all(|text| text.starts_with("HTTP/1.1 200 OK\r\n")));
    assert!(refused.len() > 100, "{}", refused.len());
    assert!(refused.iter().all(|text| text.contains("\r\nretry-after: 1\r\n")), "{}", refused[0]);
    let begun = Instant::now();
    let get = "GET /busy HTTP/1.1\r\nhost: localhost\r\n\r\n";
    while !ask(&mut connect(&server, OTHER), get).starts_with("HTTP/1.1 200") {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

/// Conformance 59: a deadline that passes in the server is a 503, never a 504.
#[test]
fn a_request_that_takes_too_long_is_given_up() {
    let server = slow();
    let refused = server.client().get("/slow");
    assert_eq!((refused.status(), refused.problem().as_str()), (503, "unavailable"));
    assert!(refused.field("retry-after").is_some());
    assert_eq!(refused.detail(), "The request took longer than 0.2 seconds.");
    let mut client = server.client();
    let unsafe_one = client.request("POST", "/slow", &[], Some(b""));
    assert!(unsafe_one.detail().contains("whether it has changed anything is unknown"));
    assert_eq!(client.get("/-/health").status(), 200, "the connection goes on");
}

fn with_host(server: &TestServer, host: &str, target: &str) -> Answer {
    let request = format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    server.client().raw(request.as_bytes(), false)
}

/// Conformance 52: hosts that are not served are 421, and health checks may name any.
#[test]
fn only_declared_hosts_are_served() {
    let server = server("hosts: [zoo.example.org, \"*.zoo.example.org\"]");
    for host in ["zoo.example.org", "Zoo.Example.ORG:8080", "api.zoo.example.org"] {
        assert_eq!(with_host(&server, host, "/zoos").status(), 200, "{host}");
    }
    for host in ["example.org", "localhost", "127.0.0.1", "zoo.example.org.evil.example"] {
        let refused = with_host(&server, host, "/zoos");
        assert_eq!((refused.status(), refused.problem().as_str()), (421, "misdirected"), "{host}");
        assert_eq!(with_host(&server, host, "/-/health").status(), 200, "{host}");
    }
    // The URL in the request line takes precedence over `Host`.
    assert_eq!(with_host(&server, "zoo.example.org", "http://evil.example/zoos").status(), 421);
    assert_eq!(with_host(&server, "evil.example", "http://zoo.example.org/zoos").status(), 200);
}

/// Conformance 52: on a loopback address, a page that lets its own name lead there is refused.
#[test]
fn a_local_server_is_not_used_through_a_browser() {
    let server = server("");
    for host in ["localhost", "localhost:8080", "zoo.localhost", "127.0.0.1:80", "[::1]"] {
        assert_eq!(with_host(&server, host, "/zoos").status(), 200, "{host}");
    }
    let refused = with_host(&server, "evil.example", "/zoos");
    assert_eq!((refused.status(), refused.problem().as_str()), (421, "misdirected"));
    assert_eq!(with_host(&server, "evil.example", "/-/ready").status(), 200);
    let open = self::server("hosts: ['*']");
    assert_eq!(with_host(&open, "evil.example", "/zoos").status(), 200);
    let proxied = self::server("trusted_proxies: ['127.0.0.1']");
    assert_eq!(with_host(&proxied, "zoo.example.org", "/zoos").status(), 200);
}

/// Conformance 55, 160: a client has a rate, which each response tells it, also one of an error.
/// Another client has its own.
#[test]
fn a_client_has_a_rate() {
    let server = server("rate_limit: { client: 3/1h }");
    let mut client = server.client();
    for (left, target, status) in [(2, "/zoos", 200), (1, "/nothing", 404), (0, "/zoos/1", 404)] {
        let answer = client.get(target);
        assert_eq!(answer.status(), status);
        assert_eq!(answer.field("ratelimit-policy"), Some("\"client\";q=3;w=3600"));
        let limit = answer.field("ratelimit").unwrap();
        assert!(limit.starts_with(&format!("\"client\";r={left};t=")), "{limit}");
    }
    let refused = client.get("/zoos");
    assert_eq!((refused.status(), refused.problem().as_str()), (429, "too-many-requests"));
    assert_eq!(refused.detail(), "At most 3 requests in 3600 seconds are allowed.");
    let wait: u64 = refused.field("retry-after").unwrap().parse().unwrap();
    assert!((1..=1200).contains(&wait), "{wait}");
    assert!(refused.field("ratelimit").unwrap().starts_with("\"client\";r=0;t="));
    assert_eq!(client.get("/nothing").status(), 429, "what is not found costs as much");
    // Neither another connection nor another worker has more.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(server.client().get("/zoos").status(), 429));
        }
    });
    let head = ask(&mut connect(&server, OTHER), GET);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
}

/// Load balancers and monitors are answered, whatever the rate is, and do not count.
#[test]
fn a_rate_is_not_for_those_who_watch_the_server() {
    let server = server("rate_limit: { client: 2/1h }, metrics: true");
    let mut client = server.client();
    let probes = ["/-/health", "/-/ready", "/-/metrics"];
    let is_free = |client: &mut Client| {
        for target in probes {
            let answer = client.get(target);
            assert_eq!((answer.status(), answer.field("ratelimit")), (200, None), "{target}");
            assert_eq!(client.request("POST", target, &[], None).status(), 405, "{target}");
        }
    };
    is_free(&mut client);
    assert_eq!([(); 3].map(|()| client.get("/zoos").status()), [200, 200, 429]);
    is_free(&mut client);
    assert_eq!(client.get("/-/health?x=1").status(), 400, "it is no other error");
    assert_eq!(client.get("/-/problems").status(), 429);
}

/// A page that is too large for a worker moves to another thread, and counts once.
#[test]
fn a_large_page_counts_once() {
    let server = server("rate_limit: { client: 300/1h }");
    let zoos: Vec<_> = (0..100).map(|_| json!({ "name": "x".repeat(8000) })).collect();
    let mut client = server.client();
    client.create("/zoos", &zoos.into());
    let left =
        |answer: &Answer| answer.field("ratelimit").unwrap().split(';').nth(1).map(str::to_owned);
    let page = client.get("/zoos?limit=100");
    assert_eq!((page.status(), left(&page).as_deref()), (200, Some("r=298")));
}
