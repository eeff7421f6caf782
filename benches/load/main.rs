//! Measures the server: under load, by request, by stage, by the size of tables and schemas, at its
//! start, and beside hostile clients. Measures the compile time of a hundred derived resources.
//!
//! Absolute times vary with the machine. So each measurement alternates with one of a bare server,
//! and the result is the ratio of the two.

mod attacks;
mod bed;
mod child;
mod client;
mod cluster;
mod derive;
mod floor;
mod growth;
mod hello;
mod hostile;
mod http2;
mod instructions;
mod load;
mod memory;
mod overload;
mod peers;
mod plots;
mod postgres;
mod related;
mod requests;
mod routing;
mod sessions;
mod stages;
mod start;
mod steady;
mod synthetic;
mod tail;
mod turn;
mod wire;
mod workload;

use std::{io, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

/// The command line of the benchmark program.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures load on loopback, compared with a bare hyper server.
    Load(load::Load),
    /// Measures load on loopback, compared with running servers of other frameworks.
    Peers(peers::Peers),
    /// Measures the p99 and p99.9 of writes for several programs alternately: at full load and at
    /// half load.
    Tail(tail::Tail),
    /// Measures the cost of related rows that come with the rows of a page, in instructions.
    Related(related::Related),
    /// Measures the cost of one request in process, for each feature that a request can use.
    Requests(requests::Requests),
    /// Measures the time in which the target of a URL is found, and a schema read and linked.
    Routing(routing::Routing),
    /// Measures the cost of knowing a caller by a session, a token or a password.
    Sessions(sessions::Sessions),
    /// Measures the cost of each stage of a request, in instructions.
    Stages(stages::Stages),
    /// Measures the cost of a request over a connection, in instructions.
    Wire(wire::Wire),
    /// Measures how the cost of a request grows with the rows of a table, the depth of a page and
    /// the number of collections.
    Growth(growth::Growth),
    /// Measures load on a PostgreSQL database, compared with a server written by hand.
    Postgres(postgres::Postgres),
    /// Runs the server written by hand on a PostgreSQL database (started by `postgres`).
    #[command(hide = true)]
    ByHandPostgres {
        /// The URL of the database.
        url: String,
    },
    /// Draws plots from the tables of the performance pages.
    Plots(plots::Plots),
    /// Measures the memory of `nouns serve`, and the time from its start to its first response.
    Start(start::Start),
    /// Measures the compile time that the derives add, compared with those of serde.
    Derive(derive::Derive),
    /// Measures a server that gets four times the load that it can carry.
    Overload(overload::Overload),
    /// Measures a client that behaves well beside many hostile ones, for hours.
    Hostile(hostile::Hostile),
    /// Measures a client that behaves well beside one attack after another.
    Attacks(attacks::Attacks),
    /// Proves what several nodes of a PostgreSQL database promise under faults.
    Cluster(cluster::Cluster),
    /// Runs a node with a hook (started by `cluster`).
    #[command(hide = true)]
    ClusterNode(cluster::ClusterNode),
    /// Measures HTTP/2, compared with a bare server of the library `h2`.
    H2(http2::Http2),
    /// Runs the bare server of HTTP/2 (started by `h2`).
    #[command(hide = true)]
    HelloH2(http2::HelloHttp2),
    /// Runs a hostile client that is killed during its requests (started by `hostile`).
    #[command(hide = true)]
    HostileVictim(hostile::Victim),
    /// Runs the bare hyper server (started by `load`).
    #[command(hide = true)]
    Hello,
    /// Runs the server written by hand, on a database of the zoo (started by `load`).
    #[command(hide = true)]
    Floor {
        /// The path of the server's database.
        database: PathBuf,
    },
}

#[expect(clippy::print_stderr, reason = "the program prints the error that ended it")]
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
        Command::Related(related) => related.run(),
        Command::Requests(requests) => requests.run(),
        Command::Routing(routing) => routing.run(),
        Command::Sessions(sessions) => sessions.run(),
        Command::Stages(stages) => stages.run(),
        Command::Wire(wire) => wire.run(),
        Command::Growth(growth) => growth.run(),
        Command::Postgres(postgres) => postgres.run(),
        Command::ByHandPostgres { url } => postgres::serve(&url),
        Command::Plots(plots) => plots.run(),
        Command::Start(start) => start.run(),
        Command::Derive(derive) => derive.run(),
        Command::Overload(overload) => overload.run(),
        Command::Hostile(hostile) => hostile.run(),
        Command::Attacks(attacks) => attacks.run(),
        Command::Cluster(cluster) => cluster.run(),
        Command::ClusterNode(node) => node.run(),
        Command::H2(http2) => http2.run(),
        Command::HelloH2(hello) => hello.serve(),
        Command::HostileVictim(victim) => victim.run(),
        Command::Hello => hello::serve(),
        Command::Floor { database } => floor::serve(&database),
    }
}

/// Prints a line of the result on the standard output.
#[expect(clippy::print_stdout, reason = "the program exists to print its results")]
fn say(line: &str) {
    println!("{line}");
}

/// The median of the numbers; 0 without numbers.
fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// Formats a number with a comma between groups of three digits.
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
