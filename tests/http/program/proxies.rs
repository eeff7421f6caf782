//! Proxies with the configurations that the documentation shows, and what their clients can forge.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use super::{LOG_TIME, Serving, account};
use crate::{
    access::{BLOG, sign_in},
    client::Client,
    server::TestServer,
    tidy::root,
};

/// A proxy that ends with this value.
pub(super) struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // Both proxies end at once.
        crate::tools::signal(&self.0, "-TERM");
        drop(self.0.wait());
    }
}

pub(super) fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

pub(super) fn is_there(program: &str) -> bool {
    Command::new(program).arg("-v").output().is_ok_and(|output| output.status.success())
}

/// The configuration that a page of the documentation shows in a language, with the addresses of a
/// test. Of nginx, what needs files of its own is left out: certificates and passwords.
pub(super) fn shown(page: &str, language: &str, addresses: &[(&str, String)]) -> String {
    let page = fs::read_to_string(root().join("docs").join(page)).unwrap();
    let (_, block) = page.split_once(&format!("```{language}\n")).unwrap();
    let block = block.split("```").next().unwrap().lines();
    let needs_file = ["ssl_certificate", "auth_basic"];
    let kept = block.filter(|line| !needs_file.iter().any(|key| line.trim().starts_with(key)));
    let mut block = kept.map(|line| format!("{line}\n")).collect::<String>();
    for (shown, address) in addresses {
        assert!(block.contains(shown), "{shown}: {block}");
        block = block.replace(shown, address);
    }
    block
}

/// Starts haproxy with a configuration.
pub(super) fn haproxy(folder: &Path, configuration: &str) -> Proxy {
    let file = folder.join("haproxy.cfg");
    fs::write(&file, configuration).unwrap();
    Proxy(Command::new("haproxy").arg("-db").arg("-f").arg(&file).spawn().unwrap())
}

/// Starts nginx with a configuration of its `http` block.
pub(super) fn nginx(folder: &Path, configuration: &str) -> Proxy {
    let folder = folder.join("nginx");
    fs::create_dir(&folder).unwrap();
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let paths: String =
        paths.map(|path| format!("{path}_temp_path {}/{path};\n", folder.display())).concat();
    let file = folder.join("nginx.conf");
    let settings = format!(
        "daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{configuration}}}\n",
        folder = folder.display()
    );
    fs::write(&file, settings).unwrap();
    Proxy(Command::new("nginx").arg("-c").arg(&file).arg("-p").arg(&folder).spawn().unwrap())
}

/// Waits until a proxy answers requests.
pub(super) fn wait(front: SocketAddr, target: &str) {
    let end = Instant::now() + LOG_TIME;
    while TcpStream::connect(front).is_err() || Client::connect(front).get(target).status() != 200 {
        assert!(Instant::now() < end, "the proxy must begin");
        thread::sleep(Duration::from_millis(50));
    }
}

/// The configurations that the documentation shows, each with the program that it is for.
const DOCUMENTED: [(&str, &str); 3] =
    [("operation.md", "nginx"), ("growing.md", "nginx"), ("growing.md", "haproxy")];

/// The addresses of a documented configuration, and what stands in their place in a test.
fn addresses(
    page: &str,
    program: &str,
    front: SocketAddr,
    server: SocketAddr,
) -> Vec<(&'static str, String)> {
    match (page, program) {
        ("operation.md", _) => vec![
            ("listen 443 ssl", format!("listen {front}")),
            ("127.0.0.1:8080", server.to_string()),
        ],
        (_, "nginx") => vec![
            ("listen 80", format!("listen {front}")),
            ("10.0.0.1:8080", server.to_string()),
            ("10.0.0.2:8080", server.to_string()),
        ],
        _ => vec![
            ("bind :80\n", format!("bind {front}\n")),
            ("10.0.0.1:8080", server.to_string()),
            ("10.0.0.2:8080", server.to_string()),
        ],
    }
}

/// The fields that a client sends to be taken for another, or for a client with TLS.
const FORGED: [(&str, &str); 5] = [
    ("forwarded", "for=198.51.100.1;proto=https;host=evil.example"),
    ("x-forwarded-for", "198.51.100.2"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "evil.example"),
    ("via", "1.1 evil"),
];

/// Conformance 213: behind a proxy as documented, no field of a client changes who it is, and what
/// others see.
#[test]
fn no_field_of_a_client_passes_a_documented_proxy() {
    for (page, program) in DOCUMENTED {
        if !is_there(program) {
            eprintln!("left out: this test needs the Debian package {program}");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let settings = "\nserver: { trusted_proxies: [127.0.0.1] }\nresources:";
        let schema = BLOG.replace("\nresources:", settings);
        fs::write(folder.path().join("blog.yaml"), schema).unwrap();
        let add = ["add", "blog.yaml", "ann", "--password-stdin"];
        assert!(account::account(folder.path(), &add, "tall trees\n").status.success());
        let serving = Serving::start(folder.path(), &["blog.yaml"]);
        let front = free();
        let addresses = addresses(page, program, front, serving.address());
        let configuration = shown(page, program, &addresses);
        let _proxy = match program {
            "nginx" => nginx(folder.path(), &configuration),
            _ => haproxy(folder.path(), &configuration),
        };
        wait(front, "/-/health");
        let mut client = Client::connect(front);
        let html = [&[("accept", "text/html")][..], &FORGED].concat();
        let shown = client.request("GET", "/", &html, None);
        let shown = String::from_utf8(shown.body).unwrap();
        assert!(shown.contains("curl http://") && !shown.contains("evil"), "{page}: {shown}");
        // Each guess names other addresses, and counts for the same.
        let mut guess = |number: u32| {
            let (one, other) = (format!("for=203.0.113.{number}"), format!("192.0.2.{number}"));
            let fields = [("forwarded", &*one), ("x-forwarded-for", &*other)];
            sign_in(&mut client, &format!("user {number}"), "wrong", &fields).status()
        };
        let most = if page == "operation.md" { 51 } else { 2 };
        assert!((0..most).all(|number| guess(number) == 401), "{page} {program}");
        if page == "operation.md" {
            assert_eq!(guess(most), 429);
        }
        let (_, log) = serving.stop("-TERM");
        let events = log.lines().filter(|line| line.contains("event=\"sign_in_failed\""));
        let events: Vec<_> = events.collect();
        assert!(!events.is_empty(), "{log}");
        for event in events {
            assert!(event.contains("address=127.0.0.1 "), "{page} {program}: {event}");
        }
    }
}

/// A shared cache stores a page for a URL. So no field that is not a part of it names a host there.
#[test]
fn no_field_of_a_proxy_names_a_host_on_a_page() {
    let server = TestServer::of(
        "{ nouns: 1, server: { trusted_proxies: [127.0.0.1] }, resources: { zoo: { fields: { name: string } } } }",
    );
    let mut client = server.client();
    for target in ["/", "/zoos", "/-/forms/zoos"] {
        let html = [&[("accept", "text/html")][..], &FORGED].concat();
        let page = client.request("GET", target, &html, None);
        let page = String::from_utf8(page.body).unwrap();
        assert!(page.contains("://zoo.localhost/") && !page.contains("evil"), "{target}: {page}");
    }
}
