//! Measures Nouns and servers of other frameworks ("peers") alternately, with the same client.
//!
//! The folder `benches/peers` has those servers. A person starts them, with a copy of the rows in
//! the database of Nouns.

use std::{fs, io, net::SocketAddr, path::PathBuf, time::Duration};

use clap::Args;

use crate::{
    client::{NextRequest, Traffic, ask},
    say,
    start::Program,
    turn::{Turn, half, percent, slow, spread},
    workload::{self, Random},
};

/// The options of `peers`.
#[derive(Args, Debug)]
pub(crate) struct Peers {
    /// The running servers, each as NAME=ADDRESS, such as `django=127.0.0.1:8001`.
    #[arg(value_parser = peer)]
    peers: Vec<Peer>,
    /// The database of Nouns, which is created and filled if it is missing.
    #[arg(long)]
    database: PathBuf,
    /// How many turns each server has for each request.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in milliseconds.
    #[arg(long, default_value_t = 4000)]
    turn_millis: u64,
    /// The number of connections that are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    #[command(flatten)]
    program: Program,
}

/// A server that is already running.
#[derive(Clone, Debug)]
struct Peer {
    spelling: &'static Spelling,
    address: SocketAddr,
}

/// The methods and URLs of a framework. `{zoo}`, `{animal}` and `{type}` stand for ids.
#[derive(Debug)]
struct Spelling {
    name: &'static str,
    zoo: &'static str,
    page: &'static str,
    change: &'static str,
    create: &'static str,
}

const NOUNS: Spelling = Spelling {
    name: "nouns",
    zoo: "GET /zoos/{zoo}",
    page: "GET /animals?zoo_id={zoo}&animal_type_id={type}&sortby=name&limit=20",
    change: "PATCH /animals/{animal}",
    create: "POST /animals",
};

const SPELLINGS: [Spelling; 2] = [
    Spelling {
        name: "django",
        zoo: "GET /zoos/{zoo}/",
        page: "GET /animals/?zoo_id={zoo}&animal_type_id={type}&ordering=name",
        change: "PATCH /animals/{animal}/",
        create: "POST /animals/",
    },
    // The filter is `{"zoo_id":…,"animal_type_id":…}`, and the sort is `["name","ASC"]`, both
    // percent-encoded. PUT changes only the fields that its body has.
    Spelling {
        name: "crudcrate",
        zoo: "GET /zoos/{zoo}",
        page: "GET /animals?filter=%7B%22zoo_id%22%3A{zoo}%2C%22animal_type_id%22%3A{type}%7D\
               &sort=%5B%22name%22%2C%22ASC%22%5D&range=%5B0%2C19%5D",
        change: "PUT /animals/{animal}",
        create: "POST /animals",
    },
];

/// A kind of request: its name, its template in a `Spelling`, the function that writes it, and its
/// expected statuses.
type Work = (&'static str, fn(&Spelling) -> &'static str, NextRequest, &'static [u16]);

const WORKS: [Work; 4] = [
    ("GET a zoo by id", |spelling| spelling.zoo, get, &[200]),
    ("GET 20 animals, filtered and sorted", |spelling| spelling.page, get, &[200]),
    ("PATCH an animal", |spelling| spelling.change, patch, &[200]),
    ("POST an animal, into four indexes", |spelling| spelling.create, post, &[201]),
];

impl Peers {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let schema = folder.path().join("zoo.yaml");
        fs::write(&schema, workload::schema())?;
        let is_new = !self.database.exists();
        let nouns = self.program.serve(&schema, &self.database, &["--cache", "0"])?;
        if is_new {
            let create = |path: &str, body: &str| workload::create(nouns.address, path, body);
            workload::fill(workload::ZOOS, create)?;
        }
        let own = Peer { spelling: &NOUNS, address: nouns.address };
        for work in WORKS.iter().filter(|_| !self.peers.is_empty()) {
            self.measure(work, &own)?;
        }
        nouns.stop()
    }

    /// Measures one kind of request, and prints a table with a row for each server.
    fn measure(&self, work: &Work, nouns: &Peer) -> io::Result<()> {
        let mut own = vec![];
        let mut others = vec![vec![]; self.peers.len()];
        for _ in 0..self.rounds {
            own.push(self.turn(work, nouns)?);
            for (peer, turns) in self.peers.iter().zip(&mut others) {
                turns.push(self.turn(work, peer)?);
            }
        }
        say(&format!(
            "\n| {} | req/s | p50 ms | p99 ms | nouns is |\n|---|---:|---:|---:|---:|",
            work.0
        ));
        let peers = self.peers.iter().map(|peer| peer.spelling.name).zip(&others);
        for (name, turns) in [(NOUNS.name, &own)].into_iter().chain(peers) {
            let times = percent(turns, &own).unwrap_or_default() / 100.0;
            let (spread, half, slow) = (spread(turns), half(turns), slow(turns));
            say(&format!("| {name} | {spread} | {half} | {slow} | {times:.1} × |"));
        }
        Ok(())
    }

    fn turn(&self, (name, template, next, statuses): &Work, peer: &Peer) -> io::Result<Turn> {
        let detail = template(peer.spelling).to_owned();
        let traffic = Traffic { next: *next, detail, statuses };
        let mut request = vec![];
        next(&mut Random::new(1), &mut request, &traffic.detail);
        let (status, response) = ask(peer.address, &request)?;
        if !statuses.contains(&status) {
            return Err(io::Error::other(format!("{}: {name}: {response}", peer.spelling.name)));
        }
        let time = Duration::from_millis(self.turn_millis);
        Turn::at(peer.address, &traffic, self.connections, time)
    }
}

fn peer(text: &str) -> Result<Peer, String> {
    let names = || SPELLINGS.map(|spelling| spelling.name).join(", ");
    let (name, address) = text.split_once('=').ok_or("it is not NAME=ADDRESS")?;
    let spelling = SPELLINGS.iter().find(|spelling| spelling.name == name);
    let spelling = spelling.ok_or_else(|| format!("the names are {}", names()))?;
    Ok(Peer { spelling, address: address.parse().map_err(|_| "the address is not IP:PORT")? })
}

/// Returns the method and the URL of a template, with random ids.
fn target(random: &mut Random, template: &str) -> (String, String) {
    let zoo = random.to(workload::ZOOS);
    let animal = (zoo - 1) * workload::ANIMALS_PER_ZOO + random.to(workload::ANIMALS_PER_ZOO);
    let url = template
        .replace("{zoo}", &zoo.to_string())
        .replace("{animal}", &animal.to_string())
        .replace("{type}", &random.to(workload::TYPES).to_string());
    let (method, url) = url.split_once(' ').unwrap_or_default();
    (method.into(), url.into())
}

fn get(random: &mut Random, to: &mut Vec<u8>, template: &str) {
    workload::get(to, &target(random, template).1, "");
}

fn patch(random: &mut Random, to: &mut Vec<u8>, template: &str) {
    let (method, url) = target(random, template);
    workload::send(to, &method, &url, &format!(r#"{{"weight_kg":{}.5}}"#, random.to(500)));
}

fn post(random: &mut Random, to: &mut Vec<u8>, template: &str) {
    let animal = workload::animal(random);
    let body = animal.replacen('{', &format!(r#"{{"zoo_id":{},"#, random.to(workload::ZOOS)), 1);
    let (method, url) = target(random, template);
    workload::send(to, &method, &url, &body);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(next: NextRequest, template: &str) -> String {
        let mut request = vec![];
        next(&mut Random::new(1), &mut request, template);
        String::from_utf8(request).unwrap()
    }

    #[test]
    fn templates_become_requests_without_placeholders() {
        for spelling in SPELLINGS.iter().chain([&NOUNS]) {
            for (name, template, next, _) in WORKS {
                let request = request(next, template(spelling));
                let line = request.lines().next().unwrap();
                assert!(
                    line.ends_with(" HTTP/1.1") && !line.contains('{'),
                    "a request of {name} must have no placeholder: {line}"
                );
            }
        }
        let post = request(post, "POST /animals");
        let body = post.split("\r\n\r\n").nth(1).unwrap();
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert!(
            body["zoo_id"].is_u64() && body["name"].is_string(),
            "the body of a new animal must have `zoo_id` and `name`: {body}"
        );
    }

    #[test]
    fn a_peer_is_a_known_name_and_an_address() {
        let parsed = peer("django=127.0.0.1:8001").unwrap();
        assert_eq!((parsed.spelling.name, parsed.address.port()), ("django", 8001));
        for wrong in ["django", "rails=127.0.0.1:1", "django=localhost"] {
            assert!(peer(wrong).is_err(), "the peer `{wrong}` must be refused");
        }
    }
}
