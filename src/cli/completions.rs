//! `nouns completions`: the completion script of a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use super::{Cli, Failure, print};

const EXAMPLES: &str = "Examples:
  nouns completions bash > ~/.local/share/bash-completion/completions/nouns
  nouns completions zsh > ~/.zfunc/_nouns
  nouns completions fish > ~/.config/fish/completions/nouns.fish";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut script = vec![];
        generate(self.shell, &mut Cli::command(), "nouns", &mut script);
        print(&String::from_utf8(script)?);
        Ok(())
    }
}
