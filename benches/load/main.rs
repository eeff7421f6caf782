//! Measures the server: under load beside a bare hyper server and a hand-written one, by request, and at its start with a thousand resources; and the
//! compiler with a hundred derived ones.
//!
//! Absolute figures drift with the machine, so every figure is taken in turns with that of the bare server, and the
//! ratio of the two is the result.

mod bed;
mod child;
mod client;
mod derive;
mod floor;
mod hello;
mod instructions;
mod load;
mod requests;
mod scale;
mod stages;
mod synthetic;
mod workload;

use std::{io, path::PathBuf};

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
    /// What one request costs in process, by what it asks for.
    Requests(requests::Requests),
    /// What each stage of a request costs in instructions.
    Stages(stages::Stages),
    /// From the start of `nouns serve` to its first answer.
    Scale(scale::Scale),
    /// What the derives cost when a program is compiled, beside those of serde.
    Derive(derive::Derive),
    /// The bare hyper server (started by `load`).
    #[command(hide = true)]
    Hello,
    /// A hand-written server on a database of the zoo (started by `load`).
    #[command(hide = true)]
    Floor {
        /// The database.
        database: PathBuf,
    },
}

fn main() -> io::Result<()> {
    match Arguments::parse().command {
        Command::Load(load) => load.run(),
        Command::Requests(requests) => requests.run(),
        Command::Stages(stages) => stages.run(),
        Command::Scale(scale) => scale.run(),
        Command::Derive(derive) => derive.run(),
        Command::Hello => hello::serve(),
        Command::Floor { database } => floor::serve(&database),
    }
}

/// Prints a line of the result.
#[expect(clippy::print_stdout, reason = "what it prints is what it is for")]
fn say(line: &str) {
    println!("{line}");
}

/// The middle of some figures; 0 of none.
fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}
