//! `nouns man`: manual pages, one for the program and one for each command.

use std::{fs, io::Write as _, path::PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;

use super::{Cli, Failure, print};

const EXAMPLES: &str = "Examples:
  nouns man | man -l -
  nouns man --out ~/.local/share/man/man1";

/// The line before the examples in a help text.
const HEADING: &str = "Examples:\n";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManPages {
    /// The directory for `nouns.1` and a page for each command, such as `nouns-serve.1`. Without
    /// this, the page of the program is printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl ManPages {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let Some(directory) = self.out else {
            print(&String::from_utf8(page(&command)?)?);
            return Ok(());
        };
        let shown = directory.display();
        let failed = |error| Failure(format!("error: `{shown}`: {error}"));
        fs::create_dir_all(&directory).map_err(failed)?;
        for command in commands(&command) {
            let name = format!("{}.1", page_name(command));
            fs::write(directory.join(name), page(command)?).map_err(failed)?;
        }
        Ok(())
    }
}

/// A command and all below it.
fn commands(command: &Command) -> Vec<&Command> {
    let shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    [command].into_iter().chain(shown.flat_map(commands)).collect()
}

/// The name of a page: `nouns-account-add`.
fn page_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// A manual page in the language of troff, with the examples of the help as their own section.
fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let name = page_name(command);
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let source = concat!("nouns ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone().after_help("")).title(name).source(source).manual("Nouns");
    let mut page = vec![];
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    page.write_all(b".SH EXAMPLES\n.nf\n")?;
    for line in help.strip_prefix(HEADING).unwrap_or(&help).lines() {
        page.write_all(format!("{}\n", troff(line)).as_bytes())?;
    }
    page.write_all(b".fi\n")?;
    Ok(page)
}

/// A line of text in the language of troff. Hyphens are those of a command line.
fn troff(line: &str) -> String {
    let line = line.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq");
    if line.starts_with('.') { format!(r"\&{line}") } else { line }
}
