//! Tests of `/-/metrics`: its numbers, its formats, and who may read it.

mod exposition;
mod visibility;

use std::{collections::BTreeMap, io::Write as _, sync::Arc, thread, time::Duration};

use nouns::{Answer, Api};
use serde_json::json;

use self::exposition::Exposition;
use crate::{
    client::{self, Client},
    http2,
    server::TestServer,
    tidy::root,
};

/// The target of the metrics. Without declaration they are served under a local host alone.
const METRICS: &str = "http://localhost/-/metrics";

/// Reads the metrics. Panics if they are not served, or have a mistake.
fn scrape(client: &mut Client) -> Exposition {
    let answer = client.get(METRICS);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{answer:?}");
    assert_eq!(answer.field("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    Exposition::parse(std::str::from_utf8(&answer.body).unwrap())
}

/// The time series of a metric that have changed between two documents, and by how much.
fn growth<'e>(before: &Exposition, after: &'e Exposition, metric: &str) -> BTreeMap<&'e str, f64> {
    let grown =
        after.of(metric).into_iter().map(|(series, value)| (series, value - before.value(series)));
    grown.filter(|(_, more)| *more != 0.0).collect()
}

/// Waits until a condition holds.
fn eventually(mut holds: impl FnMut() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("the condition does not hold after 5 seconds");
}

/// After a known sequence of requests, over both workers and both versions of HTTP, the counters
/// equal it: also for cached responses, 304, errors, and requests that are not routed.
#[test]
fn the_counters_equal_what_was_sent() {
    let server = TestServer::zoo();
    let mut watcher = server.client();
    let before = scrape(&mut watcher);
    // The system divides connections among the workers.
    let mut clients: Vec<_> = (0..16).map(|_| server.client()).collect();
    let zoo = clients[0].create("/zoos", &json!({ "name": "a" }));
    let tag = zoo.field("etag").unwrap().to_owned();
    for client in &mut clients {
        for _ in 0..5 {
            assert_eq!(client.get("/zoos/1").status(), 200);
        }
        let unchanged = client.request("GET", "/zoos/1", &[("if-none-match", &tag)], None);
        assert_eq!(unchanged.status(), 304);
        assert_eq!(client.request("HEAD", "/zoos", &[], None).status(), 200);
        assert_eq!(client.get("/zoos/1/animals").status(), 200);
        assert_eq!(client.get("/zoos/7").status(), 404);
        assert_eq!(client.get("/nowhere").status(), 404);
        assert_eq!(client.get("/zoos/").status(), 301);
        assert_eq!(client.request("BREW", "/zoos", &[], None).status(), 501);
        assert_eq!(client.delete("/zoos").status(), 405);
    }
    http2::wait(async {
        let client = http2::connect(&server, &h2::client::Builder::new()).await;
        for _ in 0..10 {
            assert_eq!(http2::get(&client, "/zoos/1").await.status, 200);
        }
        assert_eq!(http2::get(&client, "/-/problems/not-found").await.status, 200);
    });
    let after = scrape(&mut watcher);
    let label = |route: &str, method: &str, status: &str| {
        format!("nouns_requests_total{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}")
    };
    let expected: BTreeMap<_, _> = [
        (label("/-/metrics", "GET", "2xx"), 1.0),
        (label("/-/problems/{slug}", "GET", "2xx"), 1.0),
        (label("/zoos", "POST", "2xx"), 1.0),
        (label("/zoos", "HEAD", "2xx"), 16.0),
        (label("/zoos", "other", "5xx"), 16.0),
        (label("/zoos", "DELETE", "4xx"), 16.0),
        (label("/zoos/{zoo_id}", "GET", "2xx"), 90.0),
        (label("/zoos/{zoo_id}", "GET", "3xx"), 16.0),
        (label("/zoos/{zoo_id}", "GET", "4xx"), 16.0),
        (label("/zoos/{zoo_id}/animals", "GET", "2xx"), 16.0),
        (label("redirect", "GET", "3xx"), 16.0),
        (label("unmatched", "GET", "4xx"), 16.0),
    ]
    .into();
    let counted = growth(&before, &after, "nouns_requests_total");
    let expected: BTreeMap<_, _> = expected.iter().map(|(name, count)| (&**name, *count)).collect();
    assert_eq!(counted, expected);
    let statuses = growth(&before, &after, "nouns_responses_total");
    let status = |status: u16| statuses[&*format!("nouns_responses_total{{status=\"{status}\"}}")];
    assert_eq!((status(304), status(404), status(405), status(501)), (16.0, 32.0, 16.0, 16.0));
    let count = "nouns_request_duration_seconds_count{route=\"/zoos/{zoo_id}\"}";
    assert_eq!(growth(&before, &after, count).values().sum::<f64>(), 122.0);
    let hits = after.value("nouns_cache_hits_total");
    // Each of the two workers stores the response to the second request.
    let misses = after.value("nouns_cache_misses_total");
    assert!(hits >= 90.0 - 4.0, "{hits}");
    assert!(misses > 0.0 && after.value("nouns_cache_bytes") > 0.0, "{misses}");
    assert_eq!(after.value("nouns_requests_in_progress"), 1.0);
    assert_eq!(after.value("nouns_write_batch_size_sum"), 1.0);
    assert_eq!(after.value("nouns_commit_duration_seconds_count"), 1.0);
    assert!(after.value("nouns_statements_total") >= 3.0);
    assert!(after.value("nouns_connections_open") >= 17.0);
}

/// Connections are counted as long as they are open, and so are requests that the client gives up.
#[test]
fn gauges_return_to_what_they_were() {
    let server = TestServer::zoo();
    let mut watcher = server.client();
    let open = |watcher: &mut Client| scrape(watcher).value("nouns_connections_open");
    assert_eq!(open(&mut watcher), 1.0);
    let mut clients: Vec<_> = (0..5).map(|_| server.client()).collect();
    clients.iter_mut().for_each(|client| drop(client.get("/zoos")));
    assert_eq!(open(&mut watcher), 6.0);
    drop(clients);
    eventually(|| open(&mut watcher) == 1.0);
    // A request whose body does not arrive is in progress until its client disconnects.
    let mut slow = std::net::TcpStream::connect(server.address()).unwrap();
    let head = b"POST /zoos HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    slow.write_all(head).unwrap();
    eventually(|| scrape(&mut watcher).value("nouns_requests_in_progress") == 2.0);
    drop(slow);
    eventually(|| scrape(&mut watcher).value("nouns_requests_in_progress") == 1.0);
}

/// A client chooses no label: whatever it sends, no time series is added.
#[test]
fn no_client_adds_a_time_series() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let methods = ["GET", "POST", "BREW", "PUT", "DELETE", "PATCH"];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    // Each combination of a route, a method and a class of status once.
    let mut send = |client: &mut Client, at: usize| {
        let text = next();
        let target = match at % 5 {
            0 => format!("/{text:x}"),
            1 => format!("/zoos/{text}"),
            2 => format!("/zoos?{text:x}=1"),
            3 => format!("/-/{text:x}\"%0a{{x=\"y\"}} 1").replace([' ', '{', '}'], "_"),
            _ => format!("/zoos/1/{text:x}"),
        };
        let own = format!("M{text:X}");
        let method = match at % 7 {
            6 => &*own,
            other => methods[other],
        };
        let fields = [("content-type", "text/plain"), ("user-agent", &*own), ("request-id", &own)];
        let status = client.request(method, &target, &fields, None).status();
        assert!((400..=501).contains(&status), "{status}");
    };
    (0..70).for_each(|at| send(&mut client, at));
    scrape(&mut client);
    let before = scrape(&mut client);
    (0..3_000).for_each(|at| {
        if at % 1000 == 0 {
            client = server.client();
        }
        send(&mut client, at);
    });
    let after = scrape(&mut client);
    let added: Vec<_> = after.series().difference(&before.series()).copied().collect();
    assert_eq!(added, [""; 0]);
    let sum = |document: &Exposition| document.of("nouns_requests_total").values().sum::<f64>();
    assert_eq!(sum(&after) - sum(&before), 3_001.0);
}

/// The document is small and quick, with many routes and many clients, and also if some of them do
/// not read it.
#[test]
fn many_routes_and_many_scrapes_cost_little() {
    let mut yaml = "nouns: 1\nresources:\n".to_owned();
    for number in 0..100 {
        yaml += &format!("  place_{number}: {{ fields: {{ name: string }} }}\n");
    }
    let server = TestServer::of(&yaml);
    let mut client = server.client();
    for number in 0..100 {
        assert_eq!(client.get(&format!("/place_{number}s")).status(), 200);
        assert_eq!(client.get(&format!("/place_{number}s/1")).status(), 404);
    }
    let document = client.get(METRICS);
    assert!(document.body.len() < 500_000, "{} bytes", document.body.len());
    Exposition::parse(std::str::from_utf8(&document.body).unwrap());
    let mut api = Api::new("Many");
    for number in 0..1000 {
        api = api.route(http::Method::GET, &format!("/routes/{number}/{{name}}"), |_| async {
            Ok(Answer::no_content())
        });
    }
    let server = TestServer::serve(api.build().unwrap());
    let mut client = server.client();
    for number in 0..1000 {
        assert_eq!(client.get(&format!("/routes/{number}/x")).status(), 204);
    }
    let document = client.get(METRICS);
    assert!(document.body.len() < 2_500_000, "{} bytes", document.body.len());
    let parsed = Exposition::parse(std::str::from_utf8(&document.body).unwrap());
    let series = "nouns_requests_total{route=\"/routes/7/{name}\",method=\"GET\",status=\"2xx\"}";
    assert_eq!(parsed.value(series), 1.0);
    let packed = client.request("GET", METRICS, &[("accept-encoding", "gzip")], None);
    assert_eq!(packed.field("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < 100_000, "{} bytes", packed.body.len());
    // These clients do not read what they have asked for.
    let slow: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
            stream.write_all(b"GET /-/metrics HTTP/1.1\r\nhost: [::1]\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let server = Arc::new(server);
    let scrapers: Vec<_> = (0..8)
        .map(|_| {
            let server = Arc::clone(&server);
            thread::spawn(move || {
                let mut client = server.client();
                (0..3).for_each(|_| drop(scrape(&mut client)));
            })
        })
        .collect();
    for _ in 0..100 {
        assert_eq!(client.get("/routes/7/x").status(), 204);
    }
    scrapers.into_iter().for_each(|scraper| scraper.join().unwrap());
    drop(slow);
}

/// The formats are chosen by `Accept`, and the usual rules of HTTP hold.
#[test]
fn the_document_has_two_formats() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let open = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3";
    let answer = client.request("GET", METRICS, &[("accept", open)], None);
    assert_eq!(
        answer.field("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let text = std::str::from_utf8(&answer.body).unwrap();
    assert!(text.contains("# TYPE nouns_requests counter\n") && text.ends_with("\n# EOF\n"));
    Exposition::parse(text);
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    assert!(answer.field("vary").is_some_and(|vary| vary.contains("accept")), "{answer:?}");
    let version = format!("nouns_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    let plain = scrape(&mut client);
    assert_eq!(plain.value(&version), 1.0);
    #[cfg(target_os = "linux")]
    for name in ["start_time_seconds", "cpu_seconds_total", "resident_memory_bytes", "open_fds"] {
        assert!(plain.samples.contains_key(&format!("process_{name}")), "{name}");
    }
    let head: client::Answer = client.request("HEAD", METRICS, &[], None);
    assert_eq!((head.status(), head.body.len()), (200, 0));
    let refused = client.post(METRICS, &json!({}));
    assert_eq!((refused.status(), refused.allow()), (405, vec!["GET", "HEAD", "OPTIONS"]));
    assert_eq!(client.get("/-/metrics?a=b").status(), 400);
    assert_eq!(client.get("/-/metrics/").status(), 301);
}

/// docs/monitoring.md lists each metric with its type, and no other.
#[test]
fn the_page_lists_every_metric() {
    let page = std::fs::read_to_string(root().join("docs/monitoring.md")).unwrap();
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| `nouns_") || line.starts_with("| `process_"));
    let listed: BTreeMap<_, _> = rows
        .flat_map(|row| {
            let mut cells = row.trim_matches('|').split(" | ");
            let (names, kind) = (cells.next().unwrap(), cells.next().unwrap().to_owned());
            let names = names.split('`').skip(1).step_by(2).map(str::to_owned);
            names.map(move |name| (name, kind.clone())).collect::<Vec<_>>()
        })
        .collect();
    let server = TestServer::zoo();
    let document = server.client().get(METRICS).body;
    let document = String::from_utf8(document).unwrap();
    let types = document.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let served: BTreeMap<_, _> =
        types.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
    assert_eq!(listed, served);
}
