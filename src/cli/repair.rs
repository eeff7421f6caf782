//! `nouns repair`: sets times of a database that lie in the future to the present.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use nouns_runtime::store::{FutureTimes, repair_times};

use super::{Failure, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns repair zoo.yaml
  nouns repair zoo.yaml --database /srv/zoo.db --apply";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Repair {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The SQLite database [default: the value in the schema, or the name of the schema file
    /// with `.db`, in the working directory].
    #[arg(long, value_name = "FILE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
    /// Set the times to the present. Without it, they are only counted.
    #[arg(long, env = "NOUNS_APPLY", value_parser = BoolishValueParser::new())]
    apply: bool,
}

impl Repair {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let database = schema_file::database(self.database, &schema, &self.file);
        let found = repair_times(database.clone(), self.apply)
            .map_err(|error| Failure(format!("error: {error}")))?;
        print(&summary(&format!("`{database}`"), &found, self.apply));
        Ok(())
    }
}

fn summary(database: &str, FutureTimes { newest, rows }: &FutureTimes, applied: bool) -> String {
    if newest.is_none() && rows.is_empty() {
        return format!("{database} has no times in the future\n");
    }
    let change = newest.as_ref().map(|time| format!("- The last change has the time {time}.\n"));
    let one = |(table, count): &(String, u64)| match count {
        1 => format!("- 1 row of `{table}` has a time in the future.\n"),
        _ => format!("- {count} rows of `{table}` have times in the future.\n"),
    };
    let lines: String = change.into_iter().chain(rows.iter().map(one)).collect();
    match applied {
        true => {
            format!("times of {database} that were in the future are now the present:\n{lines}")
        }
        false => format!(
            "{database} has times in the future:\n{lines}Run it again with --apply to set them to the present.\n"
        ),
    }
}
