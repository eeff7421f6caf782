//! Measures what it costs to know a caller: a member is read anonymously, with a session, with a
//! token, with a token of another issuer and with a password. Also measures the time to refuse a
//! known and an unknown login.

use std::{
    fs, io,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use clap::Args;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value as Json, json};
use sha2::Sha256;

use crate::{
    child::Child,
    client::{Traffic, ask},
    median, say,
    start::Program,
    turn::{Turn, cpu, percent, spread},
    workload::{Random, send},
};

/// The options of `sessions`.
#[derive(Args, Debug)]
pub(crate) struct Sessions {
    #[command(flatten)]
    program: Program,
    /// How often each server has its turn.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// The duration of a turn, in milliseconds.
    #[arg(long, default_value_t = 1000)]
    turn_millis: u64,
    /// The number of keep-alive connections.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    /// How many wrong passwords are tried, for each of the two logins.
    #[arg(long, default_value_t = 40)]
    attempts: usize,
}

const SCHEMA: &str = "
nouns: 1
auth:
  accounts: user
  login: login
  session: { store: STORE }
  jwt: { keys: KEYS, issuer: bench, audience: bench, claims: { login: sub } }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
  zoo:
    fields: { name: { type: string, required: true, max_length: 100 } }
    access: { read: public, create: public }
";

/// The number of members that are read.
const ZOOS: u64 = 1000;

/// The secret that the other issuer and the server share.
const ISSUER_KEY: [u8; 32] = [7; 32];

const PASSWORD: &str = "correct horse battery";

impl Sessions {
    pub(crate) fn run(self) -> io::Result<()> {
        say("| sessions in | caller | requests per second | of anonymous | processor µs |");
        say("|---|---|---:|---:|---:|");
        for store in ["memory", "file", "database"] {
            self.measure(store)?;
        }
        self.attempts()
    }

    fn measure(&self, store: &str) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let server = self.server(folder.path(), store, &["--cache", "0"])?;
        let mut body = vec![];
        for number in 1..=ZOOS {
            body.clear();
            send(&mut body, "POST", "/zoos", &format!(r#"{{"name":"zoo {number}"}}"#));
            ask(server.address, &body)?;
        }
        let callers = [
            ("anonymous", String::new()),
            ("session", format!("cookie: {}\r\n", secret(&server, "/sessions", "session=", ";")?)),
            (
                "token",
                format!(
                    "authorization: Bearer {}\r\n",
                    secret(&server, "/tokens", "nouns_", "\"")?
                ),
            ),
            ("JWT", format!("authorization: Bearer {}\r\n", issued()?)),
            ("password", format!("authorization: {}\r\n", basic())),
        ];
        let time = Duration::from_millis(self.turn_millis);
        let mut turns: Vec<Vec<Turn>> = callers.iter().map(|_| vec![]).collect();
        for _ in 0..self.rounds {
            for ((_, field), turns) in callers.iter().zip(&mut turns) {
                let traffic = Traffic { next: point, detail: field.clone(), statuses: &[200] };
                turns.push(Turn::of(&server, &traffic, self.connections, time)?);
            }
        }
        for ((name, _), own) in callers.iter().zip(&turns) {
            let share = percent(&turns[0], own).unwrap_or_default();
            say(&format!("| {store} | {name} | {} | {share:.0} % | {} |", spread(own), cpu(own)));
        }
        server.stop()
    }

    /// Compares the time of a refused sign-in for a login that exists and one that does not. The
    /// two alternate.
    fn attempts(&self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let server = self.server(folder.path(), "memory", &["--trusted-proxy", "127.0.0.1"])?;
        let (mut known, mut unknown) = (vec![], vec![]);
        for number in 0..self.attempts {
            // The limit counts for each address, so each pair comes from another one.
            let from = format!("127.0.{}.{}", number / 200 + 1, number % 200 + 1);
            let nobody = format!("nobody {}", number / 8);
            for (login, times) in [("ann", &mut known), (&*nobody, &mut unknown)] {
                let body = format!(r#"{{"login":"{login}","password":"wrong {number}"}}"#);
                let request = format!(
                    "POST /sessions HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {from}\r\n\
                     content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let begun = Instant::now();
                let (status, answer) = ask(server.address, request.as_bytes())?;
                match status {
                    401 => times.push(begun.elapsed().as_secs_f64() * 1000.0),
                    429 => {}
                    _ => return Err(io::Error::other(answer)),
                }
            }
            if number % 8 == 7 {
                // A right password forgives the failures of its login.
                secret(&server, "/sessions", "session=", ";")?;
            }
        }
        say(&format!(
            "\nA refused sign-in took {:.1} ms for a known login ({} times), and {:.1} ms for an unknown one ({} times).",
            median(known.iter().copied()),
            known.len(),
            median(unknown.iter().copied()),
            unknown.len(),
        ));
        server.stop()
    }

    fn server(&self, folder: &Path, store: &str, flags: &[&str]) -> io::Result<Child> {
        let (schema, database) = (folder.join("zoo.yaml"), folder.join("zoo.db"));
        let keys = folder.join("jwks.json");
        let key = URL_SAFE_NO_PAD.encode(ISSUER_KEY);
        let key = json!({ "kty": "oct", "alg": "HS256", "kid": "1", "k": key });
        fs::write(&keys, json!({ "keys": [key] }).to_string())?;
        let text = SCHEMA.replace("STORE", store).replace("KEYS", &keys.to_string_lossy());
        fs::write(&schema, text)?;
        let mut add = Command::new(self.program.path()?);
        add.args(["account", "add"]).arg(&schema).args(["ann", "--password-stdin", "--database"]);
        let mut add = add.arg(&database).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        io::Write::write_all(
            &mut add.stdin.take().ok_or_else(|| io::Error::other("no input"))?,
            format!("{PASSWORD}\n").as_bytes(),
        )?;
        if !add.wait()?.success() {
            return Err(io::Error::other("the account was not added"));
        }
        self.program.serve(&schema, &database, flags)
    }
}

fn point(random: &mut Random, to: &mut Vec<u8>, field: &str) {
    let zoo = random.to(ZOOS);
    to.extend(format!("GET /zoos/{zoo} HTTP/1.1\r\nhost: localhost\r\n{field}\r\n").bytes());
}

/// Signs in, or makes a token, and returns the secret: the text that begins with `mark` and ends
/// before `end`.
fn secret(server: &Child, path: &str, mark: &str, end: &str) -> io::Result<String> {
    let body = match path {
        "/tokens" => r#"{"name":"bench"}"#.to_owned(),
        _ => format!(r#"{{"login":"ann","password":"{PASSWORD}"}}"#),
    };
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        basic(),
        body.len()
    );
    let (_, answer) = ask(server.address, request.as_bytes())?;
    let found = answer.find(mark).and_then(|at| answer[at..].split(end).next());
    found.map(str::to_owned).ok_or_else(|| io::Error::other(answer.clone()))
}

/// `Authorization` of the account.
fn basic() -> String {
    format!("Basic {}", STANDARD.encode(format!("ann:{PASSWORD}")))
}

/// A token of another issuer for the account, which is valid for an hour.
fn issued() -> io::Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
    let header = json!({ "alg": "HS256", "typ": "JWT", "kid": "1" });
    let until = now.as_secs() + 3600;
    let claims = json!({ "iss": "bench", "aud": "bench", "sub": "ann", "exp": until });
    let part = |json: Json| URL_SAFE_NO_PAD.encode(json.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(&ISSUER_KEY).map_err(io::Error::other)?;
    mac.update(signed.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    Ok(format!("{signed}.{signature}"))
}
