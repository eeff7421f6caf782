//! The load in turns: the bare server, the zoo, the bare server again, and the ratio of the two.

use std::{ffi::OsStr, io, time::Duration};

use clap::Args;

use crate::{
    child::Child,
    client::{Sample, Traffic, load},
    median, say,
    workload::{self, ALL, Workload},
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
}

/// One turn of one server.
struct Turn {
    per_second: f64,
    cpu_micros: f64,
    half_millis: f64,
    slow_millis: f64,
}

impl Load {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("zoo.db");
        let hello = Child::own(&[OsStr::new("hello")])?;
        let zoo = Child::own(&[OsStr::new("zoo"), database.as_os_str()])?;
        workload::fill(zoo.address)?;
        let animals = workload::ZOOS * workload::ANIMALS_PER_ZOO;
        let (rounds, millis, connections) = (self.rounds, self.turn_millis, self.connections);
        say(&format!(
            "{} zoos, {animals} animals; {connections} connections; medians of {rounds} turns of {millis} ms, \
                      spread in brackets\n",
            workload::ZOOS
        ));
        say("| work | of hello | hello req/s | nouns req/s | cpu µs/req: hello, nouns | p50, p99 ms |");
        say("|---|---|---|---|---|---|");
        for work in ALL.iter().filter(|work| work.name.contains(&self.only)) {
            self.measure(work, &hello, &zoo)?;
        }
        say(&format!("\nmost memory: hello {} MiB, nouns {} MiB", hello.memory_mib()?, zoo.memory_mib()?));
        Ok(())
    }

    fn measure(&self, work: &Workload, hello: &Child, zoo: &Child) -> io::Result<()> {
        let (own, bare) = work.traffic(zoo.address)?;
        let (mut hellos, mut zoos) = (vec![], vec![]);
        for _ in 0..self.rounds {
            hellos.push(self.turn(hello, &bare)?);
            zoos.push(self.turn(zoo, &own)?);
        }
        let ratios = hellos.iter().zip(&zoos).map(|(hello, zoo)| 100.0 * zoo.per_second / hello.per_second);
        let cpu = |turns: &[Turn]| median(turns.iter().map(|turn| turn.cpu_micros));
        let half = median(zoos.iter().map(|turn| turn.half_millis));
        let slow = median(zoos.iter().map(|turn| turn.slow_millis));
        say(&format!(
            "| {} | **{:.0} %** | {} | {} | {:.1}, {:.1} | {half:.2}, {slow:.1} |",
            work.name,
            median(ratios),
            spread(&hellos),
            spread(&zoos),
            cpu(&hellos),
            cpu(&zoos),
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

/// Median and extremes of requests a second.
fn spread(turns: &[Turn]) -> String {
    let figures = || turns.iter().map(|turn| turn.per_second);
    let least = figures().fold(f64::INFINITY, f64::min);
    let most = figures().fold(0.0, f64::max);
    format!("{:.0} ({least:.0}–{most:.0})", median(figures()))
}
