//! Reads after writes on several nodes, and writes that test what was read.

use std::{io, net::SocketAddr, thread};

use serde_json::json;

use super::{
    client::{Client, unexpected},
    database::Database,
    nodes::NodeKind,
    trial,
};
use crate::{start::Program, workload::Random};

const NODES: [NodeKind; 3] = [NodeKind::Served; 3];
const PAGE: &str = "/counters?limit=1000";
/// The number of clients that read what they have written.
const READERS: u64 = 6;
/// The number of clients that increase one counter.
const WRITERS: u64 = 50;

/// Writes on one node and reads the member and the page on others. No response may be older than
/// the write.
pub(super) fn reads(program: &Program, rounds: u64) -> io::Result<String> {
    let (folder, database) = (tempfile::tempdir()?, Database::create()?);
    let nodes = trial::start(&NODES, program, &Database::url(&[database.port]), folder.path())?;
    let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
    let each = rounds.div_ceil(READERS);
    let client = |at: u64| read_own(&addresses, at, each);
    let unchanged: u64 = together(READERS, client)?;
    Ok(format!(
        "{} rounds, none stale; {unchanged} further requests were answered with 304",
        each * READERS
    ))
}

/// Writes and reads for one client. Returns the number of 304 responses.
fn read_own(nodes: &[SocketAddr], at: u64, rounds: u64) -> io::Result<u64> {
    let (mut client, mut random) = (Client::default(), Random::new(at));
    let body = json!({ "name": format!("c{at}"), "value": 0 });
    let created = client.ask(nodes[0], ("POST", "/counters"), &[], Some(&body))?;
    let id = created.json()["id"].as_i64().ok_or_else(|| unexpected("a POST", &created))?;
    let member = format!("/counters/{id}");
    let mut tags = [None, None];
    let mut unchanged = 0;
    for value in 1..=rounds {
        let mut node = || nodes[random.to(nodes.len() as u64) as usize - 1];
        let set = client.ask(node(), ("PATCH", &member), &[], Some(&json!({ "value": value })))?;
        if set.status != 200 {
            return Err(unexpected("a PATCH", &set));
        }
        for (target, tag) in [&*member, PAGE].into_iter().zip(&mut tags) {
            let (reader, condition) = (node(), tag.as_deref().filter(|_| value % 2 == 0));
            let read = client.get(reader, target, condition)?;
            let json = read.json();
            let items = json["items"].as_array().map_or(std::slice::from_ref(&json), Vec::as_slice);
            let own = items.iter().find(|item| item["id"] == id);
            if own.is_none_or(|own| own["value"] != value) {
                return Err(unexpected(&format!("{target} is stale: {value} was written"), &read));
            }
            // The node has the response in its cache now.
            let again = client.get(reader, target, read.tag.as_deref())?;
            unchanged += u64::from(again.status == 304);
            *tag = read.tag;
        }
    }
    Ok(unchanged)
}

/// Many clients increase one counter with If-Match. Each success is one increment.
pub(super) fn increments(program: &Program, tries: u64) -> io::Result<String> {
    let (folder, database) = (tempfile::tempdir()?, Database::create()?);
    let nodes = trial::start(&NODES, program, &Database::url(&[database.port]), folder.path())?;
    let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
    let mut client = Client::default();
    let body = json!({ "name": "one", "value": 0 });
    let created = client.ask(addresses[0], ("POST", "/counters"), &[], Some(&body))?;
    let id = created.json()["id"].as_i64().ok_or_else(|| unexpected("a POST", &created))?;
    let member = format!("/counters/{id}");
    let wins = together(WRITERS, |at| increase(addresses[at as usize % 3], &member, tries))?;
    let value = client.get(addresses[0], &member, None)?.json()["value"].as_u64();
    match value == Some(wins) {
        true => Ok(format!(
            "{} attempts on 3 nodes, {wins} successes, and the counter is {wins}",
            WRITERS * tries
        )),
        false => Err(io::Error::other(format!("{wins} successes, and the counter is {value:?}"))),
    }
}

fn increase(node: SocketAddr, member: &str, tries: u64) -> io::Result<u64> {
    let (mut client, mut wins) = (Client::default(), 0);
    for _ in 0..tries {
        let read = client.get(node, member, None)?;
        let (Some(value), Some(tag)) = (read.json()["value"].as_i64(), &read.tag) else {
            return Err(unexpected("a GET", &read));
        };
        let body = json!({ "value": value + 1 });
        let set = client.ask(node, ("PATCH", member), &[("if-match", tag)], Some(&body))?;
        match set.status {
            200 => wins += 1,
            412 | 503 => {}
            _ => return Err(unexpected("a PATCH", &set)),
        }
    }
    Ok(wins)
}

/// Runs several clients at the same time. Returns the sum of their results.
fn together(count: u64, client: impl Fn(u64) -> io::Result<u64> + Sync) -> io::Result<u64> {
    thread::scope(|scope| {
        let client = &client;
        let threads: Vec<_> = (1..=count).map(|at| scope.spawn(move || client(at))).collect();
        let panicked = |_| Err(io::Error::other("a client panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).sum()
    })
}
