//! Sends the same requests to both servers of a pair, and compares the responses.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use super::{
    answers::Plain,
    requests::{FORM, Request, pick, request},
};
use crate::{
    access::{PASSWORD, ask, basic, cookie, pages, sign_in},
    client::{Answer, Client},
    random::Random,
    server::TestServer,
};

/// The connections to a server, which several workers may have.
const CONNECTIONS: usize = 2;

/// The number of times that a read is sent: the response cache has the third response.
const TURNS: u64 = 3;

/// The number of reads that are known, to be sent again after writes, also by other callers.
const KNOWN_MAX: usize = 12;

/// Two servers whose responses are alike.
pub(crate) struct Pair {
    /// The difference of the servers.
    pub(super) name: &'static str,
    pub(super) servers: [TestServer; 2],
    /// The callers for whom they are.
    pub(super) callers: &'static [&'static str],
    /// Makes the servers alike again after a write that was refused.
    pub(super) align: fn(&[TestServer; 2]),
}

/// One server, as its clients see it.
struct Side {
    server: std::net::SocketAddr,
    clients: Vec<Client>,
    /// The header fields that say who calls, by the names of the callers.
    callers: BTreeMap<&'static str, (&'static str, String)>,
    /// The last tag of each target and format, and of each target, for each caller.
    tags: BTreeMap<String, String>,
}

impl Side {
    fn new(server: &TestServer, callers: &[&'static str]) -> Self {
        let clients = (0..CONNECTIONS).map(|_| server.client()).collect();
        let mut side = Self {
            server: server.address(),
            clients,
            callers: BTreeMap::new(),
            tags: BTreeMap::new(),
        };
        for caller in callers {
            if let Some(field) = side.sign_in(caller) {
                side.callers.insert(caller, field);
            }
        }
        side
    }

    /// The field of a caller. Tokens and the session are those of one account.
    fn sign_in(&mut self, caller: &str) -> Option<(&'static str, String)> {
        let client = &mut self.clients[0];
        let scopes = match caller {
            "nobody" => return None,
            "session" => return Some(("cookie", cookie(&sign_in(client, "ann", PASSWORD, &[])))),
            "read" | "write" => json!([caller]),
            "both" => json!(["read", "write"]),
            login => return Some(("authorization", basic(login, PASSWORD))),
        };
        let made = ask(client, "ann", "POST /tokens", &json!({ "name": caller, "scopes": scopes }));
        Some(("authorization", format!("Bearer {}", made.json()["token"].as_str().unwrap())))
    }

    /// The tag that the server gave to a caller for a target, if it did.
    fn tag(&self, caller: &str, request: &Request) -> Option<&String> {
        self.tags.get(&exact(caller, request)).or_else(|| self.tags.get(&whole(caller, request)))
    }

    /// Sends a request as a caller, on one of the connections. `of` is the caller who has the tag.
    fn send(&mut self, turn: &Turn<'_>, target: &str) -> Answer {
        let request = turn.request;
        let tag = self.tag(turn.tag_of, request).cloned();
        let mut target = target.to_owned();
        let mut fields = vec![("sec-fetch-site", "same-origin")];
        fields.extend(request.fields.iter().map(|(name, value)| (*name, value.as_str())));
        match (request.condition, &tag) {
            (Some("_if_match"), _) => {
                let tag = tag.as_deref().unwrap_or("\"x\"");
                let tag = utf8_percent_encode(tag, NON_ALPHANUMERIC);
                target = format!("{target}&_if_match={tag}");
            }
            (Some(name), Some(tag)) => fields.push((name, tag)),
            _ => {}
        }
        let field = self.callers.get(turn.caller).cloned();
        fields.extend(field.iter().map(|(name, value)| (*name, value.as_str())));
        let client = &mut self.clients[turn.connection];
        let body = request.body.as_deref().map(str::as_bytes);
        let answer = client.request(request.method, &target, &fields, body);
        if answer.field("connection") == Some("close") {
            *client = Client::connect(self.server);
        }
        if let Some(tag) = answer.field("etag") {
            self.tags.insert(exact(turn.caller, request), tag.to_owned());
            self.tags.insert(whole(turn.caller, request), tag.to_owned());
        }
        answer
    }
}

fn exact(caller: &str, request: &Request) -> String {
    format!("{caller} {} {:?}", request.target, request.fields)
}

fn whole(caller: &str, request: &Request) -> String {
    let path = request.target.split('?').next().unwrap();
    format!("{caller} {}", path.strip_prefix("/-/forms").unwrap_or(path))
}

/// A request of a caller.
struct Turn<'r> {
    request: &'r Request,
    caller: &'static str,
    tag_of: &'static str,
    connection: usize,
}

/// A pair, and what has been sent to it.
pub(super) struct Run<'p> {
    pair: &'p Pair,
    sides: [Side; 2],
    random: Random,
    /// The text of a failure, with which it can be repeated.
    seed: u64,
    /// The requests so far.
    pub(super) sent: u64,
    /// The reads that may be sent again.
    known: Vec<Request>,
}

impl<'p> Run<'p> {
    pub(super) fn new(pair: &'p Pair, seed: u64) -> Self {
        let sides = pair.servers.each_ref().map(|server| Side::new(server, pair.callers));
        Self { pair, sides, random: Random::new(seed), seed, sent: 0, known: vec![] }
    }

    /// Sends pseudo-random requests, at least as many as this.
    pub(super) fn send_random(&mut self, count: u64) {
        let end = self.sent + count;
        while self.sent < end {
            let again = self.random.one_in(3);
            let known = self.random.of(&self.known).filter(|_| again).cloned();
            let request = known.unwrap_or_else(|| request(&mut self.random));
            for _ in 0..if request.is_read() { 1 + self.random.below(2) } else { 1 } {
                let caller = pick(&mut self.random, self.pair.callers);
                self.send(&request, caller);
            }
            if request.method == "GET" && !again {
                self.known.push(request);
                if self.known.len() > KNOWN_MAX {
                    self.known.remove(0);
                }
            }
        }
    }

    /// Sends each request that a browser may send, as some callers in some formats: as a share of
    /// them. All are a share of one.
    pub(super) fn send_pages(&mut self, share: u64) {
        const FORMATS: [&str; 4] =
            ["text/html", "application/json", "text/csv", "application/x-ndjson"];
        for caller in self.pair.callers {
            for (method, target, body) in pages::requests() {
                // Only a page has a form.
                for accept in if method == "GET" { &FORMATS[..] } else { &FORMATS[..1] } {
                    if !self.random.one_in(share) {
                        continue;
                    }
                    let request = Request::new(method, &*target).with("accept", *accept);
                    let request = match method {
                        "POST" => request.content(FORM, body.to_owned()),
                        _ => request,
                    };
                    self.send(&request, caller);
                }
            }
        }
    }

    /// Sends a request to both servers, as a caller; a read several times.
    pub(super) fn send(&mut self, request: &Request, caller: &'static str) {
        let connection = self.random.below(CONNECTIONS as u64) as usize;
        let tag_of = match self.random.one_in(4) {
            true => pick(&mut self.random, self.pair.callers),
            false => caller,
        };
        let turn = Turn { request, caller, tag_of, connection };
        let turns = if request.is_read() { 1 + self.random.below(TURNS) } else { 1 };
        let mut links = None;
        for _ in 0..turns {
            links = self.compare(&turn, [&request.target, &request.target]);
        }
        if let Some([one, other]) = links.filter(|_| self.random.one_in(2)) {
            self.compare(&turn, [&one, &other]);
        }
    }

    /// Sends a request once, and compares the responses. Returns the links to the next page.
    fn compare(&mut self, turn: &Turn<'_>, targets: [&str; 2]) -> Option<[String; 2]> {
        let answers = [0, 1].map(|at| self.sides[at].send(turn, targets[at]));
        self.sent += 1;
        let [one, other] = answers.each_ref().map(Plain::of);
        assert!(
            one == other,
            "{}, PostgreSQL: {:?}, NOUNS_DIFFERENCES_SEED={}, request {}: {} sends {:?} to {targets:?}\n{}",
            self.pair.name,
            self.pair.servers.each_ref().map(|server| server.database.is_postgres),
            self.seed,
            self.sent,
            turn.caller,
            turn.request,
            one.difference(&other),
        );
        assert!(
            answers[0].status() < 500 || answers[0].status() == 501,
            "{:?} {one:?}",
            turn.request
        );
        if !turn.request.is_read() && answers[0].status() >= 400 {
            (self.pair.align)(&self.pair.servers);
        }
        let [one, other] = answers.each_ref().map(|answer| answer.link("next"));
        Some([one?, other?])
    }
}
