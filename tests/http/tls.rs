//! Tests of TLS (RFC 8446, RFC 5246): versions, protocols, certificates, and clients that break
//! them.

mod attacks;
mod plain;
mod server;

use std::{
    io::{ErrorKind, Read as _, Write as _},
    sync::Arc,
    time::Duration,
};

use nouns::http::{Method, Request, StatusCode};
use rustls::{
    HandshakeKind,
    pki_types::ServerName,
    version::{TLS12, TLS13},
};

use self::server::{NAME, TlsServer, VERSIONS, answer, ask, get, trusting, write_certificate};

/// Conformance 174: over TLS, the client chooses the version of HTTP (ALPN). Without a choice it is
/// HTTP/1.1.
#[test]
fn a_client_chooses_the_version_of_http() {
    let server = TlsServer::start();
    for version in VERSIONS {
        for (protocols, chosen) in [
            (&["http/1.1"][..], Some(&b"http/1.1"[..])),
            (&[], None),
            (&["x", "http/1.1"], Some(b"http/1.1")),
        ] {
            let mut client = server.connect(server.config(version, protocols), NAME);
            let answer = get(&mut client, "/client");
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            assert!(answer.ends_with("[\"https\",\"127.0.0.1\"]"), "{answer}");
            assert_eq!(client.conn.alpn_protocol(), chosen);
        }
        assert_eq!(
            over_http2(&server, version),
            (StatusCode::OK, "[\"https\",\"127.0.0.1\"]".into())
        );
        let mut other = server.connect(server.config(version, &["spdy/3"]), NAME);
        let error = other.write_all(b"GET").unwrap_err().to_string();
        assert!(error.contains("NoApplicationProtocol"), "{error}");
    }
}

/// Sends a request over HTTP/2.
fn over_http2(
    server: &TlsServer,
    version: &'static rustls::SupportedProtocolVersion,
) -> (StatusCode, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        let config = Arc::new(server.config(version, &["h2", "http/1.1"]));
        let name = ServerName::try_from(NAME).unwrap();
        let stream = tokio_rustls::TlsConnector::from(config).connect(name, stream).await.unwrap();
        let (mut client, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        let request = Request::get(format!("https://{NAME}/client")).body(()).unwrap();
        let (response, _) = client.send_request(request, true).unwrap();
        let (head, mut body) = response.await.unwrap().into_parts();
        let mut content = vec![];
        while let Some(data) = body.data().await {
            content.extend(data.unwrap());
        }
        (head.status, String::from_utf8(content).unwrap())
    })
}

#[test]
fn sessions_are_resumed() {
    let server = TlsServer::start();
    for version in VERSIONS {
        let config = server.config(version, &[]);
        for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
            let mut client = server.connect(config.clone(), NAME);
            get(&mut client, "/");
            assert_eq!(client.conn.handshake_kind(), Some(kind), "{version:?}");
        }
    }
}

#[test]
fn a_client_that_expects_another_server_notices_it() {
    let server = TlsServer::start();
    for version in VERSIONS {
        let mut client = server.connect(server.config(version, &[]), "other.test");
        let error = client.write_all(b"GET").unwrap_err().to_string();
        assert!(error.contains("not valid for name"), "{error}");
    }
}

/// The port answers a request without TLS, so that the user sees what is wrong.
#[test]
fn a_request_without_tls_is_told_to_use_it() {
    let server = TlsServer::start();
    let answer = get(&mut server.tcp(), "/zoos");
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.contains("This port uses TLS. Use a URL that begins with `https://`."));
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let (mut client, mut answer) = (server.tcp(), String::new());
    client.write_all(preface).unwrap();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
}

#[test]
fn a_new_certificate_is_used_without_a_restart() {
    let server = TlsServer::start();
    let mut open = server.client();
    ask(&mut open, "/client", &[]);
    answer(&mut open);
    let is_used = |certificate| {
        let mut client = server.connect(trusting(certificate, &TLS13, &[]), NAME);
        client.write_all(b"GET / HTTP/1.1\r\n").is_ok()
    };
    std::fs::write(server.folder.path().join("key.pem"), "no key").unwrap();
    let running = server.running.as_ref().unwrap();
    let error = running.reload_certificate().unwrap_err().to_string();
    assert!(error.contains("key.pem` has no private key"), "{error}");
    assert!(is_used(&server.certificate), "the last certificate stays in use");
    let second = write_certificate(&server.folder);
    running.reload_certificate().unwrap();
    assert!(is_used(&second) && !is_used(&server.certificate));
    let third = write_certificate(&server.folder);
    let begun = std::time::Instant::now();
    while !is_used(&third) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the server looks at the files");
        std::thread::sleep(Duration::from_millis(100));
    }
    ask(&mut open, "/client", &[]);
    assert!(answer(&mut open).0.starts_with("HTTP/1.1 200 OK"), "open connections go on");
}

/// A client knows that nothing is missing (RFC 8446 §6.1).
#[test]
fn a_server_that_stops_ends_its_connections_in_order() {
    let mut server = TlsServer::start();
    let mut client = server.client();
    ask(&mut client, "/long", &[]);
    assert_eq!(answer(&mut client).1.len(), (8 << 20) + 2);
    let running = server.running.take().unwrap();
    let stops = std::thread::spawn(move || running.stop().unwrap());
    let mut rest = vec![];
    client.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    stops.join().unwrap();
}

/// Conformance 46, 149: a client that sends a body that is too large gets the response, also over
/// TLS.
#[test]
fn a_body_that_is_too_large_is_refused_over_tls() {
    let server = TlsServer::of(
        nouns::Api::new("Zoos").route(
            Method::POST,
            "/large",
            |_: nouns::RouteRequest| async move { nouns::Answer::json(StatusCode::OK, &()) },
        ),
        |server| server,
    );
    let mut client = server.connect(server.config(&TLS12, &[]), NAME);
    let length = 8 << 20;
    let head = format!("POST /large HTTP/1.1\r\nhost: {NAME}\r\ncontent-length: {length}\r\n\r\n");
    client.write_all(head.as_bytes()).unwrap();
    for _ in 0..length / 65_536 {
        if let Err(error) = client.write_all(&[b'a'; 65_536]) {
            panic!("the client can send all of it, and then read: {error}");
        }
    }
    let mut answer = vec![0; 12];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
}

#[test]
fn a_certificate_that_cannot_be_used_is_named_with_its_repair() {
    use nouns::__runtime::server::Tls;
    let folder = tempfile::tempdir().unwrap();
    write_certificate(&folder);
    let other = tempfile::tempdir().unwrap();
    write_certificate(&other);
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("empty.pem"), "").unwrap();
    std::fs::write(file("secret.pem"), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n").unwrap();
    for (certificate, key, says) in [
        (file("none.pem"), file("key.pem"), "No such file"),
        (file("zoo.pem"), file("none.pem"), "name a PEM file that exists"),
        (file("key.pem"), file("zoo.pem"), "are the two files swapped?"),
        (file("zoo.pem"), file("zoo.pem"), "has no private key: it has a certificate"),
        (file("empty.pem"), file("key.pem"), "must begin with `-----BEGIN CERTIFICATE-----`"),
        (file("zoo.pem"), file("secret.pem"), "decrypt it with `openssl pkey"),
        (file("zoo.pem"), other.path().join("key.pem"), "does not belong to the first certificate"),
        (file("zoo.pem"), folder.path().into(), "is no file"),
    ] {
        let error = Tls::files(certificate, key).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// Reads until the connection has ended in any way. Returns whether it ended in order.
fn ends(client: &mut impl std::io::Read) -> bool {
    let mut rest = vec![];
    match client.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => {
            let kinds =
                [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::InvalidData];
            assert!(kinds.contains(&error.kind()), "{error}");
            false
        }
    }
}
