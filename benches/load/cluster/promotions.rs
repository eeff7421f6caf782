//! Trials in which the primary is killed and its standby becomes the primary.

use std::{
    io,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    client::{Client, Response, unexpected},
    database::{Database, free_port},
    nodes::{Node, NodeKind},
    trial::{self, Trial},
};
use crate::start::Program;

/// The target whose validator is watched over a promotion.
const WATCHED: &str = "/counters?limit=1000";

/// The time that a node may need until it writes to another primary.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends a primary during the load, and promotes its synchronous standby. No acknowledged write may
/// be missing, and no tag from before may be valid.
pub(super) fn synchronous(program: &Program, count: u64) -> io::Result<String> {
    let mut primary = Database::create()?;
    let other = free_port()?;
    let ports = [primary.port, other];
    let mut trial = Trial::start(program, &Database::url(&ports))?;
    for _ in 0..count {
        let port = ports[usize::from(primary.port == ports[0])];
        let standby = Database::standby_of(&primary, port)?;
        primary.be_synchronous()?;
        let node = trial.nodes[0].address;
        let tag = tag_of(node)?;
        let promoted = trial.round(|_, _| {
            primary.kill()?;
            standby.promote()?;
            Ok(standby)
        })?;
        primary = promoted;
        let page = answered(&mut Client::default(), node, WATCHED, Some(&tag))?;
        if page.status != 200 || page.tag.as_deref() == Some(&tag) {
            return Err(unexpected("a tag from before the promotion is still valid", &page));
        }
    }
    Ok(format!("{count} trials, no write lost, none by halves, none twice: {}", trial.end()?))
}

/// Stops all processes of a primary during the load, promotes its synchronous standby, and measures
/// how long each node needs to write again. Afterwards the old primary is killed; every other time
/// it goes on for a moment before.
pub(super) fn hung(program: &Program, count: u64) -> io::Result<String> {
    let mut primary = Database::create()?;
    let other = free_port()?;
    let ports = [primary.port, other];
    let mut trial = Trial::start(program, &Database::url(&ports))?;
    let mut waits = vec![];
    for at in 0..count {
        let port = ports[usize::from(primary.port == ports[0])];
        let standby = Database::standby_of(&primary, port)?;
        primary.be_synchronous()?;
        primary = trial.round(|nodes, random| {
            primary.hang()?;
            // The standby may be promoted before or after the nodes have noticed.
            thread::sleep(Duration::from_millis(random.to(500) + at % 3 * 4000));
            standby.promote()?;
            let promoted = Instant::now();
            for node in nodes.iter() {
                write(node.address)?;
            }
            waits.push(promoted.elapsed());
            if at % 2 == 1 {
                primary.signal("CONT")?;
                thread::sleep(Duration::from_millis(500));
            }
            primary.kill()?;
            Ok(standby)
        })?;
    }
    waits.sort_unstable();
    let (median, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    Ok(format!(
        "{count} trials, all nodes write {:.1} s after the promotion, {:.1} s at most; \
         no write lost, none by halves, none twice: {}",
        median.as_secs_f64(),
        longest.as_secs_f64(),
        trial.end()?
    ))
}

/// Creates entries on a node, as soon as it can, and deletes them.
fn write(node: SocketAddr) -> io::Result<()> {
    let (mut client, body) = (Client::default(), json!([{ "name": "probe", "part": 0 }]));
    let until = Instant::now() + PATIENCE;
    for (method, target, body) in
        [("POST", "/entries", Some(&body)), ("DELETE", "/entries?name=probe", None)]
    {
        loop {
            match client.ask(node, (method, target), &[], body) {
                Ok(written) if written.status != 503 => break,
                _ if Instant::now() > until => {
                    return Err(io::Error::other("the node does not write again"));
                }
                _ => thread::sleep(Duration::from_millis(50)),
            }
        }
    }
    Ok(())
}

/// Promotes a standby that lacks the last writes, and writes as often again. The sums of the
/// counters are the same then, but the rows are not, so no tag from before may be valid.
pub(super) fn lagging(program: &Program, count: u64) -> io::Result<String> {
    let folder = tempfile::tempdir()?;
    for _ in 0..count {
        let primary = Database::create()?;
        let port = free_port()?;
        // The node itself has to find out which of the servers is the primary.
        let url = Database::url(&[primary.port, port]).replace("read-write", "any");
        let nodes = trial::start(&[NodeKind::Served], program, &url, folder.path())?;
        let (node, mut client) = (&nodes[0], Client::default());
        let id = create(&mut client, node, 0)?;
        let member = format!("/counters/{id}");
        let standby = Database::standby_of(&primary, port)?;
        standby.stop_at_once()?;
        // The standby never gets to know these.
        let lost = set(&mut client, node, &member, 1, "*")?;
        let page = tag_of(node.address)?;
        primary.kill()?;
        standby.start()?;
        for _ in 0..20 {
            let early = client.get(node.address, &member, None)?;
            if early.status != 503 {
                return Err(unexpected("a standby has answered", &early));
            }
            thread::sleep(Duration::from_millis(20));
        }
        standby.promote()?;
        let current = answered(&mut client, node.address, &member, None)?;
        if current.json()["value"] != 0 {
            return Err(unexpected("the standby does not lag", &current));
        }
        let body = json!({ "value": 2 });
        let stale =
            client.ask(node.address, ("PATCH", &member), &[("if-match", &lost)], Some(&body))?;
        if stale.status != 412 {
            return Err(unexpected("a write with a tag of a lost state", &stale));
        }
        set(&mut client, node, &member, 2, "*")?;
        for (target, tag) in [(WATCHED, &page), (&*member, &lost)] {
            let now = client.get(node.address, target, Some(tag))?;
            if now.status != 200 {
                return Err(unexpected(&format!("{target} was valid"), &now));
            }
        }
    }
    Ok(format!("{count} trials, no tag of a lost state was valid"))
}

fn create(client: &mut Client, node: &Node, value: i64) -> io::Result<i64> {
    let body = json!({ "name": "lagging", "value": value });
    let created = client.ask(node.address, ("POST", "/counters"), &[], Some(&body))?;
    created.json()["id"].as_i64().ok_or_else(|| unexpected("a POST", &created))
}

/// Sets the value of a counter. Returns its tag.
fn set(
    client: &mut Client,
    node: &Node,
    member: &str,
    value: i64,
    tag: &str,
) -> io::Result<String> {
    let body = json!({ "value": value });
    let set = client.ask(node.address, ("PATCH", member), &[("if-match", tag)], Some(&body))?;
    set.tag.clone().filter(|_| set.status == 200).ok_or_else(|| unexpected("a PATCH", &set))
}

/// Reads something, as soon as the node has found the new primary.
fn answered(
    client: &mut Client,
    node: SocketAddr,
    target: &str,
    tag: Option<&str>,
) -> io::Result<Response> {
    for _ in 0..400 {
        if let Ok(read) = client.get(node, target, tag)
            && read.status != 503
        {
            return Ok(read);
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(io::Error::other("the node has not found the new primary in 20 s"))
}

fn tag_of(node: SocketAddr) -> io::Result<String> {
    let page = answered(&mut Client::default(), node, WATCHED, None)?;
    page.tag.clone().ok_or_else(|| unexpected("a page", &page))
}
