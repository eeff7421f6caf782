//! Measures how the cost of requests grows with the rows of a table, with the depth of a page, and
//! with the number of collections.

mod collections;
mod rows;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::Args;

use crate::{bed::Bed, grouped, instructions, median, start::Program};

/// The options of `growth`.
#[derive(Args, Debug)]
pub(crate) struct Growth {
    /// The numbers of animals in the measured tables.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    rows: Vec<u64>,
    /// The numbers of collections in the measured schemas.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100, 1000])]
    collections: Vec<usize>,
    /// How many times the server starts with a new database, and how many with an existing one.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    #[command(flatten)]
    program: Program,
    /// Requests these targets and prints nothing. Valgrind counts the instructions of each.
    #[arg(long, requires_all = ["schema", "database"], hide = true)]
    ask: Vec<String>,
    #[arg(long, hide = true)]
    schema: Option<PathBuf>,
    #[arg(long, hide = true)]
    database: Option<PathBuf>,
}

/// The cost of one request: its median time in microseconds, and its instructions.
#[derive(Clone, Copy, Debug)]
struct Cost {
    micros: f64,
    /// The number of instructions. `None` for a slow request, or if valgrind is not installed.
    instructions: Option<u64>,
}

/// The maximum number of times that a request is sent. `TIME_MAX` may end the measurement earlier.
const TIMES_MAX: usize = 400;
const TIME_MAX: Duration = Duration::from_millis(250);
/// The minimum number of times that a request is sent.
const TIMES_MIN: usize = 3;
/// Instructions are counted only for requests that take less than this, in microseconds. Valgrind
/// takes about fifty times as long.
const COUNTED_MICROS_MAX: f64 = 1000.0;

impl Growth {
    pub(crate) fn run(self) -> io::Result<()> {
        if let (Some(schema), Some(database)) = (&self.schema, &self.database) {
            let bed = GrowthFiles { schema, database }.bed()?;
            let ask = |target: &String| instructions::marked(&mut || bed.get(target).map(drop));
            return self.ask.iter().try_for_each(ask);
        }
        rows::measure(&self.rows)?;
        collections::measure(&self.collections, self.rounds, &self.program)
    }
}

/// A schema file and a database file.
struct GrowthFiles<'files> {
    schema: &'files Path,
    database: &'files Path,
}

impl GrowthFiles<'_> {
    fn bed(&self) -> io::Result<Bed> {
        Bed::open(&fs::read_to_string(self.schema)?, self.database)
    }

    /// Returns the costs of requests: their times in microseconds from `timed`, and their
    /// instructions. No other connection may have the database open.
    fn costs(&self, timed: &[(String, f64)]) -> io::Result<Vec<Cost>> {
        let (schema, database) = (self.schema.to_string_lossy(), self.database.to_string_lossy());
        let mut arguments = vec!["growth", "--schema", &schema, "--database", &database];
        let quick = || timed.iter().filter(|(_, micros)| *micros < COUNTED_MICROS_MAX);
        arguments.extend(quick().flat_map(|(target, _)| ["--ask", target]));
        let counted = instructions::count(quick().count(), &arguments)?;
        let mut counted = counted.into_iter().flatten();
        let cost = |&(_, micros): &(String, f64)| {
            let instructions = if micros < COUNTED_MICROS_MAX { counted.next() } else { None };
            Cost { micros, instructions }
        };
        Ok(timed.iter().map(cost).collect())
    }
}

/// The median time of a request in microseconds. One request before the measurement is not counted.
fn micros(bed: &Bed, target: &str) -> io::Result<f64> {
    bed.get(target)?;
    let (begun, mut times) = (Instant::now(), vec![]);
    while times.len() < TIMES_MIN || times.len() < TIMES_MAX && begun.elapsed() < TIME_MAX {
        let sent = Instant::now();
        bed.get(target)?;
        times.push(sent.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// Formats a time in microseconds: one decimal below 100, none above.
fn time(micros: f64) -> String {
    if micros < 100.0 { format!("{micros:.1}") } else { grouped(micros.round() as u64) }
}

fn counted(cost: Cost) -> String {
    cost.instructions.map_or_else(|| "–".into(), grouped)
}
