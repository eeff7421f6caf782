//! Clients that open very many connections. Those that attack and those that behave well have
//! different addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use nouns::Limit;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

use crate::server::TestServer;

/// The address of the client that opens the connections.
const CROWD: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn connect(server: &TestServer, from: Ipv4Addr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(SocketAddr::new(IpAddr::V4(from), 0)).unwrap();
    socket.connect(server.address()).await.unwrap()
}

/// A request, of which a connection of the crowd sends the first line alone. So it is not idle:
/// idle connections give way to new ones.
const REQUEST: [&[u8]; 2] =
    [b"GET /zoos HTTP/1.1\r\n", b"host: zoo.localhost\r\nconnection: close\r\n\r\n"];

const ZOO: &str = "
nouns: 1
server: { timeouts: { head: 10m } }
resources:
  zoo: { fields: { name: string } }
";

/// Sends parts of the request, and returns the response.
async fn send(stream: &mut TcpStream, parts: &[&[u8]]) -> String {
    stream.write_all(&parts.concat()).await.ok();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok();
    answer
}

/// One address has a limit of connections. Further ones are refused at once, and other addresses
/// are served.
#[test]
fn one_address_does_not_take_all_connections() {
    let server = TestServer::of(ZOO);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut crowd = vec![];
        while crowd.len() < usize::try_from(Limit::ClientConnections.default()).unwrap() {
            let mut one = connect(&server, CROWD).await;
            one.write_all(REQUEST[0]).await.unwrap();
            crowd.push(one);
            if crowd.len() % 512 == 0 {
                assert_eq!(server.client().get("/zoos").status(), 200);
            }
        }
        // A connection that the server accepted after a later one would be the one too many.
        server.wait_until_accepted();
        let mut refused = connect(&server, CROWD).await;
        let mut answer = String::new();
        refused.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
        assert!(answer.contains("\r\nretry-after: "), "{answer}");
        assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
        assert!(answer.contains("/-/problems/unavailable"), "{answer}");
        assert_eq!(server.client().get("/zoos").status(), 200);
        // The connections that are there are served, too.
        let mut one = crowd.pop().unwrap();
        assert!(send(&mut one, &REQUEST[1..]).await.starts_with("HTTP/1.1 200 OK\r\n"));
        drop((crowd, one));
        // A place is free when the server has seen the end of a connection.
        loop {
            let answer = send(&mut connect(&server, CROWD).await, &REQUEST).await;
            if answer.starts_with("HTTP/1.1 200 OK\r\n") {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    });
}
