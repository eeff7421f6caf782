//! Tests of the listener without TLS beside the one with it, of Unix sockets, and of HSTS.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    num::NonZero,
    os::unix::net::UnixStream,
    time::Duration,
};

use nouns::{Api, Hsts, ListenAddress, Server};

use super::server::{NAME, TlsServer, answer, ask, get, service};

const WISH: (&str, &str) = ("upgrade-insecure-requests", "1");

/// The value of a field in a head.
fn field<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Starts a server with two listeners. Returns it, and a Unix socket without TLS.
fn start(api: Api) -> (TlsServer, tempfile::TempDir, UnixStream) {
    let folder = tempfile::tempdir().unwrap();
    let (path, address) = TlsServer::socket(&folder);
    let server = TlsServer::of(api, |server| server.listen_plain(address).unwrap());
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    (server, folder, stream)
}

/// Conformance 212: without TLS, a browser that prefers it is redirected. Others are served.
#[test]
fn a_browser_that_prefers_tls_is_redirected() {
    let (server, _folder, mut plain) = start(Api::new("Zoos"));
    let port = server.address().port();
    ask(&mut plain, "/client?a=b%20c", &[WISH]);
    let (head, content) = answer(&mut plain);
    assert!(head.starts_with("HTTP/1.1 307 Temporary Redirect\r\n"), "{head}");
    let location = format!("https://{NAME}:{port}/client?a=b%20c");
    assert_eq!(field(&head, "location"), Some(&*location));
    assert_eq!(field(&head, "vary"), Some("upgrade-insecure-requests"));
    assert_eq!((field(&head, "cache-control"), content), (Some("no-cache"), vec![]));
    ask(&mut plain, "/client", &[]);
    let (head, content) = answer(&mut plain);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(content, b"[\"http\",null]");
    assert!(field(&head, "vary").unwrap().contains("upgrade-insecure-requests"), "{head}");
    let post = format!(
        "POST /client HTTP/1.1\r\nhost: {NAME}\r\ncontent-length: 0\r\n{}: 1\r\n\r\n",
        WISH.0
    );
    plain.write_all(post.as_bytes()).unwrap();
    assert!(answer(&mut plain).0.starts_with("HTTP/1.1 405"));
    let mut secure = server.client();
    ask(&mut secure, "/client", &[WISH]);
    let (head, _) = answer(&mut secure);
    assert!(head.starts_with("HTTP/1.1 200 OK") && !head.contains("upgrade-insecure"), "{head}");
}

/// Conformance 212: the redirect leads below the public URL, and clients of a proxy with TLS get
/// none.
#[test]
fn a_redirect_leads_to_the_public_url() {
    let api = Api::new("Zoos").public_url("https://zoo.example/parks").trusted_proxy("unix");
    let (_server, _folder, mut plain) = start(api);
    ask(&mut plain, "/client", &[WISH]);
    let (head, _) = answer(&mut plain);
    assert_eq!(field(&head, "location"), Some("https://zoo.example/parks/client"));
    let proxy = [WISH, ("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https")];
    ask(&mut plain, "/client", &proxy);
    let (head, content) = answer(&mut plain);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(content, b"[\"https\",\"192.0.2.7\"]");
}

/// Conformance 209: `Strict-Transport-Security` is sent over TLS alone, also of a trusted proxy.
#[test]
fn only_an_encrypted_response_promises_to_stay_so() {
    let hsts = Hsts::new(Duration::from_secs(31_536_000)).include_subdomains(true).preload(true);
    let (server, _folder, mut plain) = start(Api::new("Zoos").hsts(hsts).trusted_proxy("unix"));
    let name = "strict-transport-security";
    let value = Some("max-age=31536000; includeSubDomains; preload");
    for target in ["/client", "/nowhere"] {
        let head = get(&mut server.client(), target);
        assert_eq!(field(&head, name), value, "{head}");
        ask(&mut plain, target, &[]);
        assert_eq!(field(&answer(&mut plain).0, name), None);
        let proxy = [("x-forwarded-for", "192.0.2.7"), ("x-forwarded-proto", "https")];
        ask(&mut plain, target, &proxy);
        assert_eq!(field(&answer(&mut plain).0, name), value);
    }
    ask(&mut plain, &format!("https://{NAME}/client"), &[]);
    assert_eq!(field(&answer(&mut plain).0, name), None, "the target proves nothing");
    let without = TlsServer::start();
    assert_eq!(field(&get(&mut without.client(), "/client"), name), None);
}

#[test]
fn a_unix_socket_is_shared_by_workers_and_removed_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (path, address) = TlsServer::socket(&folder);
    let workers = NonZero::new(2).unwrap();
    let server = Server::bind(address.clone(), workers).unwrap();
    let running = server.start(&service(&folder, Api::new("Zoos"))).unwrap();
    assert_eq!((running.address(), running.is_encrypted()), (&address, false));
    assert!(Server::bind(address, workers).is_err(), "somebody listens there");
    for _ in 0..8 {
        let answer = get(&mut UnixStream::connect(&path).unwrap(), "/client");
        assert!(answer.ends_with("[\"http\",null]"), "{answer}");
    }
    let mut client = UnixStream::connect(&path).unwrap();
    client.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut frame = [0; 9];
    client.read_exact(&mut frame).unwrap();
    assert_eq!(frame[3], 4, "the first frame of HTTP/2 has the settings");
    drop(client);
    running.stop().unwrap();
    assert!(!path.exists());
}

/// HTTP/1.0 ends a content by the end of the connection, and a Unix socket cannot be reset.
#[test]
fn on_a_unix_socket_a_content_of_unknown_length_needs_http_1_1() {
    let zoos = crate::server::TestServer::zoo();
    let folder = tempfile::tempdir().unwrap();
    let (path, address) = TlsServer::socket(&folder);
    let running =
        Server::bind(address, NonZero::<usize>::MIN).unwrap().start(&zoos.service).unwrap();
    let ask = |version: &str| {
        let mut client = UnixStream::connect(&path).unwrap();
        let request = format!(
            "GET /zoos HTTP/{version}\r\nhost: a\r\naccept: application/x-ndjson\r\nconnection: close\r\n\r\n"
        );
        client.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(ask("1.1").starts_with("HTTP/1.1 200 OK"));
    let old = ask("1.0");
    assert!(old.contains(" 505 HTTP Version Not Supported\r\n"), "{old}");
    running.stop().unwrap();
}

#[test]
fn a_second_listener_may_have_a_port() {
    let mut plain = None;
    let server = TlsServer::of(Api::new("Zoos"), |server| {
        // The port is free, because the system has just chosen it.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        plain = Some(free);
        server.listen_plain(ListenAddress::from(free)).unwrap()
    });
    let plain: SocketAddr = plain.unwrap();
    assert_ne!(plain, server.address());
    let answer = get(&mut TcpStream::connect(plain).unwrap(), "/client");
    assert!(answer.ends_with("[\"http\",\"127.0.0.1\"]"), "{answer}");
}
