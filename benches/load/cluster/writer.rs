//! A client that writes, and enters each write in its ledger. It sends a write with a key again, to
//! another node, until a node answers.

use std::{
    io,
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    client::{Client, Response, unexpected},
    ledger::{Counts, Ledger, RowKind},
};
use crate::workload::Random;

/// The time that the nodes may be away.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of elements of an array.
const PARTS: i64 = 5;

/// The addresses of the nodes, by what they do.
#[derive(Clone)]
pub(super) struct Addresses {
    pub(super) all: Vec<SocketAddr>,
    /// Those with a hook that writes within each order.
    pub(super) hooked: Vec<SocketAddr>,
}

/// The kind of the writes of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriterKind {
    /// Members, arrays, orders, counters, shelves and deletions, most of them with a key.
    Mixed,
    /// Single entries and counters, without a key. A node makes batches of those of many clients.
    Plain,
}

/// A client that writes.
pub(super) struct Writer {
    kind: WriterKind,
    name: String,
    nodes: Addresses,
    client: Client,
    random: Random,
    /// The number of the last write, which makes names.
    last: u64,
    /// The value of the counter of this client, once it exists.
    counter: Option<(i64, i64)>,
    /// The names of arrays that can be deleted.
    arrays: Vec<String>,
    pub(super) ledger: Ledger,
    pub(super) counts: Counts,
}

/// The body that creates an entry, or several.
fn entries(name: &str, parts: i64) -> Value {
    match parts {
        1 => json!({ "name": name, "part": 0 }),
        parts => (0..parts).map(|part| json!({ "name": name, "part": part })).collect(),
    }
}

/// The result of a write without a key, as far as the client knows.
enum Fate {
    Done(Response),
    /// The node says that nothing was changed.
    Refused,
    Unknown,
}

impl Writer {
    pub(super) fn new(kind: WriterKind, name: String, nodes: Addresses, seed: u64) -> Self {
        Self {
            kind,
            name,
            nodes,
            client: Client::default(),
            random: Random::new(seed),
            last: 0,
            counter: None,
            arrays: vec![],
            ledger: Ledger::default(),
            counts: Counts::default(),
        }
    }

    /// Writes while `going`. Every write with a key is settled at the end.
    pub(super) fn work(&mut self, going: &AtomicBool) -> io::Result<()> {
        while going.load(Ordering::Relaxed) {
            self.last += 1;
            let name = format!("{}-{}", self.name, self.last);
            let choice = self.random.to(10);
            if self.kind == WriterKind::Plain {
                match choice {
                    1..6 => self.create_once(&name, 1)?,
                    _ => self.count()?,
                }
                continue;
            }
            match choice {
                1 | 2 => self.create(&name, 1)?,
                3 => self.create(&name, PARTS)?,
                4 => self.create_once(&name, PARTS)?,
                5 => self.order(&name)?,
                6 => self.order_once(&name)?,
                7 | 8 => self.count()?,
                9 => self.shelve(&name)?,
                _ => self.delete()?,
            }
        }
        Ok(())
    }

    /// Creates entries, with a key.
    fn create(&mut self, name: &str, parts: i64) -> io::Result<()> {
        let body = entries(name, parts);
        let id = self.settled("/entries", name, &body)?;
        self.ledger.know(RowKind::Entries, name, parts, Some(id));
        if parts == 1 {
            return self.read_back(&format!("/entries/{id}"), name);
        }
        self.arrays.push(name.to_owned());
        Ok(())
    }

    /// Creates entries without a key, and so sends them once only.
    fn create_once(&mut self, name: &str, parts: i64) -> io::Result<()> {
        match self.once(("POST", "/entries"), None, &entries(name, parts))? {
            Fate::Done(response) if response.status == 201 => {
                self.ledger.know(RowKind::Entries, name, parts, Some(id_of(&response)));
            }
            Fate::Done(response) => return Err(unexpected("entries", &response)),
            Fate::Refused => {}
            Fate::Unknown => self.ledger.doubt(RowKind::Entries, name, 0, parts),
        }
        Ok(())
    }

    fn order(&mut self, name: &str) -> io::Result<()> {
        let id = self.settled("/orders", name, &json!({ "name": name }))?;
        self.ledger.know(RowKind::Orders, name, 1, Some(id));
        self.read_back(&format!("/orders/{id}"), name)
    }

    fn order_once(&mut self, name: &str) -> io::Result<()> {
        match self.once(("POST", "/orders"), None, &json!({ "name": name }))? {
            Fate::Done(response) if response.status == 201 => {
                self.ledger.know(RowKind::Orders, name, 1, Some(id_of(&response)));
            }
            Fate::Done(response) => return Err(unexpected("an order", &response)),
            Fate::Refused => {}
            Fate::Unknown => self.ledger.doubt(RowKind::Orders, name, 0, 1),
        }
        Ok(())
    }

    /// Adds one to the counter of this client, if it is as it was read.
    fn count(&mut self) -> io::Result<()> {
        let name = self.name.clone();
        let Some((id, value)) = self.counter else {
            let id = self.settled("/counters", &name, &json!({ "name": name, "value": 0 }))?;
            self.ledger.know(RowKind::Counters, &name, 0, Some(id));
            self.counter = Some((id, 0));
            return Ok(());
        };
        let target = format!("/counters/{id}");
        let response = self.patient(("GET", &target), &[], None)?;
        let stored = response.json()["value"].as_i64();
        let tag = response.tag.clone().filter(|_| response.status == 200);
        let (Some(stored), Some(tag)) = (stored, tag) else {
            return Err(unexpected("the counter", &response));
        };
        // A write of unknown fate may have been done, and may still be going on.
        if stored != value && stored != value + 1 {
            return Err(io::Error::other(format!("{name} is {stored}, but was {value}")));
        }
        match self.once(("PATCH", &target), Some(&tag), &json!({ "value": stored + 1 }))? {
            Fate::Done(response) if response.status == 200 => {
                self.ledger.know(RowKind::Counters, &name, stored + 1, Some(id));
                self.counter = Some((id, stored + 1));
            }
            // The write of unknown fate has ended in the meantime, and nobody else writes.
            Fate::Done(response) if response.status == 412 => {
                self.ledger.doubt(RowKind::Counters, &name, stored, stored + 1);
                self.counter = Some((id, stored));
            }
            Fate::Done(response) => return Err(unexpected("a PATCH", &response)),
            Fate::Refused => self.counter = Some((id, stored)),
            Fate::Unknown => {
                self.ledger.doubt(RowKind::Counters, &name, stored, stored + 1);
                self.counter = Some((id, stored));
            }
        }
        Ok(())
    }

    /// Creates a shelf with items, and may delete it with all of them.
    fn shelve(&mut self, name: &str) -> io::Result<()> {
        let shelf = self.settled("/shelves", name, &json!({ "name": name }))?;
        self.ledger.know(RowKind::Shelves, name, 100, Some(shelf));
        let items: Value = (0..PARTS).map(|part| json!({ "part": part })).collect();
        self.settled(&format!("/shelves/{shelf}/items"), &format!("{name}-items"), &items)?;
        self.ledger.know(RowKind::Shelves, name, 100 + PARTS, Some(shelf));
        if self.random.to(2) == 1 {
            self.gone(&format!("/shelves/{shelf}"))?;
            self.ledger.know(RowKind::Shelves, name, 0, None);
        }
        Ok(())
    }

    /// Deletes all rows of an array.
    fn delete(&mut self) -> io::Result<()> {
        let Some(name) = self.arrays.pop() else { return Ok(()) };
        self.gone(&format!("/entries?name={name}"))?;
        self.ledger.know(RowKind::Entries, &name, 0, None);
        Ok(())
    }

    /// Deletes until a node says that it is gone.
    fn gone(&mut self, target: &str) -> io::Result<()> {
        let before = self.counts.unavailable;
        let response = self.patient(("DELETE", target), &[], None)?;
        match response.status {
            204 => {}
            // An earlier attempt has deleted it.
            404 if self.counts.unavailable > before => {}
            _ => return Err(unexpected(&format!("DELETE {target}"), &response)),
        }
        self.counts.acknowledged += 1;
        Ok(())
    }

    /// Sends a POST with a key until a node answers. Returns the id of the first new member.
    fn settled(&mut self, target: &str, name: &str, body: &Value) -> io::Result<i64> {
        let before = self.counts.unavailable;
        let key = format!("\"{name}\"");
        let response = self.patient(("POST", target), &[("idempotency-key", &key)], Some(body))?;
        if response.status != 201 {
            return Err(unexpected("a POST with a key", &response));
        }
        self.counts.acknowledged += 1;
        self.counts.repeated += u64::from(self.counts.unavailable > before);
        Ok(id_of(&response))
    }

    /// Sends a request to one node after another, until one of them answers it.
    fn patient(
        &mut self,
        (method, target): (&str, &str),
        fields: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Response> {
        let until = Instant::now() + PATIENCE;
        loop {
            let node = self.node(target);
            let result = self.client.ask(node, (method, target), fields, body);
            match &result {
                Ok(response) if response.status != 503 && response.status != 409 => return result,
                Ok(response) => self.note(response),
                Err(_) => self.counts.unavailable += 1,
            }
            if Instant::now() > until {
                let what = format!("{method} {target} has no answer in time");
                return Err(match result {
                    Ok(response) => unexpected(&what, &response),
                    Err(error) => io::Error::other(format!("{what}: {error}")),
                });
            }
            self.pause();
        }
    }

    /// Sends a write once.
    fn once(
        &mut self,
        (method, target): (&str, &str),
        tag: Option<&str>,
        body: &Value,
    ) -> io::Result<Fate> {
        let fields: Vec<_> = tag.map(|tag| ("if-match", tag)).into_iter().collect();
        let node = self.node(target);
        // A connection that was refused has carried no request.
        let Ok(response) = self.client.ask(node, (method, target), &fields, Some(body)) else {
            self.counts.unknown += 1;
            self.pause();
            return Ok(Fate::Unknown);
        };
        if response.status != 503 {
            self.counts.acknowledged += u64::from(response.status < 300);
            return Ok(Fate::Done(response));
        }
        self.note(&response);
        self.pause();
        if response.is_in_doubt() {
            self.counts.unknown += 1;
            return Ok(Fate::Unknown);
        }
        Ok(Fate::Refused)
    }

    /// Waits for a while, after a node that is away.
    fn pause(&mut self) {
        thread::sleep(Duration::from_millis(self.random.to(30)));
    }

    fn note(&mut self, response: &Response) {
        self.counts.unavailable += 1;
        self.counts.in_doubt += u64::from(response.is_in_doubt());
    }

    /// Reads a new member from any node.
    fn read_back(&mut self, target: &str, name: &str) -> io::Result<()> {
        let response = self.patient(("GET", target), &[], None)?;
        if response.status != 200 || response.json()["name"] != name {
            return Err(unexpected(&format!("{target} was acknowledged"), &response));
        }
        self.counts.read_back += 1;
        Ok(())
    }

    /// Any node that can do the work of a target.
    fn node(&mut self, target: &str) -> SocketAddr {
        let nodes = if target == "/orders" { &self.nodes.hooked } else { &self.nodes.all };
        nodes[self.random.to(nodes.len() as u64) as usize - 1]
    }
}

/// The id of the first new member of a response.
fn id_of(response: &Response) -> i64 {
    let json = response.json();
    json["id"].as_i64().or_else(|| json["items"][0]["id"].as_i64()).unwrap_or(-1)
}
