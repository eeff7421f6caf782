//! Measures single requests in process: their time in microseconds, and their instructions if
//! valgrind is installed.
//!
//! Each case differs from a plain request in one feature. The difference in time is the cost of
//! that feature.

use std::{io, num::NonZero, path::Path, time::Instant};

use clap::Args;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use nouns::__runtime::{Body, Service};

use crate::{bed::Bed, instructions, median, say};

/// The options of `requests`.
#[derive(Args, Debug)]
pub(crate) struct Requests {
    /// How many requests a turn has.
    #[arg(long, default_value_t = NonZero::new(2_000).expect("2,000 is not 0"))]
    requests: NonZero<u32>,
    /// How many turns each case has.
    #[arg(long, default_value_t = 9)]
    turns: usize,
    /// Runs only this case and prints nothing, for use with a profiler.
    #[arg(long)]
    only: Option<String>,
    /// Runs every case and prints nothing. Valgrind counts the instructions of each.
    #[arg(long, hide = true)]
    marked: bool,
}

/// A case: its name, target, header fields and expected status. `{etag}` and `{date}` stand for the
/// validators in the plain response.
type RequestCase =
    (&'static str, &'static str, &'static [(&'static str, &'static str)], StatusCode);

const MEMBER: &str = "/zoos/1";
const PAGE: &str = "/zoos?limit=20";
/// The suffix in the names of cases for the service with a response cache.
const CACHED: &str = ", cached";

const CASES: [RequestCase; 24] = [
    ("member, plain", MEMBER, &[], StatusCode::OK),
    ("member, as curl asks", MEMBER, CURL, StatusCode::OK),
    (
        "member, If-None-Match with another tag",
        MEMBER,
        &[("if-none-match", "\"1\", \"2-json-0\"")],
        StatusCode::OK,
    ),
    (
        "member, If-None-Match: 304",
        MEMBER,
        &[("if-none-match", "{etag}")],
        StatusCode::NOT_MODIFIED,
    ),
    (
        "member, If-Modified-Since: 304",
        MEMBER,
        &[("if-modified-since", "{date}")],
        StatusCode::NOT_MODIFIED,
    ),
    ("member, If-Match", MEMBER, &[("if-match", "{etag}")], StatusCode::OK),
    ("member, Accept of a program", MEMBER, &[("accept", "application/json")], StatusCode::OK),
    ("member, Accept of a browser", MEMBER, &[("accept", BROWSER)], StatusCode::OK),
    ("member, as CSV", MEMBER, &[("accept", "text/csv")], StatusCode::OK),
    (
        "member, Accept-Encoding (too small)",
        MEMBER,
        &[("accept-encoding", CODINGS)],
        StatusCode::OK,
    ),
    ("member, Range", MEMBER, &[("range", "bytes=0-9")], StatusCode::PARTIAL_CONTENT),
    ("member, Want-Repr-Digest", MEMBER, &[("want-repr-digest", "sha-256=5")], StatusCode::OK),
    ("member, fields=name", "/zoos/1?fields=name", &[], StatusCode::OK),
    ("member, cached", MEMBER, &[], StatusCode::OK),
    ("member, Accept of a browser, cached", MEMBER, &[("accept", BROWSER)], StatusCode::OK),
    (
        "member, If-None-Match: 304, cached",
        MEMBER,
        &[("if-none-match", "{etag}")],
        StatusCode::NOT_MODIFIED,
    ),
    ("page of 20, plain", PAGE, &[], StatusCode::OK),
    ("page of 20, cached", PAGE, &[], StatusCode::OK),
    (
        "page of 20, If-None-Match: 304",
        PAGE,
        &[("if-none-match", "{etag}")],
        StatusCode::NOT_MODIFIED,
    ),
    ("page of 20, as NDJSON", PAGE, &[("accept", "application/x-ndjson")], StatusCode::OK),
    ("page of 20, as CSV", PAGE, &[("accept", "text/csv")], StatusCode::OK),
    ("page of 20, zstd", PAGE, &[("accept-encoding", CODINGS)], StatusCode::OK),
    ("page of 20, gzip", PAGE, &[("accept-encoding", "gzip")], StatusCode::OK),
    ("page of 20, br", PAGE, &[("accept-encoding", "br")], StatusCode::OK),
];

const CURL: &[(&str, &str)] =
    &[("host", "zoo.localhost"), ("user-agent", "curl/8.5.0"), ("accept", "*/*")];
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8";
const CODINGS: &str = "gzip, deflate, br, zstd";

impl Requests {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let bench = Bench::new(&folder.path().join("zoo.db"))?;
        if let Some(name) = &self.only {
            let case = CASES.iter().find(|(known, ..)| known == name);
            let case =
                case.ok_or_else(|| io::Error::other(format!("there is no case `{name}`")))?;
            return bench.turn(case, self.requests.get());
        }
        if self.marked {
            return CASES.iter().try_for_each(|case| {
                let (service, headers) = bench.prepared(case);
                instructions::marked(&mut || bench.send(case, service, &headers))
            });
        }
        CASES.iter().try_for_each(|case| bench.turn(case, self.requests.get()))?;
        let micros = self.micros(&bench)?;
        let counted = instructions::count(CASES.len(), &["requests", "--marked"])?;
        say("| request | µs | × plain | instructions | × plain |\n|---|---:|---:|---:|---:|");
        let mut plain = (0.0, 0);
        for (at, (case, micros)) in CASES.iter().zip(micros).enumerate() {
            let instructions = counted.as_ref().map_or(0, |counted| counted[at]);
            if case.0.ends_with("plain") {
                plain = (micros, instructions);
            }
            let times = |of: f64, plain: f64| {
                if plain > 0.0 { format!("{:.2}", of / plain) } else { "–".into() }
            };
            let relative = times(instructions as f64, plain.1 as f64);
            say(&format!(
                "| {} | {micros:.2} | {} | {instructions} | {relative} |",
                case.0,
                times(micros, plain.0)
            ));
        }
        Ok(())
    }

    /// The median time of each case, in microseconds. The cases alternate.
    fn micros(&self, bench: &Bench) -> io::Result<Vec<f64>> {
        let mut times = vec![vec![]; CASES.len()];
        for _ in 0..self.turns {
            for (case, times) in CASES.iter().zip(&mut times) {
                let begun = Instant::now();
                bench.turn(case, self.requests.get())?;
                times.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(self.requests.get()));
            }
        }
        Ok(times.into_iter().map(median).collect())
    }
}

/// A service without a response cache, one with a response cache, and a hundred zoos.
struct Bench {
    caching: Service,
    bed: Bed,
}

impl Bench {
    fn new(database: &Path) -> io::Result<Self> {
        let bed = Bed::open(include_str!("../../schemas/zoo.yaml"), database)?;
        let zoos: Vec<_> =
            (0..100).map(|n| format!("{{\"name\":\"Zoo {n}\",\"city\":\"Berlin\"}}")).collect();
        bed.create("/zoos", format!("[{}]", zoos.join(",")))?;
        Ok(Self { caching: Service::new(bed.store.clone()), bed })
    }

    fn ask(&self, service: &Service, request: Request<Body>) -> (StatusCode, HeaderMap) {
        let reply = self.bed.runtime.block_on(service.reply(request));
        (reply.status, reply.headers)
    }

    /// The service and the header fields of a case.
    fn prepared(&self, (name, target, fields, _): &RequestCase) -> (&Service, HeaderMap) {
        let service = if name.ends_with(CACHED) { &self.caching } else { &self.bed.service };
        let plain = self
            .ask(
                service,
                Request::get(*target)
                    .body(Body::Empty)
                    .expect("the target of a case is a valid URI"),
            )
            .1;
        let of = |name| plain.get(name).cloned().unwrap_or(HeaderValue::from_static(""));
        let value = |value: &'static str| match value {
            "{etag}" => of("etag"),
            "{date}" => of("last-modified"),
            value => HeaderValue::from_static(value),
        };
        (
            service,
            fields
                .iter()
                .map(|(name, given)| (HeaderName::from_static(name), value(given)))
                .collect(),
        )
    }

    fn send(&self, case: &RequestCase, service: &Service, headers: &HeaderMap) -> io::Result<()> {
        let (name, target, _, expected) = case;
        let mut request = Request::get(*target).body(Body::Empty).map_err(io::Error::other)?;
        request.headers_mut().clone_from(headers);
        match self.ask(service, request).0 {
            status if status == *expected => Ok(()),
            status => Err(io::Error::other(format!("{status} for `{name}`"))),
        }
    }

    /// Sends the request of a case this many times.
    fn turn(&self, case: &RequestCase, requests: u32) -> io::Result<()> {
        let (service, headers) = self.prepared(case);
        (0..requests).try_for_each(|_| self.send(case, service, &headers))
    }
}
