//! A server with TLS for tests, and clients that trust its certificate.

use std::{
    fs,
    net::{SocketAddr, TcpStream},
    num::NonZero,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use nouns::{
    __runtime::server::{ListenAddress, RunningServer, Server, Tls},
    Answer, Api, RouteRequest, Service,
    http::{Method, StatusCode},
};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName},
    version::{TLS12, TLS13},
};

/// The name in the certificate of a test.
pub(super) const NAME: &str = "zoo.localhost";

/// Both versions of TLS.
pub(super) const VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

/// A client with TLS.
pub(super) type TlsClient = StreamOwned<ClientConnection, TcpStream>;

/// A server with TLS, with a certificate of its own in two files.
pub(super) struct TlsServer {
    pub(super) certificate: CertificateDer<'static>,
    pub(super) folder: tempfile::TempDir,
    pub(super) running: Option<RunningServer>,
}

/// Writes a new certificate and its key into two files.
pub(super) fn write_certificate(folder: &tempfile::TempDir) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    fs::write(folder.path().join("zoo.pem"), made.cert.pem()).unwrap();
    fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

/// An API whose route `/client` says what the server knows about the client, `/long` has a long
/// content, and `/large` takes one.
pub(super) fn service(folder: &tempfile::TempDir, api: Api) -> Service {
    let client = |request: RouteRequest| async move {
        let client = request.client().unwrap();
        let address = client.address.map(|address| address.to_string());
        Answer::json(StatusCode::OK, &(client.scheme.as_str(), address))
    };
    let long = |_: RouteRequest| async move { Answer::json(StatusCode::OK, &"a".repeat(8 << 20)) };
    let api = api.route(Method::GET, "/client", client).route(Method::GET, "/long", long);
    api.open(folder.path().join("zoo.db").to_str().unwrap()).unwrap()
}

impl TlsServer {
    /// Starts a server with TLS.
    pub(super) fn start() -> Self {
        Self::of(Api::new("Zoos"), |server| server)
    }

    /// Starts a server of an API. `change` changes its listeners.
    pub(super) fn of(api: Api, change: impl FnOnce(Server) -> Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificate = write_certificate(&folder);
        let file = |name| folder.path().join(name);
        let tls = Tls::files(file("zoo.pem"), file("key.pem")).unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(address, NonZero::new(2).unwrap()).unwrap().tls(tls);
        let running = change(server).start(&service(&folder, api)).unwrap();
        Self { certificate, folder, running: Some(running) }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.running.as_ref().unwrap().address().tcp().unwrap()
    }

    pub(super) fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The configuration of a client that speaks one version of TLS, and offers these protocols.
    pub(super) fn config(
        &self,
        version: &'static SupportedProtocolVersion,
        protocols: &[&str],
    ) -> ClientConfig {
        trusting(&self.certificate, version, protocols)
    }

    /// Opens a connection of HTTP/1.1.
    pub(super) fn client(&self) -> TlsClient {
        self.connect(self.config(&TLS13, &["http/1.1"]), NAME)
    }

    pub(super) fn connect(&self, config: ClientConfig, name: &str) -> TlsClient {
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        StreamOwned::new(session, self.tcp())
    }

    /// The path of a Unix socket for the server.
    pub(super) fn socket(folder: &tempfile::TempDir) -> (PathBuf, ListenAddress) {
        let path = folder.path().join("nouns.sock");
        (path.clone(), ListenAddress::Unix(path))
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop().unwrap();
        }
    }
}

/// The configuration of a client that trusts one certificate.
pub(super) fn trusting(
    certificate: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
    protocols: &[&str],
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().into()).collect();
    config
}

/// Sends a request and reads its response, which ends the connection. Panics if something is
/// missing at the end.
pub(super) fn get(client: &mut (impl std::io::Read + std::io::Write), target: &str) -> String {
    ask(client, target, &[("connection", "close")]);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    answer
}

/// Sends a request with these header fields.
pub(super) fn ask(client: &mut impl std::io::Write, target: &str, fields: &[(&str, &str)]) {
    let fields: String =
        fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("GET {target} HTTP/1.1\r\nhost: {NAME}\r\n{fields}\r\n");
    client.write_all(request.as_bytes()).unwrap();
}

/// Reads the head and the content of a response whose length is known.
pub(super) fn answer(client: &mut impl std::io::Read) -> (String, Vec<u8>) {
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head
        .split("content-length: ")
        .nth(1)
        .map_or("0", |rest| rest.split("\r\n").next().unwrap());
    let mut content = vec![0; length.parse().unwrap()];
    client.read_exact(&mut content).unwrap();
    (head, content)
}
