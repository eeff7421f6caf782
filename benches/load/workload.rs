//! The rows of the zoo's database, and the requests of the load.

use std::{
    io,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::client::{NextRequest, Traffic, ask};

pub(crate) const ZOOS: u64 = 1000;
pub(crate) const ANIMALS_PER_ZOO: u64 = 100;
pub(crate) const TYPES: u64 = 4;

/// A random number generator (xorshift64*) with a fixed seed, so that every run sends the same
/// requests.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a random number from 1 to `largest`.
    pub(crate) fn to(&mut self, largest: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % largest + 1
    }
}

/// A kind of request, or a mix of several kinds.
#[derive(Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    next: NextRequest,
    statuses: &'static [u16],
    /// Whether the requests go to the server with a response cache.
    pub(crate) is_cached: bool,
    /// Whether the server written by hand supports the requests.
    pub(crate) by_hand: bool,
}

impl Workload {
    const fn new(name: &'static str, next: NextRequest, statuses: &'static [u16]) -> Self {
        Self { name, next, statuses, is_cached: false, by_hand: true }
    }

    const fn cached(name: &'static str, next: NextRequest, statuses: &'static [u16]) -> Self {
        Self { is_cached: true, by_hand: false, ..Self::new(name, next, statuses) }
    }

    const fn not_by_hand(self) -> Self {
        Self { by_hand: false, ..self }
    }
}

/// All workloads. Those that only read come first. The workload that makes the tables grow comes
/// last.
pub(crate) const ALL: [Workload; 15] = [
    POINT,
    FILTERED,
    HUNDRED,
    Workload::new("GET the first 100 animals", first_hundred, &[200]),
    Workload::new("GET a zoo, unchanged (304)", unchanged_zoo, &[304]).not_by_hand(),
    Workload::new("GET 100 animals, unchanged (304)", unchanged, &[304]).not_by_hand(),
    POINT_CACHED,
    Workload::cached("GET 20 animals, cached", same_filtered, &[200]),
    Workload::cached("GET 100 animals, cached", same_hundred, &[200]),
    Workload::cached("GET a zoo, unchanged, cached", unchanged_zoo, &[304]),
    Workload::cached("GET 100 animals, unchanged, cached", unchanged, &[304]),
    MIXED,
    PATCH,
    Workload::new("POST a zoo, into two indexes", post_zoo, &[201]),
    POST,
];

/// Further workloads, which only the server that is written by hand for PostgreSQL supports.
pub(crate) const ON_POSTGRES: [Workload; 4] = [
    Workload::new("GET 20 animals, with their number", counted, &[200]),
    Workload::new("GET 20 animals, by one of 1,300 filters", unseen, &[200]),
    Workload::new("GET an animal that is missing (404)", missing, &[404]),
    Workload::new("GET a web page of 20 animals", web_page, &[200]).not_by_hand(),
];

/// The workloads of point reads, which scans must not slow down.
pub(crate) const POINT: Workload = Workload::new("GET a zoo by id", point, &[200]);
pub(crate) const POINT_CACHED: Workload =
    Workload::cached("GET a zoo by id, cached", point, &[200]);
pub(crate) const FILTERED: Workload =
    Workload::new("GET 20 animals, filtered and sorted", filtered, &[200]);
pub(crate) const HUNDRED: Workload = Workload::new("GET 100 animals, by name", hundred, &[200]);
pub(crate) const MIXED: Workload = Workload::new("90 % GET a zoo, 10 % PATCH", mixed, &[200]);
pub(crate) const PATCH: Workload = Workload::new("PATCH an animal", patch, &[200]);
pub(crate) const POST: Workload = Workload::new("POST an animal, into four indexes", post, &[201]);

/// A search that reads every animal and finds none.
pub(crate) const SCAN: Workload = Workload::new("scans", scan, &[200]);

impl Workload {
    /// The requests of this workload, and requests to the bare server with response bodies of the
    /// same length.
    pub(crate) fn traffic(&self, zoo: SocketAddr) -> io::Result<(Traffic, Traffic)> {
        let path = if self.name.starts_with("GET a zoo, unchanged") {
            "/zoos/1"
        } else {
            "/zoos/1/animals?limit=100"
        };
        let (_, shown) =
            ask(zoo, format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())?;
        let detail = shown
            .lines()
            .find_map(|line| line.strip_prefix("etag: "))
            .unwrap_or_default()
            .to_owned();
        let own = Traffic { next: self.next, detail, statuses: self.statuses };
        let mut request = vec![];
        (own.next)(&mut Random::new(1), &mut request, &own.detail);
        let (status, answer) = ask(zoo, &request)?;
        if !self.statuses.contains(&status) {
            return Err(io::Error::other(format!("{}: {answer}", self.name)));
        }
        let body = answer.split_once("\r\n\r\n").map_or(0, |(_, body)| body.len());
        Ok((own, Traffic { next: hello, detail: body.to_string(), statuses: &[200] }))
    }
}

/// The shipped schema of the zoo with two additions: the index that the filtered page needs, and
/// one collection of all animals for the scans.
pub(crate) fn schema() -> String {
    let zoo = include_str!("../../schemas/zoo.yaml");
    let indexed = "    sort: [name]\n    indexes: [[zoo_id, animal_type_id, name]]\n";
    zoo.replace("    sort: [name]\n", indexed)
        .replace("    parent: zoo ", "    routes: both\n    parent: zoo ")
}

/// Creates animal types, zoos, and a hundred animals in each zoo. `create` receives a target and a
/// body. The ids count from 1.
pub(crate) fn fill(zoos: u64, create: impl Fn(&str, &str) -> io::Result<()>) -> io::Result<()> {
    let array = |members: Vec<String>| format!("[{}]", members.join(","));
    create(
        "/animal_types",
        &array((1..=TYPES).map(|at| format!(r#"{{"name":"Type {at}"}}"#)).collect()),
    )?;
    let zoo =
        |at| format!(r#"{{"name":"Zoo {at}","city":"City {}","opened":"1950-06-01"}}"#, at % 50);
    create("/zoos", &array((1..=zoos).map(zoo).collect()))?;
    let mut random = Random::new(7);
    for at in 1..=zoos {
        let animals = (0..ANIMALS_PER_ZOO).map(|_| animal(&mut random)).collect();
        create(&format!("/zoos/{at}/animals"), &array(animals))?;
    }
    Ok(())
}

/// The JSON of a new animal with random values, without its zoo.
pub(crate) fn animal(random: &mut Random) -> String {
    let (name, kind, weight) =
        (random.to(100_000), random.to(TYPES), random.to(5000) as f64 / 10.0);
    format!(
        r#"{{"name":"Animal {name}","animal_type_id":{kind},"weight_kg":{weight},"born":"2020-02-29"}}"#
    )
}

/// Creates members with POST. It is an error if the status is not 201.
pub(crate) fn create(zoo: SocketAddr, path: &str, body: &str) -> io::Result<()> {
    let mut request = vec![];
    send(&mut request, "POST", path, body);
    match ask(zoo, &request)? {
        (201, _) => Ok(()),
        (status, answer) => Err(io::Error::other(format!("{status} for {path}: {answer}"))),
    }
}

pub(crate) fn get(to: &mut Vec<u8>, path: &str, field: &str) {
    to.extend_from_slice(
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{field}\r\n").as_bytes(),
    );
}

pub(crate) fn send(to: &mut Vec<u8>, method: &str, path: &str, body: &str) {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    );
    to.extend_from_slice(format!("{head}content-length: {length}\r\n\r\n{body}").as_bytes());
}

fn hello(_: &mut Random, to: &mut Vec<u8>, length: &str) {
    get(to, &format!("/{length}"), "");
}

fn point(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, &format!("/zoos/{}", random.to(ZOOS)), "");
}

fn filtered(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let (zoo, kind) = (random.to(ZOOS), random.to(TYPES));
    get(to, &format!("/zoos/{zoo}/animals?animal_type_id={kind}&sortby=name&limit=20"), "");
}

fn counted(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let (zoo, kind) = (random.to(ZOOS), random.to(TYPES));
    let query = format!("animal_type_id={kind}&sortby=name&limit=20&count=true");
    get(to, &format!("/zoos/{zoo}/animals?{query}"), "");
}

/// A filter of one of 1,300 forms, more than a connection keeps statements of.
fn unseen(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let mut one_of = |words: &[&'static str]| words[random.to(words.len() as u64) as usize - 1];
    let (name, weight) = (one_of(&COMPARED), one_of(&COMPARED));
    let (born, kind) = (one_of(&COMPARED), one_of(&["eq", "ne", "gt", "lt"]));
    let sort = one_of(&["name", "-name", "weight_kg"][..if born == "ne" { 1 } else { 3 }]);
    let (zoo, heavy) = (random.to(ZOOS), random.to(500));
    let query = format!(
        "name[{name}]=Animal%205&weight_kg[{weight}]={heavy}.5&born[{born}]=2020-02-28\
         &animal_type_id[{kind}]=2&sortby={sort}&limit=20"
    );
    get(to, &format!("/zoos/{zoo}/animals?{query}"), "");
}

/// The operators of a comparison, as queries spell them.
const COMPARED: [&str; 5] = ["gt", "gte", "lt", "lte", "ne"];

fn missing(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, &format!("/zoos/{}/animals/999999999", random.to(ZOOS)), "");
}

fn web_page(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let path = format!("/zoos/{}/animals", random.to(ZOOS));
    get(to, &path, "accept: text/html\r\n");
}

fn hundred(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, &format!("/zoos/{}/animals?limit=100", random.to(ZOOS)), "");
}

fn first_hundred(_: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, "/animals?limit=100&sortby=id", "");
}

fn same_filtered(_: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, "/zoos/1/animals?animal_type_id=1&sortby=name&limit=20", "");
}

fn same_hundred(_: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, "/zoos/1/animals?limit=100", "");
}

fn scan(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    get(to, &format!("/animals?name[contains]=nobody{}&limit=1", random.to(1000)), "");
}

fn unchanged_zoo(_: &mut Random, to: &mut Vec<u8>, tag: &str) {
    get(to, "/zoos/1", &format!("if-none-match: {tag}\r\n"));
}

fn unchanged(_: &mut Random, to: &mut Vec<u8>, tag: &str) {
    get(to, "/zoos/1/animals?limit=100", &format!("if-none-match: {tag}\r\n"));
}

fn patch(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let (zoo, at) = (random.to(ZOOS), random.to(ANIMALS_PER_ZOO));
    let path = format!("/zoos/{zoo}/animals/{}", (zoo - 1) * ANIMALS_PER_ZOO + at);
    send(to, "PATCH", &path, &format!(r#"{{"weight_kg":{}.5}}"#, random.to(500)));
}

fn post(random: &mut Random, to: &mut Vec<u8>, _: &str) {
    let body = animal(random);
    send(to, "POST", &format!("/zoos/{}/animals", random.to(ZOOS)), &body);
}

fn post_zoo(_: &mut Random, to: &mut Vec<u8>, _: &str) {
    // The name is unique across all connections. Sorting by name gives another order than by id.
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let mut random = Random::new(number);
    let name = format!("{} {number}", random.to(1_000_000));
    let body = format!(
        r#"{{"name":"Zoo {name}","city":"City {}","opened":"1950-06-01"}}"#,
        random.to(1_000)
    );
    send(to, "POST", "/zoos", &body);
}

fn mixed(random: &mut Random, to: &mut Vec<u8>, detail: &str) {
    if random.to(10) == 1 { patch(random, to, detail) } else { point(random, to, detail) }
}
