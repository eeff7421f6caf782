//! Measures a client that behaves well, first alone and then beside many hostile clients.
//!
//! The measurement fails if the server logs an error, is not ready, refuses or breaks a request of
//! that client, or needs ever more memory. It prints how much slower the client becomes. A slower
//! client is a failure only with `--slowdown-max`.

mod attack;
mod connection;
mod guest;
mod health;

use std::{
    ffi::OsStr,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;

use self::{
    attack::{ATTACKS, Attack, Count},
    guest::{Guest, Latencies},
    health::Health,
};
use crate::{child::Child, say, start::Program, workload};

/// The number of members with a large `json` field, and the size of that field in bytes.
const DOCUMENTS: u64 = 40;
const DOCUMENT_BYTES: usize = 400 * 1024;
/// The number of zoos. Each zoo has a hundred animals.
const ZOOS: u64 = 200;

/// The options of `hostile`.
#[derive(Args, Debug)]
pub(crate) struct Hostile {
    /// How long the attacks last, in seconds. Before the attacks, the client runs alone for a tenth
    /// of this time: at least 5 s, and at most 60 s.
    #[arg(long, default_value_t = 7200)]
    seconds: u64,
    /// The time that a row of the result covers, in seconds.
    #[arg(long, default_value_t = 60)]
    row_seconds: u64,
    /// Runs only attacks whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// Fails if the p99 of the client that behaves well grows by more than this factor.
    #[arg(long)]
    slowdown_max: Option<f64>,
    /// Keeps the database and the log of the server in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    program: Program,
}

/// The options of `hostile-victim`, a client process that `hostile` starts and kills.
#[derive(Args, Debug)]
pub(crate) struct Victim {
    address: SocketAddr,
}

impl Victim {
    pub(crate) fn run(self) -> io::Result<()> {
        let going = AtomicBool::new(true);
        attack::flood(self.address, &going, &Count::default());
        Ok(())
    }
}

/// The address of the server, and whether the client and the attacks should continue.
struct Field {
    server: SocketAddr,
    going: AtomicBool,
}

impl Hostile {
    pub(crate) fn run(self) -> io::Result<()> {
        let temporary = tempfile::tempdir()?;
        let folder = self.keep.clone().unwrap_or_else(|| temporary.path().into());
        fs::create_dir_all(&folder)?;
        let schema = folder.join("hostile.yaml");
        fs::write(&schema, schema_text())?;
        let database = folder.join("hostile.db");
        let flags = ["--log", "info,nouns::request=warn"];
        let server = self.program.serve(&schema, &database, &flags)?;
        fill(server.address)?;
        let failures = self.attacked(&server, &database)?;
        let begun = Instant::now();
        server.stop()?;
        say(&format!(
            "\nAfter SIGTERM the server ended within {:.1} s.",
            begun.elapsed().as_secs_f64()
        ));
        if failures.is_empty() {
            say("The server passed all checks.");
            return Ok(());
        }
        Err(io::Error::other(failures.join("\n       ")))
    }

    /// Measures the client that behaves well, first alone, then beside the attacks. Returns the
    /// failures.
    fn attacked(&self, server: &Child, database: &Path) -> io::Result<Vec<String>> {
        let quiet = Duration::from_secs((self.seconds / 10).clamp(5, 60));
        let field = Arc::new(Field { server: server.address, going: AtomicBool::new(true) });
        let guest = Guest::start(&field);
        let mut health = Health::new(server, database);
        thread::sleep(quiet / 5);
        guest.take();
        thread::sleep(quiet);
        let alone = guest.take();
        health.look()?;
        say(&format!("Without attacks: {alone}.\n"));
        say(
            "| minutes | p50, p99, most in ms | refused | RSS, MiB | WAL, MiB | threads | attacks |",
        );
        say("|---:|---|---:|---:|---:|---:|---|");
        let attacks: Vec<_> =
            ATTACKS.iter().filter(|attack| attack.name.contains(&self.only)).collect();
        let counts: Vec<_> = attacks.iter().map(|attack| start(attack, &field)).collect();
        let begun = Instant::now();
        let mut rows = vec![];
        while begun.elapsed() < Duration::from_secs(self.seconds) {
            rest(Duration::from_secs(self.row_seconds), &mut health)?;
            let done: Vec<String> = attacks
                .iter()
                .zip(&counts)
                .map(|(attack, count)| format!("{} {}", attack.name, count.take()))
                .collect();
            let latencies = guest.take();
            say(&health.row(begun.elapsed(), &latencies, &done.join(", ")));
            rows.push(latencies);
        }
        field.going.store(false, Ordering::Relaxed);
        let beside = Latencies::all(rows);
        say(&format!("\nWithout attacks: {alone}.\nDuring the attacks: {beside}."));
        let mut failures = health.failures()?;
        failures.extend(beside.failures(&alone, self.slowdown_max));
        failures.extend(guest.end());
        Ok(failures)
    }
}

/// Waits for this time, and checks the server every second.
fn rest(time: Duration, health: &mut Health<'_>) -> io::Result<()> {
    let until = Instant::now() + time;
    while Instant::now() < until {
        thread::sleep(Duration::from_secs(1));
        health.look()?;
    }
    Ok(())
}

/// Starts the threads of an attack. They stop when `field.going` is false.
fn start(attack: &'static Attack, field: &Arc<Field>) -> Arc<Count> {
    let count = Arc::new(Count::default());
    for _ in 0..attack.threads {
        let (field, count) = (Arc::clone(field), Arc::clone(&count));
        thread::spawn(move || {
            yield_to_others();
            while field.going.load(Ordering::Relaxed) {
                (attack.run)(field.server, &field.going, &count);
                thread::sleep(attack.pause);
            }
        });
    }
    count
}

/// Lowers the priority of this thread and of the processes that it starts. Real clients have
/// machines of their own, so this work must not take time from the server or the measured client.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    rustix::process::setpriority_process(None, 19).ok();
}

/// Starts this program as a client process that will be killed.
fn victim(server: SocketAddr) -> io::Result<std::process::Child> {
    let address = server.to_string();
    let arguments: [&OsStr; 2] = [OsStr::new("hostile-victim"), OsStr::new(&address)];
    std::process::Command::new(std::env::current_exe()?).args(arguments).spawn()
}

/// The schema of the zoo with an additional collection of documents.
fn schema_text() -> String {
    let documents = "  document:\n    fields:\n      title: { type: string, required: true }\n      content: json\n";
    workload::schema() + documents
}

fn fill(server: SocketAddr) -> io::Result<()> {
    workload::fill(ZOOS, |path, body| workload::create(server, path, body))?;
    for at in 1..=DOCUMENTS {
        let content = attack::object(DOCUMENT_BYTES / attack::MEMBER_BYTES);
        workload::create(
            server,
            "/documents",
            &format!(r#"{{"title":"Document {at}","content":{content}}}"#),
        )?;
    }
    Ok(())
}
