//! Clients that break TLS: the server serves others all the time.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    time::{Duration, Instant},
};

use super::{
    ends,
    server::{TlsServer, VERSIONS, ask, get},
};

/// The first byte of a record with a handshake, and the version in it.
const RECORD: [u8; 3] = [22, 3, 1];

fn is_served(server: &TlsServer) {
    let answer = get(&mut server.client(), "/client");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

/// Conformance 146: the handshake has a deadline, that of a head.
#[test]
fn a_client_that_stalls_in_the_handshake_is_gone_in_time() {
    let server = TlsServer::start();
    let begun = Instant::now();
    let mut clients: Vec<_> = (0..40).map(|_| server.tcp()).collect();
    for (at, client) in clients.iter_mut().enumerate() {
        // Nothing, the beginning of a record, or a record that never ends.
        let sent = [&[][..], &RECORD, &[22, 3, 1, 0x20, 0, 1, 0, 0x1f, 0xfc, 3, 3]][at % 3];
        client.write_all(sent).unwrap();
    }
    is_served(&server);
    for client in &mut clients {
        ends(client);
    }
    let took = begun.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(40)).contains(&took), "{took:?}");
    is_served(&server);
}

#[test]
fn junk_ends_its_connection_alone() {
    let server = TlsServer::start();
    let mut seed = 7_u64;
    for round in 0..50 {
        let junk: Vec<u8> = (0..1000)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                seed.to_be_bytes()[0]
            })
            .collect();
        let begin: &[u8] = [&[][..], &[22], &RECORD, &[22, 3, 3, 3, 0xe0, 1]][round % 4];
        let mut client = server.tcp();
        // The server may have closed the connection by then.
        client.write_all(begin).and_then(|()| client.write_all(&junk)).ok();
        client.shutdown(std::net::Shutdown::Write).ok();
        ends(&mut client);
    }
    is_served(&server);
}

#[test]
fn junk_after_the_handshake_gets_an_alert() {
    let server = TlsServer::start();
    for version in VERSIONS {
        let mut client = server.connect(server.config(version, &[]), super::NAME);
        ask(&mut client, "/client", &[]);
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        client.sock.write_all(&[23, 3, 3, 0, 32]).unwrap();
        client.sock.write_all(&[0; 32]).unwrap();
        let mut rest = vec![];
        let error = client.read_to_end(&mut rest).unwrap_err();
        assert!(
            error.to_string().contains("BadRecordMac")
                || error.kind() == ErrorKind::ConnectionReset,
            "{error}"
        );
    }
    is_served(&server);
}

/// A request whose end is missing is not executed, since an attacker may have cut it off.
#[test]
fn a_connection_that_is_cut_off_is_no_request() {
    let server = TlsServer::start();
    let mut client = server.client();
    client.write_all(b"GET /client HTTP/1.1\r\nhost: zoo.localhost\r\n").unwrap();
    client.sock.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = vec![];
    client.read_to_end(&mut answer).ok();
    assert!(!answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    is_served(&server);
}

/// Handshakes begin one after another, and all of them end.
#[test]
fn many_handshakes_at_once_have_their_turns() {
    let server = TlsServer::start();
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| is_served(&server));
        }
    });
}

/// A client sends only the beginning of a handshake, again and again.
#[test]
fn many_clients_that_begin_a_handshake_do_not_stop_others() {
    let server = TlsServer::start();
    for _ in 0..200 {
        let mut client = server.tcp();
        client.write_all(&RECORD).unwrap();
        drop(client);
    }
    is_served(&server);
}
