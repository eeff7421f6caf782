//! The same over TLS: a client that reads too slowly is disconnected, and knows what is missing.

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring::default_provider,
    pki_types::ServerName,
};

use super::*;
use crate::server::tls::Tls;

type TlsClient = StreamOwned<ClientConnection, Client>;

/// A content that TLS takes at once, and the small buffers of the system do not.
const SMALL: usize = 48 * 1024;

/// The size of those buffers.
const BUFFER: usize = 4 * 1024;

/// Serves one connection with TLS. Returns a client that has sent a request, and whether the server
/// found it too slow.
fn serve_tls(content: Content, version: &str) -> (TlsClient, std::sync::mpsc::Receiver<bool>) {
    let made = rcgen::generate_simple_self_signed(["zoo.test".to_owned()]).unwrap();
    let tls =
        Tls::pem(made.cert.pem().as_bytes(), made.signing_key.serialize_pem().as_bytes()).unwrap();
    let is_small = matches!(content, Content::Bytes(SMALL));
    let (address, _, is_stalled) = serve_by(content, move |stream| async move {
        if is_small {
            SockRef::from(&stream).set_send_buffer_size(BUFFER).unwrap();
        }
        Transport::Tls(Box::new(tls.accept(stream).await.map_err(|(error, _)| error).unwrap()))
    });
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("zoo.test").unwrap();
    let session = ClientConnection::new(Arc::new(config), name).unwrap();
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    if is_small {
        socket.set_recv_buffer_size(BUFFER).unwrap();
    }
    socket.connect(&address.into()).unwrap();
    let stream = Client::from(socket);
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut client = StreamOwned::new(session, stream);
    client.write_all(format!("GET / HTTP/{version}\r\nhost: zoo.test\r\n\r\n").as_bytes()).unwrap();
    (client, is_stalled)
}

fn read_all(mut client: TlsClient, pause: Duration) -> (usize, io::Result<()>) {
    let (mut read, mut piece) = (0, vec![0; 1 << 20]);
    loop {
        match client.read(&mut piece) {
            Ok(0) => return (read, Ok(())),
            Ok(bytes) => read += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (read, Err(error)),
        }
        thread::sleep(pause);
    }
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let (client, is_stalled) = serve_tls(Content::Bytes(LARGE), "1.1");
    assert!(is_stalled.recv_timeout(50 * STALL).unwrap());
    let (bytes, end) = read_all(client, Duration::ZERO);
    assert!(bytes < LARGE && end.is_err(), "{bytes}: {end:?}");
}

/// TLS has taken all of the response, but the system has not.
#[test]
fn a_client_that_does_not_read_the_last_bytes_is_disconnected() {
    let (_client, is_stalled) = serve_tls(Content::Bytes(SMALL), "1.1");
    assert!(is_stalled.recv_timeout(50 * STALL).unwrap());
}

#[test]
fn one_that_reads_without_haste_gets_all_of_it() {
    let (client, _) = serve_tls(Content::Bytes(4 << 20), "1.0");
    let (bytes, end) = read_all(client, Duration::from_micros(100));
    assert!(bytes > 4 << 20 && end.is_ok(), "{bytes}: {end:?}");
}

#[test]
fn content_that_is_cut_off_never_looks_complete() {
    let pause = Duration::from_millis(50);
    let (failed, _) = serve_tls(Content::Stream { ends: false, pause }, "1.0");
    let (bytes, end) = read_all(failed, Duration::ZERO);
    assert!(end.is_err(), "{bytes}");
    let (whole, _) = serve_tls(Content::Stream { ends: true, pause }, "1.0");
    let (bytes, end) = read_all(whole, Duration::ZERO);
    assert!(bytes > 100_001 && end.is_ok(), "{bytes}: {end:?}");
}
