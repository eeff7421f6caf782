//! `nouns generate templates`: the files of the web pages, for those who change them.

use std::{fs, path::PathBuf};

use clap::Args;
use nouns_runtime::pages::Pages;

use crate::cli::{Failure, new_file::write_new, print};

const EXAMPLES: &str = "Examples:
  nouns generate templates web page.css
  nouns generate templates web home.html layout.html";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct TemplatesOptions {
    /// The directory to write to, which is created if it does not exist.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// The files to write [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

impl TemplatesOptions {
    /// Writes the files. One that exists is not replaced.
    pub(super) fn run(self) -> Result<(), Failure> {
        let known: Vec<_> = Pages::texts().collect();
        if let Some(unknown) =
            self.names.iter().find(|name| known.iter().all(|(one, _)| one != *name))
        {
            let names: Vec<_> = known.iter().map(|(name, _)| &**name).collect();
            return Err(Failure(format!(
                "error: the pages have no file `{unknown}`; they have {}",
                names.join(", ")
            )));
        }
        let shown = self.directory.display();
        fs::create_dir_all(&self.directory).map_err(|error| {
            Failure(format!("error: the directory `{shown}` cannot be created: {error}"))
        })?;
        for (name, text) in known {
            if self.names.is_empty() || self.names.contains(&name) {
                let path = self.directory.join(name);
                write_new(&path, &text)?;
                print(&format!("{}\n", path.display()));
            }
        }
        Ok(())
    }
}
