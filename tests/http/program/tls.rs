//! Tests of `nouns serve` with TLS and on Unix sockets.

use std::{
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    process::{Child, Command},
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
    let mut plain = std::net::TcpStream::connect(address).unwrap();
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
        let begun = std::time::Instant::now();
        loop {
            if let Ok(stream) = UnixStream::connect(folder.path().join("zoo.sock")) {
                return stream;
            }
            assert!(begun.elapsed().as_secs() < 60, "the server must listen");
            std::thread::sleep(std::time::Duration::from_millis(20));
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
