//! Counts the instructions that a request over a connection of HTTP/1 costs the whole server, with
//! valgrind. Unlike times, the counts hardly change on a busy machine.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Args;

use crate::{
    child::Child,
    client::Visitor,
    grouped, say,
    start::Program,
    workload::{self, Random, Workload},
};

/// The number of requests before those that are counted. They fill caches and prepare statements.
const FIRST: u32 = 5000;

/// The options of `wire`.
#[derive(Args, Debug)]
pub(crate) struct Wire {
    /// How many requests are counted.
    #[arg(long, default_value_t = 2000)]
    requests: u32,
    /// The path of another `nouns` program to compare with, such as one of an earlier version.
    #[arg(long, value_name = "PROGRAM")]
    before: Option<PathBuf>,
    #[command(flatten)]
    program: Program,
}

impl Wire {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (schema, database) = (folder.path().join("zoo.yaml"), folder.path().join("zoo.db"));
        fs::write(&schema, workload::schema())?;
        let server = self.program.serve(&schema, &database, &[])?;
        workload::fill(workload::ZOOS, |path, body| workload::create(server.address, path, body))?;
        server.stop()?;
        let program = self.program.path()?;
        let programs: Vec<&Path> = self.before.as_deref().into_iter().chain([&*program]).collect();
        say("| request | instructions: before, now | change |\n|---|---|---:|");
        for (name, cache, work) in [
            ("GET a zoo from the cache", "8", workload::POINT_CACHED),
            ("GET a zoo", "0", workload::POINT),
            ("GET 20 animals, filtered and sorted", "0", workload::FILTERED),
            ("PATCH an animal", "0", workload::PATCH),
        ] {
            let count = |program: &&Path| {
                let count = |requests| count(program, [&schema, &database], cache, &work, requests);
                Ok(count(FIRST + self.requests)?.saturating_sub(count(FIRST)?)
                    / u64::from(self.requests))
            };
            let counts = programs.iter().map(count).collect::<io::Result<Vec<_>>>()?;
            let change = counts[counts.len() - 1] as f64 / counts[0] as f64 - 1.0;
            let counts: Vec<_> = counts.iter().map(|count| grouped(*count)).collect();
            say(&format!("| {name} | {} | {:+.1} % |", counts.join(", "), 100.0 * change));
        }
        Ok(())
    }
}

/// The instructions of a server from its start to its end, with this number of requests on a
/// connection.
fn count(
    program: &Path,
    [schema, database]: [&Path; 2],
    cache: &str,
    work: &Workload,
    requests: u32,
) -> io::Result<u64> {
    let log = database.with_extension("counted");
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(format!("--log-file={}", log.display())).arg(program).arg("serve").arg(schema);
    command.args(["--listen", "127.0.0.1:0", "--log", "warn", "--cache", cache]);
    let server = Child::start(command.arg("--database").arg(database))?;
    let (traffic, _) = work.traffic(server.address)?;
    let (mut random, mut connection) = (Random::new(1), Visitor::open(server.address)?);
    for _ in 0..requests {
        let mut request = vec![];
        (traffic.next)(&mut random, &mut request, &traffic.detail);
        let status = connection.ask(&request)?;
        if !traffic.statuses.contains(&status) {
            return Err(io::Error::other(format!("a request got {status}")));
        }
    }
    drop(connection);
    server.stop()?;
    let text = fs::read_to_string(&log)?;
    let line = text.lines().find_map(|line| line.split_once("refs:"));
    let digits = line.map(|(_, count)| count.trim().replace(',', ""));
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| io::Error::other(format!("valgrind did not count the instructions: {text}")))
}
