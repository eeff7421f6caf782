//! Measures the time from the start of the program to its first response. Measures its memory
//! before, during and after load.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use clap::Args;

use crate::{
    child::Child,
    client::{ask, load},
    median,
    memory::Memory,
    say, workload,
};

/// The options of `start`.
#[derive(Args, Debug)]
pub(crate) struct Start {
    /// How many times each server is started.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How long each load is, in seconds.
    #[arg(long, default_value_t = 10)]
    load_seconds: u64,
    /// The number of connections that are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    #[command(flatten)]
    program: Program,
}

/// The option for the program to measure.
#[derive(Args, Clone, Debug)]
pub(crate) struct Program {
    /// The path of the `nouns` program to measure [default: the one beside this program].
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Program {
    /// Selects the program at a path.
    pub(crate) fn at(path: &Path) -> Self {
        Self { program: Some(path.into()) }
    }

    /// The path of the program.
    pub(crate) fn path(&self) -> io::Result<PathBuf> {
        let beside = || Ok::<_, io::Error>(std::env::current_exe()?.with_file_name("nouns"));
        self.program.clone().map_or_else(beside, Ok)
    }

    /// Starts `nouns serve` with a schema and a database. The log goes to a file beside the
    /// database.
    pub(crate) fn serve(
        &self,
        schema: &Path,
        database: &Path,
        flags: &[&str],
    ) -> io::Result<Child> {
        Child::start(&mut self.command(schema, database, flags)?)
    }

    /// Starts `nouns serve` with TLS, and a second listener without it. Returns the address with
    /// TLS, too.
    pub(crate) fn serve_tls(
        &self,
        schema: &Path,
        database: &Path,
        flags: &[&str],
    ) -> io::Result<(Child, SocketAddr)> {
        let mut command = self.command(schema, database, flags)?;
        command.args(["--tls-self-signed", "--listen-plain", "127.0.0.1:0"]);
        let (child, addresses) =
            Child::start_at(&mut command, &["https://", "Without TLS:  http://"])?;
        Ok((child, addresses[0]))
    }

    fn command(&self, schema: &Path, database: &Path, flags: &[&str]) -> io::Result<Command> {
        let mut command = Command::new(self.path()?);
        command.arg("serve").arg(schema).args(["--listen", "127.0.0.1:0"]).args(flags);
        // The name of a database that is not a file is a URL.
        let beside = if database.is_absolute() { database } else { schema };
        let log = File::create(beside.with_extension("log"))?;
        command.arg("--database").arg(database).stderr(log);
        Ok(command)
    }
}

/// Starts a server. Returns the milliseconds from its start to its first response, and the server.
pub(crate) fn first_answer(
    start: impl FnOnce() -> io::Result<Child>,
    path: &str,
) -> io::Result<(f64, Child)> {
    let begun = Instant::now();
    let server = start()?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    match ask(server.address, request.as_bytes())? {
        (200, _) => Ok((begun.elapsed().as_secs_f64() * 1000.0, server)),
        (_, answer) => Err(io::Error::other(answer)),
    }
}

/// A schema file, its database file, and the program that serves them.
struct SchemaFiles<'program> {
    schema: PathBuf,
    database: PathBuf,
    program: &'program Program,
}

impl SchemaFiles<'_> {
    fn serve(&self) -> io::Result<Child> {
        self.program.serve(&self.schema, &self.database, &[])
    }
}

impl Start {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let subject = |name: &str, text: &str| {
            let schema = folder.path().join(name).with_extension("yaml");
            fs::write(&schema, text)?;
            Ok::<_, io::Error>(SchemaFiles {
                database: schema.with_extension("db"),
                schema,
                program: &self.program,
            })
        };
        let empty = subject("empty", include_str!("../../schemas/zoo.yaml"))?;
        let full = subject("full", &workload::schema())?;
        empty.serve()?.stop()?;
        let filled = full.serve()?;
        workload::fill(workload::ZOOS, |path, body| workload::create(filled.address, path, body))?;
        filled.stop()?;
        self.starts(&empty, &full)?;
        self.memory(&empty, &full)
    }

    /// Measures the starts of the servers, alternately.
    fn starts(&self, empty: &SchemaFiles<'_>, full: &SchemaFiles<'_>) -> io::Result<()> {
        let hello = || Child::own(&[OsStr::new("hello")]);
        let mut times = [vec![], vec![], vec![]];
        for _ in 0..self.rounds {
            times[0].push(first_answer(hello, "/100")?.0);
            for (at, subject) in [empty, full].into_iter().enumerate() {
                let (millis, server) = first_answer(|| subject.serve(), "/zoos")?;
                server.stop()?;
                times[at + 1].push(millis);
            }
        }
        say("| from exec to the first answer | median, ms | extremes, ms |\n|---|---:|---:|");
        let names = [
            "the bare hyper server",
            "`nouns serve`, empty database",
            "`nouns serve`, 100,000 animals",
        ];
        for (name, times) in names.iter().zip(times) {
            let least = times.iter().copied().fold(f64::INFINITY, f64::min);
            let most = times.iter().copied().fold(0.0, f64::max);
            say(&format!("| {name} | {:.1} | {least:.1}–{most:.1} |", median(times)));
        }
        Ok(())
    }

    /// Measures the memory of a server without members, and of one with members under several
    /// loads.
    fn memory(&self, empty: &SchemaFiles<'_>, full: &SchemaFiles<'_>) -> io::Result<()> {
        say(
            "\n| resident memory, MiB | all | its own | the database, mapped | most so far |\n|---|---:|---:|---:|---:|",
        );
        let row = |name: &str, process: u32| {
            let Memory { resident, anonymous, database } = Memory::of(process)?;
            let most = Memory::most(process)?;
            say(&format!(
                "| {name} | {resident:.1} | {anonymous:.1} | {database:.1} | {most:.1} |"
            ));
            Ok::<_, io::Error>(())
        };
        row("idle, empty database", empty.serve()?.id())?;
        let server = first_answer(|| full.serve(), "/zoos")?.1;
        row("100,000 animals, after one answer", server.id())?;
        let (time, seconds) = (Duration::from_secs(self.load_seconds), self.load_seconds);
        let loads =
            [("pages of 20, filtered", workload::FILTERED), ("pages of 100", workload::HUNDRED)];
        let writes = [("PATCH", workload::PATCH), ("POST", workload::POST)];
        for (name, work) in loads.iter().chain(&writes) {
            let (traffic, _) = work.traffic(server.address)?;
            let sample = load(server.address, &traffic, self.connections, time)?;
            row(
                &format!("after {seconds} s of {name} ({:.0}/s)", sample.per_second()),
                server.id(),
            )?;
        }
        server.stop()
    }
}
