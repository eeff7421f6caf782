//! Loads three servers alternately: the bare hyper server, the one written by hand, and Nouns.
//! Prints the ratios of their requests per second.

use std::{ffi::OsStr, fs, io, path::Path, thread, time::Duration};

use clap::Args;
use rusqlite::Connection;

use crate::{
    child::Child,
    client::{Traffic, load},
    median,
    memory::Memory,
    say,
    start::Program,
    turn::{Turn, cpu, half, percent, slow, spread},
    workload::{self, ALL, POINT, POINT_CACHED, SCAN, Workload},
};

/// The options of `load`.
#[derive(Args, Debug)]
pub(crate) struct Load {
    /// How many turns each server has for each workload.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in milliseconds.
    #[arg(long, default_value_t = 2000)]
    turn_millis: u64,
    /// The number of connections that are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    /// Runs only workloads whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    #[command(flatten)]
    program: Program,
}

/// The measurements of a workload, by server.
struct WorkloadTurns {
    name: &'static str,
    hello: Vec<Turn>,
    by_hand: Vec<Turn>,
    nouns: Vec<Turn>,
}

/// The measured servers. Each server with a database has its own copy of the same rows.
struct Servers {
    hello: Child,
    by_hand: Child,
    nouns: Child,
    caching: Child,
}

impl Load {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let servers = self.servers(folder.path())?;
        let animals = workload::ZOOS * workload::ANIMALS_PER_ZOO;
        let (rounds, millis, connections) = (self.rounds, self.turn_millis, self.connections);
        say(&format!(
            "{} zoos, {animals} animals; {connections} connections; medians of {rounds} turns of {millis} ms, \
                      spread in brackets\n",
            workload::ZOOS
        ));
        say(
            "| work | of hello | of by hand | hello req/s | by hand req/s | nouns req/s | cpu µs/req: hello, by hand, nouns |",
        );
        say("|---|---|---|---|---|---|---|");
        let works = ALL.iter().filter(|work| work.name.contains(&self.only));
        let measured =
            works.map(|work| self.measure(work, &servers)).collect::<io::Result<Vec<_>>>()?;
        say("\n| p50, p99 in ms | hello | by hand | nouns |\n|---|---|---|---|");
        for WorkloadTurns { name, hello, by_hand, nouns } in &measured {
            let both = |turns: &Vec<Turn>| match turns.as_slice() {
                [] => "–".into(),
                turns => format!("{}, {}", half(turns), slow(turns)),
            };
            say(&format!("| {name} | {} | {} | {} |", both(hello), both(by_hand), both(nouns)));
        }
        for (point, server) in [(POINT, &servers.nouns), (POINT_CACHED, &servers.caching)] {
            if point.name.contains(&self.only) {
                self.beside_scans(&point, server)?;
            }
        }
        let memory = |child: &Child| Memory::most(child.id());
        say(&format!(
            "\nMost memory in MiB: hello {:.0}, by hand {:.0}, nouns {:.0}, with a response cache {:.0}.",
            memory(&servers.hello)?,
            memory(&servers.by_hand)?,
            memory(&servers.nouns)?,
            memory(&servers.caching)?
        ));
        let log = folder.path().join("nouns.db-wal");
        say(&format!(
            "Write-ahead log: {:.1} MiB.",
            log.metadata()?.len() as f64 / f64::from(1 << 20)
        ));
        Ok(())
    }

    fn servers(&self, folder: &Path) -> io::Result<Servers> {
        let schema = folder.join("zoo.yaml");
        fs::write(&schema, workload::schema())?;
        let nouns = self.nouns(&schema, &folder.join("nouns.db"), "0")?;
        workload::fill(workload::ZOOS, |path, body| workload::create(nouns.address, path, body))?;
        let (copy, bare) = (folder.join("caching.db"), folder.join("floor.db"));
        copied(&folder.join("nouns.db"), &copy, &bare).map_err(io::Error::other)?;
        Ok(Servers {
            hello: Child::own(&[OsStr::new("hello")])?,
            by_hand: Child::own(&[OsStr::new("floor"), bare.as_os_str()])?,
            caching: self.nouns(&schema, &copy, "8")?,
            nouns,
        })
    }

    fn nouns(&self, schema: &Path, database: &Path, cache: &str) -> io::Result<Child> {
        self.program.serve(schema, database, &["--cache", cache])
    }

    fn measure(&self, work: &Workload, servers: &Servers) -> io::Result<WorkloadTurns> {
        let server = if work.is_cached { &servers.caching } else { &servers.nouns };
        let (own, bare) = work.traffic(server.address)?;
        let (mut hello, mut by_hand, mut nouns) = (vec![], vec![], vec![]);
        for _ in 0..self.rounds {
            hello.push(self.turn(&servers.hello, &bare)?);
            if work.by_hand {
                by_hand.push(self.turn(&servers.by_hand, &own)?);
            }
            nouns.push(self.turn(server, &own)?);
        }
        let shared = |of| {
            percent(of, &nouns).map_or_else(|| "–".into(), |percent| format!("{percent:.0} %"))
        };
        say(&format!(
            "| {} | **{}** | {} | {} | {} | {} | {}, {}, {} |",
            work.name,
            shared(&hello),
            shared(&by_hand),
            spread(&hello),
            spread(&by_hand),
            spread(&nouns),
            cpu(&hello),
            cpu(&by_hand),
            cpu(&nouns),
        ));
        Ok(WorkloadTurns { name: work.name, hello, by_hand, nouns })
    }

    /// Measures a workload of point reads, first alone, and then while two clients scan the whole
    /// table.
    fn beside_scans(&self, work: &Workload, nouns: &Child) -> io::Result<()> {
        let (point, _) = work.traffic(nouns.address)?;
        let (scan, _) = SCAN.traffic(nouns.address)?;
        let (mut alone, mut beside, mut scans) = (vec![], vec![], vec![]);
        for _ in 0..self.rounds {
            alone.push(self.turn(nouns, &point)?);
            let (address, scan) = (nouns.address, scan.clone());
            let time = Duration::from_millis(self.turn_millis) * 11 / 10;
            let scanning = thread::spawn(move || load(address, &scan, 2, time));
            beside.push(self.turn(nouns, &point)?);
            let sample = scanning.join().map_err(|_| io::Error::other("a scan panicked"))??;
            scans.push(sample.per_second());
        }
        say(&format!(
            "\n{}, while two clients scan {} animals ({:.0} scans a second): **{:.0} %** of {} req/s, p99 {} ms instead of {}.",
            work.name,
            workload::ZOOS * workload::ANIMALS_PER_ZOO,
            median(scans),
            percent(&alone, &beside).unwrap_or_default(),
            spread(&alone),
            slow(&beside),
            slow(&alone),
        ));
        Ok(())
    }

    fn turn(&self, server: &Child, traffic: &Traffic) -> io::Result<Turn> {
        Turn::of(server, traffic, self.connections, Duration::from_millis(self.turn_millis))
    }
}

/// Copies a database twice: to `to` unchanged, and to `bare` without the triggers of Nouns.
fn copied(from: &Path, to: &Path, bare: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(from)?;
    for copy in [to, bare] {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    let bare = Connection::open(bare)?;
    let mut triggers = bare.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")?;
    let names =
        triggers.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    names.iter().try_for_each(|name| bare.execute_batch(&format!("DROP TRIGGER \"{name}\"")))
}
