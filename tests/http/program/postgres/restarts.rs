//! Tests of nodes that restart behind a proxy.

use std::{
    net::SocketAddr,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use serde_json::json;

use super::url;
use crate::{
    client::Client,
    program::{
        Serving, ZOO, nouns,
        proxies::{Proxy, free, haproxy, is_there, nginx, shown, wait},
    },
};

/// The number of writes, each with a read, for which a client uses a connection.
const TURNS: usize = 100;
/// The number of clients that go on during the restarts.
const CLIENTS: usize = 4;

/// Restarts two nodes one after the other, while clients write and read through a proxy. No request
/// may fail: a client panics at any other answer, and at a connection that ends.
fn restart_both(start: impl FnOnce(&Path, SocketAddr, [SocketAddr; 2]) -> Proxy) {
    let folder = tempfile::tempdir().unwrap();
    let url = url(folder.path());
    let (front, nodes) = (free(), [free(), free()]);
    let serve = |address: SocketAddr| {
        let arguments = [ZOO, "--database", &url, "--drain-delay", "3s"];
        Serving::start_at(nouns(folder.path()), &arguments, &address.to_string())
    };
    let mut servers = nodes.map(|node| Some(serve(node)));
    let _proxy = start(folder.path(), front, nodes);
    wait(front, "/zoos");
    let (is_over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let work = |number: usize| {
            let (mut client, mut turns) = (Client::connect(front), 0);
            while !is_over.load(Ordering::Relaxed) {
                turns += 1;
                // A proxy ends a connection after some number of requests.
                if turns % TURNS == 0 {
                    client = Client::connect(front);
                }
                let name = format!("Zoo {number} {}", count.fetch_add(1, Ordering::Relaxed));
                let made = client.create("/zoos", &json!({ "name": name }));
                let found = client.get(&format!("/zoos/{}", made.json()["id"]));
                assert_eq!(found.json()["name"], name, "{found:?}");
            }
        };
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| scope.spawn(move || work(number))).collect();
        for (server, address) in servers.iter_mut().zip(nodes) {
            let (code, log) = server.take().unwrap().stop("-TERM");
            assert_eq!(code, Some(0), "{log}");
            // The next one is stopped once this one has requests again.
            let again = server.insert(serve(address));
            again.log.until("path=\"/zoos\" status=201", 5);
            assert!(clients.iter().all(|client| !client.is_finished()), "{address}");
        }
        is_over.store(true, Ordering::Relaxed);
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let total =
        servers[0].as_ref().unwrap().client().get("/zoos?count=true&limit=1").json()["total"]
            .clone();
    assert_eq!(total, count.load(Ordering::Relaxed), "each write was done once");
}

/// Two nodes behind haproxy.
#[test]
#[ignore = "it needs a PostgreSQL cluster and haproxy: run it with tests/with_postgres"]
fn no_request_fails_while_nodes_restart_behind_haproxy() {
    assert!(is_there("haproxy"), "this test needs the Debian package haproxy");
    restart_both(|folder, front, [one, two]| {
        let addresses = [
            ("bind :80\n", format!("bind {front}\n")),
            ("10.0.0.1:8080", one.to_string()),
            ("10.0.0.2:8080", two.to_string()),
        ];
        haproxy(folder, &shown("growing.md", "haproxy", &addresses))
    });
}

/// Two nodes behind nginx.
#[test]
#[ignore = "it needs a PostgreSQL cluster and nginx: run it with tests/with_postgres"]
fn no_request_fails_while_nodes_restart_behind_nginx() {
    assert!(is_there("nginx"), "this test needs the Debian package nginx");
    restart_both(|folder, front, [one, two]| {
        let addresses = [
            ("listen 80", format!("listen {front}")),
            ("10.0.0.1:8080", one.to_string()),
            ("10.0.0.2:8080", two.to_string()),
        ];
        nginx(folder, &shown("growing.md", "nginx", &addresses))
    });
}
