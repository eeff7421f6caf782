//! Proves what the engine for PostgreSQL promises with several nodes and under faults. Starts
//! PostgreSQL servers and nodes of its own, and stops them.
//!
//! Clients write to all nodes and enter each write in a ledger. After each fault, the rows of the
//! database are compared with the ledger.

mod client;
mod commits;
mod database;
mod encryption;
mod faults;
mod ledger;
mod nodes;
mod poolers;
mod promotions;
mod proxy;
mod stale;
mod tags;
mod trial;
mod writer;

use std::io;

use clap::Args;

use crate::{say, start::Program};

/// The options of `cluster`.
#[derive(Args, Debug)]
pub(crate) struct Cluster {
    /// Runs only trials whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// The share of the trials to run. All of them take half an hour.
    #[arg(long, default_value_t = 1.0)]
    share: f64,
    #[command(flatten)]
    program: Program,
}

/// The options of `cluster-node`, a node with a hook that `cluster` starts.
#[derive(Args, Debug)]
pub(crate) struct ClusterNode {
    database: String,
    listen: String,
}

impl ClusterNode {
    pub(crate) fn run(self) -> io::Result<()> {
        nodes::serve(&self.database, &self.listen)
    }
}

/// A kind of trials: its name, how many of them there are, and what runs them. The text is their
/// result.
type Trials = (&'static str, u64, fn(&Program, u64) -> io::Result<String>);

const TRIALS: [Trials; 12] = [
    ("kill -9 of a node", 200, faults::kills),
    ("immediate shutdown of PostgreSQL", 50, faults::crashes),
    ("lost COMMIT", 200, commits::lost),
    ("promotion of a synchronous standby", 20, promotions::synchronous),
    ("primary that hangs without an end", 10, promotions::hung),
    ("promotion of a standby that lags", 5, promotions::lagging),
    ("node that was stopped past its lease", 20, faults::stops),
    ("pooler that is killed", 20, poolers::modes),
    ("encryption and passwords", 1, encryption::urls),
    ("write, then read on another node", 100_000, stale::reads),
    ("If-Match of 50 writers", 50, stale::increments),
    ("validators under concurrency", 100, tags::steady),
];

impl Cluster {
    pub(crate) fn run(self) -> io::Result<()> {
        let mut failures = vec![];
        for (name, count, run) in TRIALS {
            if !name.contains(&self.only) {
                continue;
            }
            let count = ((count as f64 * self.share).round() as u64).max(1);
            match run(&self.program, count) {
                Ok(result) => say(&format!("{name}: {result}")),
                Err(error) => {
                    say(&format!("{name}: FAILED"));
                    failures.push(format!("{name}: {error}"));
                }
            }
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(io::Error::other(failures.join("\n"))),
        }
    }
}
