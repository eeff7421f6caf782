//! The program: arguments in, a command run, an exit code out.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    nouns::cli::Cli::parse().run()
}
