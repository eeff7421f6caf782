//! `nouns restore`: verifies a backup and makes it the database of a schema file.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use nouns_runtime::store::{self, RestoreSummary};

use super::{Failure, complain, copying, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns restore zoo.yaml backup.db
  nouns restore --replace zoo.yaml backup.db";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Restore {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The backup, which is not changed.
    #[arg(value_name = "SOURCE")]
    from: PathBuf,
    /// The SQLite database to create [default: the value in the schema, or the name of
    /// the schema file with `.db`, in the working directory].
    #[arg(long, value_name = "FILE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
    /// Move an existing database aside.
    #[arg(long, env = "NOUNS_REPLACE", value_parser = BoolishValueParser::new())]
    replace: bool,
}

impl Restore {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let model = schema_file::model(&schema)?;
        let flag = self.database.as_ref().map(|path| format!("--database {} ", path.display()));
        let database = schema_file::database(self.database, &schema, &self.file);
        let line = format!("restored `{}` from `{}`", database, self.from.display());
        let work = move |progress: &_| {
            store::restore(&model, &self.from, &database, self.replace, progress)
        };
        let (RestoreSummary { copied, aside, pending }, took) = copying::run(work)?;
        print(&format!("{line}: {}\n", copying::summary(&copied, took)));
        if let Some(aside) = aside {
            print(&format!("the previous database is `{}`\n", aside.display()));
        }
        if !pending.is_empty() {
            let changes: String = pending
                .iter()
                .map(|each| format!("\n- {} {}", each.description, each.reason))
                .collect();
            complain(&format!(
                "the backup was made for another schema; `nouns serve {} {}--apply` makes these \
                 changes:{changes}",
                self.file.display(),
                flag.unwrap_or_default()
            ));
        }
        Ok(())
    }
}
