//! Tests of `nouns serve` with TLS and on Unix sockets.

use std::{
    fs,
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::{
        fd::OwnedFd,
        unix::net::{UnixListener, UnixStream},
    },
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName},
};

use super::{Serving, ZOO, nouns, run, stderr};

#[test]
fn a_mistake_about_tls_names_its_repair() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, code, says) in [
        (&["--tls-cert", "a.pem"][..], 1, "error: --tls-cert needs --tls-key"),
        (&["--tls-key", "a.pem"], 1, "error: --tls-key needs --tls-cert"),
        (
            &["--tls-cert", "a.pem", "--tls-key", "b.pem"],
            1,
            "error: the certificate cannot be read: `a.pem`: No such file or directory (os error 2); \
             name a PEM file that exists",
        ),
        (
            &["--listen-plain", "127.0.0.1:0"],
            1,
            "a plain listener is for a server with TLS; name a certificate",
        ),
        (
            &["--tls-self-signed", "--listen", "unix:zoo.sock"],
            1,
            "`unix:zoo.sock` is a Unix socket, where TLS is not possible",
        ),
        (&["--tls-self-signed", "--tls-cert", "a.pem"], 2, "cannot be used with"),
        (&["--listen", "unix:"], 1, "is not an address to listen on"),
    ] {
        let output = run(folder.path(), &[&["serve", ZOO], arguments].concat());
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(code));
    }
}

#[test]
fn a_certificate_for_development_is_made_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO, "--tls-self-signed"]);
    let banner = &serving.banner;
    assert!(banner.contains("https://127.0.0.1:") && !banner.contains("http://"), "{banner}");
    assert!(banner.contains("Try:  curl -k --json"), "{banner}");
    let fingerprint = banner.lines().find(|line| line.matches(':').count() == 31).unwrap();
    assert!(fingerprint.trim().len() == 95, "{fingerprint}");
    let url = banner.lines().map(str::trim).find(|line| line.starts_with("https://")).unwrap();
    let address = url.trim_start_matches("https://").trim_end_matches('/');
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut answer = String::new();
    plain.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("This port uses TLS."), "{answer}");
    serving.stop("-TERM");
}

/// A server that is killed at the end of a test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[test]
fn a_unix_socket_is_a_flag_and_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    let start = |command: &mut Command| Killed(command.spawn().unwrap());
    let connect = || {
        let begun = Instant::now();
        loop {
            if let Ok(stream) = UnixStream::connect(folder.path().join("zoo.sock")) {
                return stream;
            }
            assert!(begun.elapsed().as_secs() < 60, "the server must listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let mut command = nouns(folder.path());
    let mut first = start(command.args(["serve", ZOO]).env("NOUNS_LISTEN", "unix:zoo.sock"));
    let mut client = connect();
    client.write_all(b"GET /zoos HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let output = run(folder.path(), &["serve", ZOO, "--listen", "unix:zoo.sock"]);
    assert!(
        stderr(&output).contains("another program listens on unix:zoo.sock"),
        "{}",
        stderr(&output)
    );
    // The file stays behind, and the next server replaces it.
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    assert!(folder.path().join("zoo.sock").exists());
    let mut command = nouns(folder.path());
    let _second = start(command.args(["serve", ZOO, "--listen", "unix:zoo.sock"]));
    connect();
}

/// Sends a request and reads its response, which ends the connection.
fn get(mut client: impl Read + Write) -> String {
    client
        .write_all(b"GET /zoos HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    answer
}

/// Starts the program as systemd does, with two listening sockets.
fn activated(folder: &tempfile::TempDir, first: OwnedFd, second: OwnedFd) -> Command {
    let mut command = Command::new("sh");
    let pass = "exec 3<&0 4<&2 </dev/null 2>&1; LISTEN_FDS=2 LISTEN_PID=$$ exec \"$0\" \"$@\"";
    command.args(["-c", pass, env!("CARGO_BIN_EXE_nouns"), "serve", ZOO]);
    command.current_dir(folder.path()).env_remove("NOUNS_LOG").env("NO_COLOR", "1");
    command.stdin(Stdio::from(first)).stderr(Stdio::from(second)).stdout(Stdio::piped());
    command
}

#[test]
fn sockets_of_the_system_take_the_place_of_both_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let secure = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, path) = (secure.local_addr().unwrap(), folder.path().join("zoo.sock"));
    let plain = UnixListener::bind(&path).unwrap();
    let mut command = activated(&folder, secure.into(), plain.into());
    let server = Killed(command.arg("--tls-self-signed").spawn().unwrap());
    // Both connections wait until the program accepts them.
    let answer = get(UnixStream::connect(&path).unwrap());
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let answer = get(TcpStream::connect(address).unwrap());
    assert!(answer.contains("This port uses TLS."), "{answer}");
    drop(server);
    assert!(path.exists(), "the file belongs to the program that has opened the socket");
}

#[test]
fn a_second_socket_of_the_system_needs_tls() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let output = activated(&folder, first.into(), second.into()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("a plain listener is for a server with TLS"), "{said}");
}

/// Writes a new certificate and its key.
fn write_certificate(folder: &tempfile::TempDir) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["zoo.localhost".to_owned()]).unwrap();
    fs::write(folder.path().join("zoo.pem"), made.cert.pem()).unwrap();
    fs::write(folder.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

/// The status line of a response to a client that trusts a certificate. An error if the server has
/// another one.
fn trusting(certificate: &CertificateDer<'static>, address: SocketAddr) -> io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(config.with_root_certificates(roots).with_no_client_auth());
    let name = ServerName::try_from("zoo.localhost").unwrap();
    let mut session = ClientConnection::new(config, name).unwrap();
    let mut stream = TcpStream::connect(address)?;
    let mut client = rustls::Stream::new(&mut session, &mut stream);
    client.write_all(b"GET / HTTP/1.1\r\nhost: zoo.localhost\r\nconnection: close\r\n\r\n")?;
    let mut answer = String::new();
    client.read_to_string(&mut answer)?;
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}

/// SIGHUP reads the certificate again. One that cannot be used is reported, and the former one
/// stays in use.
#[test]
fn a_hangup_reads_the_certificate_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = write_certificate(&folder);
    let flags = [ZOO, "--tls-cert", "zoo.pem", "--tls-key", "key.pem"];
    let serving = Serving::start(folder.path(), &flags);
    let url = serving.banner.lines().find_map(|line| line.trim().strip_prefix("https://"));
    let address: SocketAddr = url.unwrap().trim_end_matches('/').parse().unwrap();
    let ok = "HTTP/1.1 200 OK";
    assert_eq!(trusting(&first, address).unwrap(), ok);
    fs::write(folder.path().join("key.pem"), "no key").unwrap();
    serving.hang_up("the certificate was not reloaded");
    assert_eq!(trusting(&first, address).unwrap(), ok);
    let second = write_certificate(&folder);
    serving.hang_up("the certificate was read again");
    assert_eq!(trusting(&second, address).unwrap(), ok);
    assert!(trusting(&first, address).is_err());
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("the certificate was not reloaded: the server goes on"), "{log}");
    assert!(log.contains("key.pem` has no private key"), "{log}");
}
