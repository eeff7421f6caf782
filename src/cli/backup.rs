//! `nouns backup`: copies a database, which may be in use, and verifies the copy.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use nouns_runtime::store;

use super::{Failure, copying, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns backup zoo.yaml backup.db
  nouns backup zoo.yaml --database /srv/zoo.db --replace backup.db";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Backup {
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to write.
    #[arg(value_name = "DEST")]
    to: PathBuf,
    /// The SQLite database [default: the value in the schema, or the name of the schema file
    /// with `.db`, in the working directory].
    #[arg(long, value_name = "FILE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
    /// Replace DEST if it exists.
    #[arg(long, env = "NOUNS_REPLACE", value_parser = BoolishValueParser::new())]
    replace: bool,
}

impl Backup {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let database = schema_file::database(self.database, &schema, &self.file);
        let line = format!("backed up `{}` to `{}`", database, self.to.display());
        let work = move |progress: &_| store::backup(&database, &self.to, self.replace, progress);
        let (copied, took) = copying::run(work)?;
        print(&format!("{line}: {}\n", copying::summary(&copied, took)));
        Ok(())
    }
}
