//! Ten thousand clients that open a connection and say nothing, from several addresses.

use std::{
    io::Read as _,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    thread,
    time::Duration,
};

use serde_json::json;
use socket2::{Domain, Socket, Type};

use super::{Serving, ZOO};

/// The number of connections.
const CROWD: usize = 10_000;

/// The addresses of the attackers, from this one on. Each may have 4,096 connections.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const ADDRESSES: u32 = 4;

fn connect(to: SocketAddr, number: usize) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let from = Ipv4Addr::from_bits(FIRST.to_bits() + number as u32 % ADDRESSES);
    socket.set_reuse_address(true).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.into()
}

/// Conformance 146: idle connections cost others nothing, and are gone within their time.
#[test]
fn ten_thousand_idle_connections_harm_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--log", "warn"]);
    let mut client = serving.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    let address = serving.address();
    let mut crowd = Vec::with_capacity(CROWD);
    for number in 0..CROWD {
        crowd.push(connect(address, number));
        if number % 1000 == 0 {
            // An open connection and a new one are served.
            assert_eq!(client.get("/zoos/1").status(), 200);
            assert_eq!(serving.client().get("/zoos/1").status(), 200);
        }
    }
    // Those that are silent stay, and the others are served all the time.
    for _ in 0..20 {
        assert_eq!(client.get("/zoos/1").status(), 200);
        assert_eq!(serving.client().get("/zoos/1").status(), 200);
        thread::sleep(Duration::from_secs(1));
    }
    for silent in &mut crowd {
        assert_eq!(silent.read_to_end(&mut vec![]).unwrap(), 0, "the end, without a word");
    }
    assert_eq!(serving.client().get("/zoos/1").status(), 200);
    let (code, log) = serving.stop("-TERM");
    assert_eq!((code, log.as_str()), (Some(0), ""));
}
