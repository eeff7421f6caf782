//! Measures requests as tables grow, as pages lie deeper, and as there are more collections.

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
    /// How many animals the tables have.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    rows: Vec<u64>,
    /// How many collections the schemas have.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 100, 1000])]
    collections: Vec<usize>,
    /// How many starts with a new database, and with an existing one.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    #[command(flatten)]
    program: Program,
    /// Requests these targets between marks and prints nothing.
    #[arg(long, requires_all = ["schema", "database"], hide = true)]
    ask: Vec<String>,
    #[arg(long, hide = true)]
    schema: Option<PathBuf>,
    #[arg(long, hide = true)]
    database: Option<PathBuf>,
}

/// The cost of one request.
#[derive(Clone, Copy, Debug)]
struct Cost {
    micros: f64,
    /// `None` for a slow request, or without valgrind.
    instructions: Option<u64>,
}

/// The most times that a request is sent; `TIME_MAX` may end it earlier.
const TIMES_MAX: usize = 400;
const TIME_MAX: Duration = Duration::from_millis(250);
/// The fewest times that a request is sent.
const TIMES_MIN: usize = 3;
/// Instructions are counted for requests below this time, since valgrind takes about fifty times as
/// long.
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

/// A database on disk, and its schema.
struct GrowthFiles<'files> {
    schema: &'files Path,
    database: &'files Path,
}

impl GrowthFiles<'_> {
    fn bed(&self) -> io::Result<Bed> {
        Bed::open(&fs::read_to_string(self.schema)?, self.database)
    }

    /// The costs of requests with known times. No other connection has the database open.
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

/// The median time of a request, after one that is not counted.
fn micros(bed: &Bed, target: &str) -> io::Result<f64> {
    bed.get(target)?;
    let (begun, mut times) = (Instant::now(), vec![]);
    while times.len() < TIMES_MIN || times.len() < TIMES_MAX && begun.elapsed() < TIME_MAX {
        let asked = Instant::now();
        bed.get(target)?;
        times.push(asked.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

/// A time with at most three digits.
fn time(micros: f64) -> String {
    if micros < 100.0 { format!("{micros:.1}") } else { grouped(micros.round() as u64) }
}

fn counted(cost: Cost) -> String {
    cost.instructions.map_or_else(|| "–".into(), grouped)
}
