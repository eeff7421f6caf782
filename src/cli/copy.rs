//! `nouns copy`: copies a database to another place or another engine, and verifies the copy.

use std::{
    ffi::OsString,
    io::{IsTerminal as _, Write as _, stderr},
    time::{Duration, Instant},
};

use clap::Args;
use nouns_runtime::store::{self, CopyProgress, Location, TransferSummary};

use super::{Failure, copying, print};

const EXAMPLES: &str = "Examples:
  nouns copy zoo.db postgres://db/zoo
  nouns copy --seal zoo.db postgres://db/zoo
  nouns copy postgres://db/zoo zoo.db
  nouns copy --unseal zoo.db";

/// The time between two lines of progress, if standard error is not a terminal.
const LINE_TIME: Duration = Duration::from_secs(5);

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Copy {
    /// The database to copy: an SQLite file, or a URL of PostgreSQL. It may be served meanwhile.
    #[arg(value_name = "FROM")]
    from: OsString,
    /// The empty database to fill, or the one that an interrupted copy has begun to fill.
    #[arg(value_name = "TO", required_unless_present = "unseal")]
    to: Option<OsString>,
    /// Make FROM refuse further writes, by any program. Then TO has its identity and its
    /// sessions, and the validators (ETags) that clients hold stay true.
    #[arg(long, env = "NOUNS_SEAL", value_parser = clap::builder::BoolishValueParser::new())]
    seal: bool,
    /// Let FROM, which was sealed, be written again. It gets a new identity.
    #[arg(long, conflicts_with_all = ["to", "seal"])]
    unseal: bool,
}

impl Copy {
    pub(super) fn run(self) -> Result<(), Failure> {
        let from = Location::from(self.from);
        let Some(to) = self.to.map(Location::from) else { return unseal(&from) };
        let line = format!("copied `{from}` to `{to}`");
        let mut shown = ShownProgress::default();
        let work = move |progress: &_| store::transfer(&from, &to, self.seal, progress);
        let (summary, took) = copying::run_with(work, move |progress, _| shown.update(progress))?;
        print(&format!("{line}: {}", report(&summary, took)));
        Ok(())
    }
}

fn unseal(database: &Location) -> Result<(), Failure> {
    let line = match store::unseal(database).map_err(|error| Failure(format!("error: {error}")))? {
        true => format!("`{database}` accepts writes again, with a new identity\n"),
        false => format!("`{database}` is not sealed\n"),
    };
    print(&line);
    Ok(())
}

/// The report of a copy: a line for each table.
fn report(summary: &TransferSummary, took: Duration) -> String {
    let rows: u64 = summary.tables.iter().map(|table| table.rows).sum();
    let mut text = format!(
        "{rows} row{} in {:.1} s, verified by a digest of each table\n",
        if rows == 1 { "" } else { "s" },
        took.as_secs_f64()
    );
    if summary.resumed_rows > 0 {
        text.push_str(&format!("{} of them were there already\n", summary.resumed_rows));
    }
    let names = summary.tables.iter().map(|table| table.name.len());
    let width = names.max().unwrap_or_default();
    for table in &summary.tables {
        text.push_str(&format!(
            "  {:width$}  {:>10}  {}…\n",
            table.name,
            table.rows,
            &table.digest[..16]
        ));
    }
    text.push_str(match summary.is_sealed {
        true => "the source accepts no more writes; the copy has its identity\n",
        false => "the copy has an identity of its own: validators that clients hold do not match\n",
    });
    text
}

/// The progress as it was last shown.
struct ShownProgress {
    is_terminal: bool,
    table: String,
    at: Instant,
}

impl Default for ShownProgress {
    fn default() -> Self {
        Self { is_terminal: stderr().is_terminal(), table: String::new(), at: Instant::now() }
    }
}

impl ShownProgress {
    /// Shows the progress: on a terminal in one line, otherwise in a line now and then.
    fn update(&mut self, progress: &CopyProgress) {
        let Some((table, done, all)) = progress.rows() else {
            return copying::draw("");
        };
        let line = line(&table, done, all);
        if self.is_terminal {
            return copying::draw(&line);
        }
        if table != self.table || self.at.elapsed() >= LINE_TIME {
            (self.table, self.at) = (table, Instant::now());
            drop(writeln!(stderr(), "{line}"));
        }
    }
}

fn line(table: &str, done: u64, all: u64) -> String {
    if table.starts_with("_nouns_") {
        return format!("copying the store's own rows: {done} of {all}");
    }
    format!("copying `{table}`: {done} of {all} rows")
}

#[cfg(test)]
mod tests {
    use nouns_runtime::store::TransferredTable;

    use super::*;

    #[test]
    fn the_report_names_each_table() {
        let table = |name: &str, rows| TransferredTable {
            name: name.into(),
            rows,
            digest: "0123456789abcdef".repeat(4),
        };
        let summary = TransferSummary {
            tables: vec![table("zoos", 3), table("animals", 12_000)],
            resumed_rows: 5,
            is_sealed: true,
        };
        let expected = "12003 rows in 1.5 s, verified by a digest of each table
5 of them were there already
  zoos              3  0123456789abcdef…
  animals       12000  0123456789abcdef…
the source accepts no more writes; the copy has its identity
";
        assert_eq!(report(&summary, Duration::from_millis(1_500)), expected);
        assert_eq!(line("zoos", 1, 2), "copying `zoos`: 1 of 2 rows");
    }
}
