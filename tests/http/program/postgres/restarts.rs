//! Tests of nodes that restart behind a proxy.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::url;
use crate::{
    client::Client,
    program::{LOG_TIME, Serving, ZOO, nouns},
    tidy::root,
};

/// The number of writes, each with a read, for which a client uses a connection.
const TURNS: usize = 100;
/// The number of clients that go on during the restarts.
const CLIENTS: usize = 4;

/// A proxy that ends with this value.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // Both proxies end at once.
        let id = self.0.id().to_string();
        drop(Command::new("kill").args(["-TERM", &id]).status());
        drop(self.0.wait());
    }
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("-v").output().is_ok_and(|output| output.status.success())
}

/// The configuration that the documentation shows in a language, with the addresses of a test.
fn shown(language: &str, addresses: &[(&str, String)]) -> String {
    let page = fs::read_to_string(root().join("docs/growing.md")).unwrap();
    let (_, block) = page.split_once(&format!("```{language}\n")).unwrap();
    let mut block = block.split("```").next().unwrap().to_owned();
    for (shown, address) in addresses {
        assert!(block.contains(shown), "{shown}: {block}");
        block = block.replace(shown, address);
    }
    block
}

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
    let end = Instant::now() + LOG_TIME;
    while TcpStream::connect(front).is_err() || Client::connect(front).get("/zoos").status() != 200
    {
        assert!(Instant::now() < end, "the proxy must begin");
        thread::sleep(Duration::from_millis(50));
    }
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
        let file = folder.join("haproxy.cfg");
        fs::write(&file, shown("haproxy", &addresses)).unwrap();
        let program = Command::new("haproxy").arg("-db").arg("-f").arg(&file).spawn();
        Proxy(program.unwrap())
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
        let folder = folder.join("nginx");
        fs::create_dir(&folder).unwrap();
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let paths: String =
            paths.map(|path| format!("{path}_temp_path {}/{path};\n", folder.display())).concat();
        let file = folder.join("nginx.conf");
        let settings = format!(
            "daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{}}}\n",
            shown("nginx", &addresses),
            folder = folder.display()
        );
        fs::write(&file, settings).unwrap();
        let program = Command::new("nginx").arg("-c").arg(&file).arg("-p").arg(&folder).spawn();
        Proxy(program.unwrap())
    });
}
