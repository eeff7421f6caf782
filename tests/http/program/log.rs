//! Tests of the log line of each request.

use std::path::Path;

use serde_json::json;

use super::{Serving, ZOO, nouns, run, stderr};

fn line<'log>(log: &'log str, path: &str) -> &'log str {
    log.lines()
        .find(|line| line.contains(&format!("path=\"{path}\"")))
        .unwrap_or_else(|| panic!("{log}"))
}

/// Conformance 136, 145: the log line has the id, the user agent and the referrer of the request,
/// and no credentials.
#[test]
fn a_line_says_who_asked_and_tells_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    let fields = [
        ("user-agent", "curl/8 \"quoted\""),
        ("referer", "http://zoo.example/page"),
        ("authorization", "Bearer s3cret"),
        ("cookie", "session=s3cret"),
        ("proxy-authorization", "Basic s3cret"),
        ("x-request-id", "from-the-proxy.1"),
    ];
    assert_eq!(client.request("GET", "/zoos", &fields, None).status(), 200);
    let id = client.get("/nowhere").field("request-id").unwrap().to_owned();
    let long = "x".repeat(1000);
    client.request("GET", "/zoos/7", &[("user-agent", &long), ("request-id", "two words")], None);
    client.post("/zoos", &json!({ "name": "Tierpark" }));
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0));
    let entry = line(&log, "/zoos");
    for part in [
        "status=200",
        "request_id=\"from-the-proxy.1\"",
        "user_agent=\"curl/8 \\\"quoted\\\"\"",
        "referer=\"http://zoo.example/page\"",
    ] {
        assert!(entry.contains(part), "the line must contain `{part}`: {entry}");
    }
    assert!(line(&log, "/nowhere").contains(&format!("request_id=\"{id}\"")), "{log}");
    let cut = line(&log, "/zoos/7");
    assert!(cut.contains(&"x".repeat(256)) && !cut.contains(&"x".repeat(257)), "{cut}");
    assert!(!log.contains("s3cret") && !log.contains("two words"), "{log}");
    assert!(
        !log.lines().last().unwrap().contains("user_agent"),
        "the log line of a request without `User-Agent` must not have `user_agent`: {log}"
    );
}

/// The log line has only the beginning of a long method, path or query.
#[test]
fn a_line_has_the_beginning_of_a_long_target() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    let long = "\u{f6}".repeat(3000);
    assert_eq!(client.get(&format!("/a{long}?b{long}")).status(), 404);
    assert_eq!(client.get(&format!("/{}", "c".repeat(30_000))).status(), 414);
    let brew = "BREW".repeat(2000);
    let unknown = client.request(&brew, "/zoos", &[], None);
    assert_eq!(unknown.status(), 501);
    assert_eq!(
        unknown.detail(),
        format!("The server does not implement the method `{}`.", "BREW".repeat(16))
    );
    let (_, log) = serving.stop("-TERM");
    let lines: Vec<_> = log.lines().filter(|line| line.contains("status=")).collect();
    assert_eq!(lines.len(), 3, "{log}");
    let cut = |first: &str| format!("\"{first}{}…\"", "\u{f6}".repeat(511));
    assert!(lines[0].contains(&format!("path={}", cut("/a"))), "{}", lines[0]);
    assert!(lines[0].contains(&format!("query={}", cut("b"))), "{}", lines[0]);
    assert!(lines[1].contains(&format!("path=\"/{}…\"", "c".repeat(1023))), "{}", lines[1]);
    assert!(lines[2].contains(&format!("method={}… ", "BREW".repeat(256))), "{}", lines[2]);
    assert!(lines.iter().all(|line| line.len() < 3000), "{log}");
}

/// Creates a database in a folder, with one zoo that has this many animals.
fn fill(folder: &Path, animals: u32) {
    Serving::start(folder, &[ZOO]).stop("-TERM");
    let fill = format!(
        "INSERT INTO zoos (id, name, created_at, updated_at) VALUES (1, 'City', 'x', 'x');
        INSERT INTO animal_types (id, name, created_at, updated_at) VALUES (1, 'Bear', 'x', 'x');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {animals})
        INSERT INTO animals (zoo_id, name, animal_type_id, weight_kg, created_at, updated_at)
        SELECT 1, 'a' || i, 1, i, 'x', 'x' FROM n"
    );
    rusqlite::Connection::open(folder.join("zoo.db")).unwrap().execute_batch(&fill).unwrap();
}

/// Sends some reads that exceed the time budget of a worker. Returns the log lines about slow
/// reads.
fn slow_reads(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let serving = Serving::start(folder, &[&[ZOO], arguments].concat());
    let mut client = serving.client();
    for query in ["weight_kg=60001", "weight_kg=60002", "name[contains]=zz", "sortby=-weight_kg"] {
        for limit in [1, 2] {
            assert_eq!(client.get(&format!("/zoos/1/animals?{query}&limit={limit}")).status(), 200);
        }
    }
    let (_, log) = serving.stop("-TERM");
    let slow = log.lines().filter_map(|line| line.split_once("  WARN nouns: a read is slow: "));
    slow.map(|(_, what)| what.to_owned()).collect()
}

/// A read that takes longer than `--slow-read` is logged once, with its cost and a proposed index.
#[test]
fn a_slow_read_is_logged_once_with_its_cost_and_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 60_000);
    let lines = slow_reads(folder.path(), &["--slow-read", "1ms"]);
    let (sentences, costs): (Vec<_>, Vec<_>) =
        lines.iter().map(|line| line.split_once(" milliseconds=").unwrap()).unzip();
    assert_eq!(
        sentences,
        [
            "add `index: true` to `weight_kg` resource=\"animal\" filter=\"zoo_id,weight_kg\" order=\"name,id\"",
            "no index serves `name[contains]` resource=\"animal\" filter=\"zoo_id,name[contains]\" order=\"name,id\"",
            "add `index: true` to `weight_kg` resource=\"animal\" filter=\"zoo_id\" order=\"-weight_kg,-id\"",
        ]
    );
    for cost in costs {
        let (milliseconds, rest) = cost.split_once(" rows=").unwrap();
        let (rows, steps) = rest.split_once(" steps=").unwrap();
        let [milliseconds, rows, steps]: [u64; 3] =
            [milliseconds, rows, steps].map(|number| number.parse().unwrap());
        assert!(milliseconds >= 1 && (59_000..130_000).contains(&rows) && steps > rows, "{cost}");
    }
    assert_eq!(slow_reads(folder.path(), &["--slow-read", "off"]), [""; 0]);
}

#[test]
fn a_read_that_nobody_calls_slow_is_not_logged() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), 3_500);
    assert_eq!(slow_reads(folder.path(), &[]), [""; 0]);
}

#[test]
fn a_word_that_is_no_level_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let expected = "error: `verbose` is not a log level; the levels are: off, error, warn, info, debug, trace\n";
    for filter in ["verbose", "nouns=debug, verbose"] {
        let output =
            run(folder.path(), &["serve", ZOO, "--listen", "127.0.0.1:0", "--log", filter]);
        assert_eq!(
            (output.status.code(), stderr(&output).as_str()),
            (Some(1), expected),
            "{filter}"
        );
    }
    let output = nouns(folder.path())
        .args(["serve", ZOO, "--listen", "nowhere"])
        .env("NOUNS_LOG", "verbose")
        .output();
    assert_eq!(stderr(&output.unwrap()), expected);
    for filter in ["nouns[span]=debug", "info,[{zoo=1}]=trace"] {
        let output = run(folder.path(), &["serve", ZOO, "--listen", "nowhere", "--log", filter]);
        let expected = format!(
            "error: `{filter}` filters by more than levels and targets, such as `info` or `nouns=debug`\n"
        );
        assert_eq!(stderr(&output), expected);
    }
    for filter in ["DEBUG", "nouns=debug,hyper=warn", "warn,nouns_runtime::store=trace", ""] {
        let output = run(folder.path(), &["serve", ZOO, "--listen", "nowhere", "--log", filter]);
        assert!(
            stderr(&output).contains("`nowhere` is not an address"),
            "{filter}: {}",
            stderr(&output)
        );
    }
}
