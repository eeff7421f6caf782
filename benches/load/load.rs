//! The load in turns: the bare server, the hand-written one, Nouns, the bare server again; and the ratios.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use clap::Args;
use rusqlite::Connection;

use crate::{
    child::Child,
    client::{Sample, Traffic, load},
    median, say,
    workload::{self, ALL, POINT, SCAN, Workload},
};

/// How the load is applied.
#[derive(Args, Debug)]
pub(crate) struct Load {
    /// How many turns each server has for each workload.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in milliseconds.
    #[arg(long, default_value_t = 2000)]
    turn_millis: u64,
    /// How many connections are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    /// Only workloads whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// The `nouns` that is measured [default: the one beside this program].
    #[arg(long)]
    program: Option<PathBuf>,
}

/// One turn of one server.
struct Turn {
    per_second: f64,
    cpu_micros: f64,
    half_millis: f64,
    slow_millis: f64,
}

/// The servers that are measured, each with a database of its own and the same rows in it.
struct Servers {
    hello: Child,
    by_hand: Child,
    nouns: Child,
    keeping: Child,
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
            "| work | of hello | of by hand | hello req/s | by hand req/s | nouns req/s | cpu µs/req: hello, by hand, nouns | p50, p99 ms |",
        );
        say("|---|---|---|---|---|---|---|---|");
        for work in ALL.iter().filter(|work| work.name.contains(&self.only)) {
            self.measure(work, &servers)?;
        }
        if POINT.name.contains(&self.only) {
            self.beside_scans(&servers.nouns)?;
        }
        let memory = |child: &Child| child.memory_mib();
        say(&format!(
            "\nmost memory in MiB: hello {}, by hand {}, nouns {}, keeping pages {}",
            memory(&servers.hello)?,
            memory(&servers.by_hand)?,
            memory(&servers.nouns)?,
            memory(&servers.keeping)?
        ));
        let log = folder.path().join("nouns.db-wal");
        say(&format!("write-ahead log: {:.1} MiB", log.metadata()?.len() as f64 / f64::from(1 << 20)));
        Ok(())
    }

    fn servers(&self, folder: &Path) -> io::Result<Servers> {
        let schema = folder.join("zoo.yaml");
        fs::write(&schema, workload::schema())?;
        let nouns = self.nouns(&schema, &folder.join("nouns.db"), "0")?;
        workload::fill(workload::ZOOS, |path, body| workload::create(nouns.address, path, body))?;
        let (copy, bare) = (folder.join("keeping.db"), folder.join("floor.db"));
        copied(&folder.join("nouns.db"), &copy, &bare).map_err(io::Error::other)?;
        Ok(Servers {
            hello: Child::own(&[OsStr::new("hello")])?,
            by_hand: Child::own(&[OsStr::new("floor"), bare.as_os_str()])?,
            keeping: self.nouns(&schema, &copy, "8")?,
            nouns,
        })
    }

    /// The program as people run it, its log in a file.
    fn nouns(&self, schema: &Path, database: &Path, cache: &str) -> io::Result<Child> {
        let beside = || Ok::<_, io::Error>(std::env::current_exe()?.with_file_name("nouns"));
        let program = self.program.clone().map_or_else(beside, Ok)?;
        let mut command = Command::new(program);
        command.arg("serve").arg(schema).args(["--listen", "127.0.0.1:0", "--cache", cache]);
        command.arg("--database").arg(database).stderr(File::create(database.with_extension("log"))?);
        Child::start(&mut command)
    }

    fn measure(&self, work: &Workload, servers: &Servers) -> io::Result<()> {
        let nouns = if work.is_kept { &servers.keeping } else { &servers.nouns };
        let (own, bare) = work.traffic(nouns.address)?;
        let (mut hellos, mut hands, mut ours) = (vec![], vec![], vec![]);
        for _ in 0..self.rounds {
            hellos.push(self.turn(&servers.hello, &bare)?);
            if work.by_hand {
                hands.push(self.turn(&servers.by_hand, &own)?);
            }
            ours.push(self.turn(nouns, &own)?);
        }
        let half = median(ours.iter().map(|turn| turn.half_millis));
        let slow = median(ours.iter().map(|turn| turn.slow_millis));
        say(&format!(
            "| {} | **{:.0} %** | {} | {} | {} | {} | {:.1}, {:.1}, {:.1} | {half:.2}, {slow:.1} |",
            work.name,
            percent(&hellos, &ours),
            if work.by_hand { format!("{:.0} %", percent(&hands, &ours)) } else { "–".into() },
            spread(&hellos),
            if work.by_hand { spread(&hands) } else { "–".into() },
            spread(&ours),
            cpu(&hellos),
            cpu(&hands),
            cpu(&ours),
        ));
        Ok(())
    }

    /// Point reads, and the same while two clients look at the whole table.
    fn beside_scans(&self, nouns: &Child) -> io::Result<()> {
        let (point, _) = POINT.traffic(nouns.address)?;
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
        let slow = |turns: &[Turn]| median(turns.iter().map(|turn| turn.slow_millis));
        say(&format!(
            "\n{}, while two clients scan {} animals ({:.0} scans a second): **{:.0} %** of {} req/s, p99 {:.1} ms instead of {:.1}",
            POINT.name,
            workload::ZOOS * workload::ANIMALS_PER_ZOO,
            median(scans),
            percent(&alone, &beside),
            spread(&alone),
            slow(&beside),
            slow(&alone),
        ));
        Ok(())
    }

    fn turn(&self, server: &Child, traffic: &Traffic) -> io::Result<Turn> {
        let time = Duration::from_millis(self.turn_millis);
        load(server.address, traffic, self.connections, time / 10)?;
        let before = server.cpu_seconds()?;
        let mut sample: Sample = load(server.address, traffic, self.connections, time)?;
        let cpu = server.cpu_seconds()? - before;
        Ok(Turn {
            per_second: sample.per_second(),
            cpu_micros: 1e6 * cpu / sample.micros.len().max(1) as f64,
            half_millis: sample.quantile(0.5) / 1000.0,
            slow_millis: sample.quantile(0.99) / 1000.0,
        })
    }
}

/// Copies a database, once as it is and once without what Nouns adds to it for other programs.
fn copied(from: &Path, to: &Path, bare: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(from)?;
    for copy in [to, bare] {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    let bare = Connection::open(bare)?;
    let mut triggers = bare.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")?;
    let names = triggers.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    names.iter().try_for_each(|name| bare.execute_batch(&format!("DROP TRIGGER \"{name}\"")))
}

/// The median of the ratios of turns that followed each other.
fn percent(of: &[Turn], turns: &[Turn]) -> f64 {
    median(of.iter().zip(turns).map(|(of, turn)| 100.0 * turn.per_second / of.per_second))
}

fn cpu(turns: &[Turn]) -> f64 {
    median(turns.iter().map(|turn| turn.cpu_micros))
}

/// Median and extremes of requests a second.
fn spread(turns: &[Turn]) -> String {
    let figures = || turns.iter().map(|turn| turn.per_second);
    let least = figures().fold(f64::INFINITY, f64::min);
    let most = figures().fold(0.0, f64::max);
    format!("{:.0} ({least:.0}–{most:.0})", median(figures()))
}
