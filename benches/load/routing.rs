//! Measures how long the server takes to find the target of a URL, with one resource and with a
//! thousand. Measures how long it takes to read and link a schema.

use std::{hint::black_box, io, time::Instant};

use clap::Args;
use http::Uri;
use nouns::{
    __runtime::{Model, route::Target},
    codegen::{Schema, read_yaml},
    interpret::api_def,
};

use crate::{median, say, synthetic};

/// The number of times that a target is found in a turn. A turn takes about a millisecond.
const FINDS: u32 = 5_000;

/// The options of `routing`.
#[derive(Args, Debug)]
pub(crate) struct Routing {
    /// The number of turns of each measurement.
    #[arg(long, default_value_t = 21)]
    turns: usize,
}

impl Routing {
    pub(crate) fn run(self) -> io::Result<()> {
        say("| resources | `/parts/7`, ns | four levels deep, ns |");
        say("|---|---|---|");
        for resources in [1, 10, 100, 1000] {
            let model = Model::link(api_def(&schema(resources)?))
                .map_err(|error| io::Error::other(error.to_string()))?;
            let last = (resources - 1) / 4 * 4;
            let deep =
                if resources.is_multiple_of(4) { Some(last + 3) } else { last.checked_sub(1) };
            let top = self.find(&model, last)?;
            let deep = deep.map(|at| self.find(&model, at)).transpose()?;
            let deep = deep.map_or_else(|| "–".to_owned(), |time| format!("{time:.0}"));
            say(&format!("| {resources} | {top:.0} | {deep} |"));
        }
        say("\n| resources | read and check, ms | link, ms |");
        say("|---|---|---|");
        for resources in [100, 1000] {
            let text = synthetic::schema(resources);
            let def = api_def(&schema(resources)?);
            let read = self.time(|| read_yaml("parts.yaml", black_box(&text)).is_ok())?;
            let link = self.time(|| Model::link(black_box(def)).is_ok())?;
            say(&format!("| {resources} | {:.1} | {:.2} |", read * 1e3, link * 1e3));
        }
        Ok(())
    }

    /// Returns the time in which the target of a member is found, in nanoseconds.
    fn find(&self, model: &Model, at: usize) -> io::Result<f64> {
        let uri: Uri = format!("{}/7?limit=5", path(at)).parse().map_err(io::Error::other)?;
        let is_member = || matches!(Target::find(model, black_box(&uri)), Ok(Target::Member(..)));
        let time = self.time(|| (0..FINDS).all(|_| black_box(is_member())))?;
        Ok(time / f64::from(FINDS) * 1e9)
    }

    /// Returns the median time of the turns, in seconds. An error if the work fails.
    fn time(&self, work: impl Fn() -> bool) -> io::Result<f64> {
        let mut turns = vec![];
        for _ in 0..self.turns {
            let begun = Instant::now();
            if !work() {
                return Err(io::Error::other("the synthetic schema has changed"));
            }
            turns.push(begun.elapsed().as_secs_f64());
        }
        Ok(median(turns))
    }
}

fn schema(resources: usize) -> io::Result<Schema> {
    read_yaml("parts.yaml", &synthetic::schema(resources))
        .map_err(|diagnostics| io::Error::other(diagnostics.to_string()))
}

/// The URL path of the collection with this number. Each parent in the path has the id 1.
fn path(at: usize) -> String {
    let above: String =
        (at - at % 4..at).map(|above| format!("/{}s/1", synthetic::noun(above))).collect();
    format!("{above}/{}s", synthetic::noun(at))
}
