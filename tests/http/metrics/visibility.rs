//! Tests of who may read the metrics and the times of a request, and of the admin listener.

use std::{net::SocketAddr, num::NonZero, sync::Arc, thread, time::Duration};

use http::{Method, Request, StatusCode};
use nouns::{
    __runtime::{Body, Model, Service, Store, server::Server, store::StoreOptions},
    Answer, Api,
    codegen::read_yaml,
    interpret::api_def,
};

use super::{METRICS, exposition::Exposition, scrape};
use crate::{client::Client, database::TestDatabase, server::TestServer};

const ZOOS: &str = "resources: { zoo: { fields: { name: string } } }";

fn zoos(server: &str) -> TestServer {
    TestServer::of(&format!("nouns: 1\nserver: {{ {server} }}\n{ZOOS}"))
}

fn status(client: &mut Client, fields: &[(&str, &str)]) -> u16 {
    client.request("GET", METRICS, fields, None).status()
}

/// Over a loopback listener the metrics are served, but not to those who come through a proxy.
#[test]
fn a_stranger_behind_a_proxy_reads_no_metrics() {
    let server = zoos("");
    let mut client = server.client();
    assert_eq!(status(&mut client, &[]), 200);
    for name in ["Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "Via", "X-Real-IP"] {
        assert_eq!(status(&mut client, &[(name, "127.0.0.1")]), 404, "{name}");
    }
    // A name below `localhost` is a name of this machine (RFC 6761).
    assert_eq!(client.get("/-/metrics").status(), 200);
    // This host is not.
    let elsewhere = zoos("hosts: [zoo.example.org]");
    let mut client = elsewhere.client();
    let of_host = "http://zoo.example.org/-/metrics";
    assert_eq!(client.request("GET", of_host, &[], None).status(), 404);
    let proxied = zoos("trusted_proxies: [127.0.0.1]");
    let mut behind = proxied.client();
    assert_eq!(status(&mut behind, &[]), 404);
    assert_eq!(behind.get("/-/health").status(), 200);
    let declared = zoos("metrics: true, trusted_proxies: [127.0.0.1]");
    assert_eq!(status(&mut declared.client(), &[("Forwarded", "for=192.0.2.7")]), 200);
    assert_eq!(status(&mut zoos("metrics: false").client(), &[]), 404);
}

fn store(yaml: &str, folder: &tempfile::TempDir) -> Store {
    let schema = read_yaml("test.yaml", yaml).unwrap();
    let model = Arc::new(Model::link(api_def(&schema)).unwrap());
    let database = TestDatabase::new(folder.path().join("test.db"));
    Store::open(&model, &StoreOptions::new(database.location())).unwrap().0
}

/// Other machines can reach this listener, so it serves the metrics only if that is declared.
#[test]
fn a_public_listener_serves_no_metrics_unless_declared() {
    for (declared, expected) in [("", 404), ("metrics: true", 200), ("metrics: false", 404)] {
        let folder = tempfile::tempdir().unwrap();
        let yaml = format!("nouns: 1\nserver: {{ {declared} }}\n{ZOOS}");
        let service = Service::new(store(&yaml, &folder));
        let server =
            Server::bind(SocketAddr::from(([0, 0, 0, 0], 0)), NonZero::<usize>::MIN).unwrap();
        let running = server.start(&service).unwrap();
        let mut client =
            Client::connect(([127, 0, 0, 1], running.address().tcp().unwrap().port()).into());
        assert_eq!(status(&mut client, &[]), expected, "{declared}");
        let timed =
            client.request("GET", "http://localhost/zoos", &[("prefer", "server-timing")], None);
        assert_eq!(timed.field("server-timing"), None);
        drop(client);
        running.stop().unwrap();
    }
}

/// An embedded service does not know who its client is.
#[test]
fn an_embedded_service_serves_no_metrics_unless_declared() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (declared, expected) in [("", StatusCode::NOT_FOUND), ("metrics: true", StatusCode::OK)] {
        let folder = tempfile::tempdir().unwrap();
        let yaml = format!("nouns: 1\nserver: {{ {declared} }}\n{ZOOS}");
        let service = Service::new(store(&yaml, &folder));
        let get = |target: &str| {
            let request = Request::get(target).header("host", "a").body(Body::Empty).unwrap();
            runtime.block_on(service.reply(request))
        };
        assert_eq!(get("/zoos").status, StatusCode::OK);
        let reply = get("/-/metrics");
        assert_eq!(reply.status, expected, "{declared}");
        if let Body::Full(document) = reply.body
            && expected == StatusCode::OK
        {
            let document = Exposition::parse(std::str::from_utf8(&document).unwrap());
            let series = "nouns_requests_total{route=\"/zoos\",method=\"GET\",status=\"2xx\"}";
            assert_eq!(document.value(series), 1.0);
        }
    }
}

/// The admin listener serves health, readiness and metrics, also while all workers are busy.
#[test]
fn the_admin_listener_answers_while_the_workers_are_busy() {
    let slow = |_| async {
        thread::sleep(Duration::from_secs(3));
        Ok(Answer::no_content())
    };
    let api = Api::new("Slow").metrics(true).host("zoo.localhost");
    let model = api.route(Method::GET, "/slow", slow).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(folder.path().join("test.db"));
    let options = StoreOptions::new(database.location());
    let service = Service::new(Store::open(&model, &options).unwrap().0);
    let loopback = || SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::bind(loopback(), NonZero::<usize>::MIN).unwrap();
    let running = server.with_admin(loopback()).unwrap().start(&service).unwrap();
    let mut admin = Client::connect(running.admin_address().unwrap().tcp().unwrap());
    let mut public = Client::connect(running.address().tcp().unwrap());
    for target in ["/-/health", "/-/ready", "/-/metrics"] {
        assert_eq!(admin.get(target).status(), 200, "{target}");
    }
    for target in ["/", "/slow", "/-/problems", "/nowhere"] {
        assert_eq!(admin.get(target).status(), 404, "{target}");
    }
    assert_eq!(admin.request("GET", "/-/metrics", &[("Via", "1.1 a")], None).status(), 200);
    // The hosts are those of the other listener.
    assert_eq!(admin.get("http://127.0.0.1:9090/-/metrics").status(), 200);
    assert_eq!(admin.get("http://evil.example/-/metrics").status(), 421);
    assert_eq!(public.get("http://127.0.0.1:9090/").status(), 421);
    assert_eq!(public.get("/-/metrics").status(), 404);
    assert_eq!(public.get("/-/ready").status(), 200);
    let address = running.address().tcp().unwrap();
    let busy = thread::spawn(move || Client::connect(address).get("/slow").status());
    let mut in_progress = 0.0;
    for _ in 0..200 {
        in_progress = scrape(&mut admin).value("nouns_requests_in_progress");
        if in_progress > 1.0 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(in_progress, 2.0, "the request for `/slow` must be in progress");
    assert!(!busy.is_finished());
    assert_eq!(busy.join().unwrap(), 204);
    drop((admin, public));
    running.stop().unwrap();
}

/// The names and the durations of `Server-Timing`. Panics if it is malformed.
fn times(answer: &crate::client::Answer) -> Vec<String> {
    let field = answer.field("server-timing").unwrap_or_else(|| panic!("{answer:?}"));
    let metric = |metric: &str| {
        let (name, duration) = metric.rsplit_once(";dur=").unwrap();
        let milliseconds: f64 = duration.parse().unwrap();
        assert!((0.0..20_000.0).contains(&milliseconds), "{field}");
        name.to_owned()
    };
    field.split(", ").map(metric).collect()
}

const WANTED: (&str, &str) = ("prefer", "return=minimal, Server-Timing");

/// `Prefer: server-timing` returns the times of the stages, to clients on the same machine.
#[test]
fn the_times_of_a_request_are_sent_to_those_who_ask() {
    let server = zoos("cors: { origins: [\"https://a.example\"] }");
    let mut client = server.client();
    let mut get =
        |fields: &[(&str, &str)]| client.request("GET", "http://localhost/zoos", fields, None);
    let first = get(&[WANTED, ("origin", "https://a.example")]);
    let stages = ["route", "identify", "parse", "perform", "reply", "total"];
    assert_eq!(times(&first), stages);
    assert_eq!(first.field("preference-applied"), Some("server-timing"));
    assert_eq!(first.field("timing-allow-origin"), Some("https://a.example"));
    let foreign = get(&[WANTED, ("origin", "https://b.example")]);
    assert_eq!(foreign.field("timing-allow-origin"), None);
    get(&[]);
    get(&[]);
    assert_eq!(times(&get(&[WANTED])), ["route", "identify", "cache;desc=hit", "total"]);
    for fields in [&[][..], &[("prefer", "return=minimal")], &[WANTED, ("forwarded", "for=_a")]] {
        assert_eq!(get(fields).field("server-timing"), None, "{fields:?}");
    }
    let missing = client.request("GET", "http://[::1]/nowhere", &[WANTED], None);
    assert_eq!((missing.status(), times(&missing)), (404, vec!["total".to_owned()]));
}

#[test]
fn times_are_declared_for_all_or_for_nobody() {
    let forwarded = ("x-forwarded-for", "192.0.2.7");
    let all = zoos("server_timing: true, trusted_proxies: [127.0.0.1]");
    let answer = all.client().request("GET", "/zoos", &[WANTED, forwarded], None);
    assert_eq!(times(&answer).last().unwrap(), "total");
    assert_eq!(answer.field("timing-allow-origin"), None);
    let nobody = zoos("server_timing: false").client().request("GET", "/zoos", &[WANTED], None);
    assert_eq!(nobody.field("server-timing"), None);
}
