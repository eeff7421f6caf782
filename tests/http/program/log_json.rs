//! Tests of the log as JSON, and of `traceparent` in both formats.

use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use super::{Serving, ZOO, nouns, run, stderr};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Parses each line of a log. Panics if a line is no JSON object with the members of every line.
fn lines(log: &str) -> Vec<Value> {
    let parse = |line: &str| {
        let object: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for name in ["time", "level", "target"] {
            assert!(object[name].is_string(), "the line must have `{name}`: {line}");
        }
        object
    };
    log.split_terminator('\n').map(parse).collect()
}

fn of_requests(log: &str) -> Vec<Value> {
    lines(log).into_iter().filter(|line| line["target"] == "nouns::request").collect()
}

/// Conformance 145: the id of the request is in the response and in the log.
#[test]
fn each_line_is_an_object_with_the_fields_of_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--log-format", "json"]);
    let mut client = serving.client();
    let fields = [("user-agent", "curl/8 \"quoted\""), ("authorization", "Bearer s3cret")];
    client.request("GET", "/zoos?limit=3", &fields, None);
    let missing = client.get("/nowhere");
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0));
    let [first, second] = of_requests(&log).try_into().unwrap();
    let mut first: Value = first;
    let object = first.as_object_mut().unwrap();
    let time = object.remove("time").unwrap();
    assert!(time.as_str().is_some_and(|time| time.len() == 27 && time.ends_with('Z')), "{time}");
    assert!(object.remove("micros").unwrap().is_u64());
    assert_eq!(
        first,
        json!({
            "level": "INFO", "target": "nouns::request", "method": "GET", "path": "/zoos",
            "query": "limit=3", "status": 200, "statements": 1,
            "user_agent": "curl/8 \"quoted\"",
        })
    );
    assert_eq!(second["request_id"].as_str(), missing.field("request-id"));
    let stopping = lines(&log).into_iter().find(|line| line["target"] == "nouns").unwrap();
    assert_eq!(stopping["message"], "the server is stopping");
    assert!(!log.contains("s3cret"), "{log}");
}

/// A client that tries to write lines or members of its own gets one line for each request.
#[test]
fn no_request_breaks_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = nouns(folder.path());
    command.env("NOUNS_LOG_FORMAT", "json").env("NOUNS_LOG", "debug");
    let serving = Serving::start_with(command, &[ZOO]);
    let forged = "\",\"status\":200}\\n{\"time\":\"x\",\"level\":\"ERROR\",\"target\":\"nouns";
    let targets = [
        "/\u{2028}{\"a\":1}",
        "/\u{85}\u{9b}31m",
        "/%0a%0d%00",
        "/\"}{\"",
        "/a?\"\u{202e}=\"\u{feff}",
    ];
    let mut count = 0;
    for target in targets.iter().map(|target| target.as_bytes()) {
        for value in
            [forged.as_bytes(), b"\xff\xfe\x80\"", b"a\tb", "\u{2029}".as_bytes(), b"\\\"\\"]
        {
            let mut stream = std::net::TcpStream::connect(serving.address()).unwrap();
            let mut request = [b"BREW ", target, b" HTTP/1.1\r\nhost: a\r\n"].concat();
            for name in ["user-agent", "referer", "request-id", "traceparent", "x-request-id"] {
                request.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
            }
            request.extend_from_slice(b"connection: close\r\n\r\n");
            stream.write_all(&request).unwrap();
            let mut answer = vec![];
            stream.read_to_end(&mut answer).unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&answer));
            // The HTTP library refuses some heads itself, without a problem.
            let answer = String::from_utf8_lossy(&answer);
            count += usize::from(answer.contains("application/problem+json"));
        }
    }
    let (_, log) = serving.stop("-TERM");
    let requests = of_requests(&log);
    assert!(count >= 10, "fewer than 10 requests have reached the service: {count}");
    assert_eq!(requests.len(), count, "{log}");
    assert!(requests.iter().all(|line| line["level"] == "INFO" && line["trace_id"].is_null()));
    let odd = |c: char| c.is_control() && c != '\n' || ('\u{2028}'..='\u{202e}').contains(&c);
    assert!(!log.contains(odd), "{log:?}");
}

/// The ids of a valid `traceparent` are in the line of the request, and those of an invalid one are
/// not.
#[test]
fn the_trace_of_a_request_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let valid = format!("00-{TRACE}-{PARENT}-01");
    let huge = format!("01-{TRACE}-{PARENT}-01-{}", "x".repeat(60_000));
    let long = format!("00-{TRACE}-{PARENT}-01-{}", "x".repeat(60_000));
    for format in ["text", "json"] {
        let serving = Serving::start(folder.path(), &[ZOO, "--log-format", format]);
        let mut client = serving.client();
        for value in [&*valid, &huge, &long, &valid.to_uppercase(), "", "00"] {
            let answer = client.request("GET", "/zoos", &[("traceparent", value)], None);
            assert_eq!((answer.status(), answer.field("traceparent")), (200, None));
        }
        client.request("GET", "/zoos", &[("traceparent", &valid), ("traceparent", &valid)], None);
        client.request("GET", "/nowhere", &[("traceparent", &valid)], None);
        let (_, log) = serving.stop("-TERM");
        let known: Vec<_> = match format {
            "json" => of_requests(&log)
                .iter()
                .map(|line| {
                    let (trace, parent) = (&line["trace_id"], &line["parent_id"]);
                    assert!(trace.is_null() || (trace == TRACE && parent == PARENT), "{line}");
                    trace.is_string()
                })
                .collect(),
            _ => log
                .lines()
                .filter(|line| line.contains("status="))
                .map(|line| line.contains(&format!(" trace_id=\"{TRACE}\" parent_id=\"{PARENT}\"")))
                .collect(),
        };
        assert_eq!(known, [true, true, false, false, false, false, false, true], "{log}");
        assert!(log.len() < 10_000, "{log}");
    }
}

#[test]
fn a_format_that_does_not_exist_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["serve", ZOO, "--log-format", "xml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("[possible values: text, json]"), "{}", stderr(&output));
}
