//! Measures the server: under load, by request, by stage, by the size of tables and schemas, at its
//! start, and beside hostile clients. Measures the compiler with a hundred derived resources.
//!
//! Absolute figures drift with the machine. So every measurement alternates with one of a bare
//! server, and the result is the ratio of the two.

mod bed;
mod child;
mod client;
mod derive;
mod floor;
mod growth;
mod hello;
mod hostile;
mod instructions;
mod load;
mod memory;
mod peers;
mod plots;
mod requests;
mod stages;
mod start;
mod steady;
mod synthetic;
mod tail;
mod turn;
mod workload;

use std::{io, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

/// Measure Nouns.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Load on loopback, beside a bare hyper server.
    Load(load::Load),
    /// Load on loopback, beside running servers of other frameworks.
    Peers(peers::Peers),
    /// The p99 and p99.9 of writes, of two programs alternately: at full load, and at half of it.
    Tail(tail::Tail),
    /// The cost of one request in process, by its features.
    Requests(requests::Requests),
    /// The cost of each stage of a request, in instructions.
    Stages(stages::Stages),
    /// The cost of a request as tables, depths and collections grow.
    Growth(growth::Growth),
    /// Draws the tables of the performance pages.
    Plots(plots::Plots),
    /// The time from the start of `nouns serve` to its first response, and its memory.
    Start(start::Start),
    /// The cost of the derives at compile time, beside those of serde.
    Derive(derive::Derive),
    /// A client that behaves well beside many hostile ones, for hours.
    Hostile(hostile::Hostile),
    /// A client that is killed in the middle of its work (started by `hostile`).
    #[command(hide = true)]
    HostileVictim(hostile::Victim),
    /// The bare hyper server (started by `load`).
    #[command(hide = true)]
    Hello,
    /// The server written by hand, on a database of the zoo (started by `load`).
    #[command(hide = true)]
    Floor {
        /// The path of the database.
        database: PathBuf,
    },
}

#[expect(clippy::print_stderr, reason = "it says what failed")]
fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> io::Result<()> {
    match command {
        Command::Load(load) => load.run(),
        Command::Peers(peers) => peers.run(),
        Command::Tail(tail) => tail.run(),
        Command::Requests(requests) => requests.run(),
        Command::Stages(stages) => stages.run(),
        Command::Growth(growth) => growth.run(),
        Command::Plots(plots) => plots.run(),
        Command::Start(start) => start.run(),
        Command::Derive(derive) => derive.run(),
        Command::Hostile(hostile) => hostile.run(),
        Command::HostileVictim(victim) => victim.run(),
        Command::Hello => hello::serve(),
        Command::Floor { database } => floor::serve(&database),
    }
}

/// Prints a line of the result.
#[expect(clippy::print_stdout, reason = "what it prints is what it is for")]
fn say(line: &str) {
    println!("{line}");
}

/// The median of some figures; 0 without figures.
fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// A number with a comma after each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
    digits.char_indices().map(|(at, digit)| format!("{}{digit}", comma(at))).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_grouped() {
        let grouped = [0, 999, 1000, 12_345, 1_000_000].map(super::grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "12,345", "1,000,000"]);
    }
}
