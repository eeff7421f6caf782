//! Measures the slowest writes (p99, p99.9) of several programs alternately. Each program runs at
//! full load, and then at half of the full-load rate of the slowest program.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;

use crate::{
    child::Child,
    client::{self, Sample, Traffic},
    median, say,
    start::Program,
    steady, workload,
    workload::{MIXED, PATCH, POST, Workload},
};

/// The options of `tail`.
#[derive(Args, Debug)]
pub(crate) struct Tail {
    /// The `nouns` programs to measure.
    #[arg(required = true, num_args = 1..)]
    programs: Vec<PathBuf>,
    /// How many turns each program has for each workload.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How long a turn is, in milliseconds. It should be shorter than the idle time after which a
    /// server truncates its WAL.
    #[arg(long, default_value_t = 4000)]
    turn_millis: u64,
    /// The number of connections that are kept busy.
    #[arg(long, default_value_t = 32)]
    connections: u64,
    /// Runs only workloads whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
}

/// The measurements of one program, one for each turn.
#[derive(Default)]
struct Turns(Vec<Sample>);

impl Tail {
    pub(crate) fn run(self) -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let numbered = self.programs.iter().enumerate();
        let servers = numbered.map(|(at, program)| self.serve(program, at, folder.path()));
        let servers = servers.collect::<io::Result<Vec<_>>>()?;
        say(
            "| work | program | req/s | p50 ms | p99 ms | p99.9 ms | p99 / p50 |\n|---|---|---|---|---|---|---|",
        );
        for work in [PATCH, POST, MIXED].iter().filter(|work| work.name.contains(&self.only)) {
            self.measure(work, &servers)?;
        }
        Ok(())
    }

    fn serve(&self, program: &Path, at: usize, folder: &Path) -> io::Result<Child> {
        let schema = folder.join("zoo.yaml");
        fs::write(&schema, workload::schema())?;
        let database = folder.join(format!("{at}.db"));
        let server = Program::at(program).serve(&schema, &database, &["--cache", "0"])?;
        workload::fill(workload::ZOOS, |path, body| workload::create(server.address, path, body))?;
        Ok(server)
    }

    fn measure(&self, work: &Workload, servers: &[Child]) -> io::Result<()> {
        let traffics = servers.iter().map(|server| Ok(work.traffic(server.address)?.0));
        let traffics = traffics.collect::<io::Result<Vec<_>>>()?;
        let mut full = self.alternately(servers, &traffics, |to, traffic, time| {
            client::load(to.address, traffic, self.connections, time)
        })?;
        let rates = full.iter().map(Turns::per_second);
        let half = rates.fold(f64::INFINITY, f64::min) / 2.0;
        self.show(&format!("{}, full load", work.name), &mut full);
        let mut steady = self.alternately(servers, &traffics, |to, traffic, time| {
            steady::load(to.address, traffic, self.connections, half, time)
        })?;
        self.show(&format!("{}, half load", work.name), &mut steady);
        Ok(())
    }

    fn alternately(
        &self,
        servers: &[Child],
        traffics: &[Traffic],
        load: impl Fn(&Child, &Traffic, Duration) -> io::Result<Sample>,
    ) -> io::Result<Vec<Turns>> {
        let time = Duration::from_millis(self.turn_millis);
        let mut turns: Vec<_> = servers.iter().map(|_| Turns::default()).collect();
        for _ in 0..self.rounds {
            for ((server, traffic), turns) in servers.iter().zip(traffics).zip(&mut turns) {
                load(server, traffic, time / 10)?;
                turns.0.push(load(server, traffic, time)?);
            }
        }
        Ok(turns)
    }

    fn show(&self, what: &str, all: &mut [Turns]) {
        for (program, turns) in self.programs.iter().zip(all) {
            let [half, slow, slowest] = [0.5, 0.99, 0.999].map(|share| turns.millis(share));
            let (program, rate) = (program.display(), turns.per_second());
            say(&format!(
                "| {what} | {program} | {rate:.0} | {half:.2} | {slow:.1} | {slowest:.1} | {:.1} |",
                slow / half
            ));
        }
    }
}

impl Turns {
    fn per_second(&self) -> f64 {
        median(self.0.iter().map(Sample::per_second))
    }

    /// The median over all turns of a quantile of the request times, in milliseconds.
    fn millis(&mut self, share: f64) -> f64 {
        median(self.0.iter_mut().map(|sample| sample.quantile(share) / 1000.0))
    }
}
