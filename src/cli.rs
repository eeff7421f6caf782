//! The command line: the commands and their exit codes.

mod access;
mod account;
mod backup;
mod banner;
mod check;
mod completions;
mod copy;
mod copying;
mod explain;
mod generate;
mod log;
mod man;
mod mock;
mod new;
mod new_file;
mod repair;
mod restore;
mod routes;
mod sample;
mod schema_file;
mod serve;
mod shell;
mod signals;

use std::{ffi::OsString, io::Write, path::Path, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use self::generate::Generate;

const EXAMPLES: &str = "Examples:
  nouns new blog
  nouns serve zoo.yaml
  nouns help serve";

/// You declare the nouns; HTTP brings the verbs.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a commented schema file to begin with.
    New(new::New),
    /// Serve a schema file over HTTP.
    Serve(Box<serve::Serve>),
    /// Report every mistake in schema files.
    Check(check::Check),
    /// List the URLs of a schema file with their methods.
    Routes(routes::Routes),
    /// Explain a request: its route, its action, its SQL statements, and the response.
    Explain(Box<explain::Explain>),
    /// Write Rust, OpenAPI, SQL or a JSON Schema from a schema file.
    #[command(subcommand)]
    Generate(Generate),
    /// Print the access rules of a schema file for each class of callers.
    Access(access::Access),
    /// Add accounts, set their passwords, and list them.
    #[command(subcommand)]
    Account(account::Account),
    /// Copy the database of a schema file, while it is served or not, and verify the copy.
    Backup(backup::Backup),
    /// Verify a backup, and make it the database of a schema file.
    Restore(restore::Restore),
    /// Set times of a database that lie in the future to the present.
    Repair(repair::Repair),
    /// Copy a database to another place or another engine, and verify the copy.
    Copy(copy::Copy),
    /// Print the completion script of a shell.
    Completions(completions::Completions),
    /// Write manual pages.
    Man(man::ManPages),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The output format of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Text for people.
    #[default]
    Text,
    /// JSON for programs.
    Json,
}

/// Commands that are planned, but not supported yet.
const PLANNED: [&str; 5] = ["diff", "export", "import", "introspect", "migrate"];

/// An error message for standard error. It is empty if the command has already printed everything.
/// The exit code is 1.
#[derive(Debug)]
struct Failure(String);

impl<T: std::fmt::Display> From<T> for Failure {
    fn from(message: T) -> Self {
        Self(message.to_string())
    }
}

impl Cli {
    /// Runs the command. The exit code is 0 for success, 1 for invalid input, and 2 for an invalid
    /// command line.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let result = match self.command {
            Command::New(new) => new.run(),
            Command::Serve(serve) => serve.run(),
            Command::Check(check) => check.run(),
            Command::Routes(routes) => routes.run(),
            Command::Explain(explain) => explain.run(),
            Command::Generate(Generate::Artifact(artifact)) => artifact.run(),
            Command::Access(access) => access.run(),
            Command::Account(account) => account.run(),
            Command::Backup(backup) => backup.run(),
            Command::Restore(restore) => restore.run(),
            Command::Repair(repair) => repair.run(),
            Command::Copy(copy) => copy.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
            Command::Generate(Generate::Other(words)) => return generate::unknown(&words),
            Command::Other(words) => return unknown(&words),
        };
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(Failure(message)) => {
                complain(&message);
                ExitCode::from(1)
            }
        }
    }
}

fn unknown(words: &[OsString]) -> ExitCode {
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    if PLANNED.contains(&&*word) {
        complain(&format!("error: `nouns {word}` is not supported yet"));
    } else {
        complain(&format!("error: there is no command `{word}`; {}", advice(&word)));
    }
    ExitCode::from(2)
}

/// The advice in the message about an unknown command.
fn advice(word: &str) -> String {
    if Path::new(word).is_file() {
        return format!("to serve that file write `nouns serve {word}`");
    }
    let commands = Cli::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let near = names.map(|name| (strsim::osa_distance(word, name), name)).min();
    match near.filter(|(distance, name)| *distance <= name.len() / 3) {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => "`nouns help` lists them".into(),
    }
}

/// Prints the output of a command. A closed pipe is not an error.
fn print(text: &str) {
    drop(std::io::stdout().write_all(text.as_bytes()));
}

fn complain(message: &str) {
    if message.is_empty() {
        return;
    }
    drop(writeln!(std::io::stderr(), "{}", message.trim_end()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a command line, as a shell reads them.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.take_while(|word| word != ">" && word != "|").collect()
    }

    /// The examples in the help of a command: the words of each, from `nouns`.
    fn examples(command: &clap::Command) -> Vec<Vec<String>> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = help.strip_prefix("Examples:\n").unwrap_or_default().lines();
        lines.map(|line| words(&line[line.find("nouns ").unwrap_or(0)..])).collect()
    }

    fn check(command: &clap::Command, path: &[&str]) {
        let name = path.join(" ");
        let examples = examples(command);
        assert!(!examples.is_empty(), "the help of `{name}` needs an example");
        for example in examples {
            assert_eq!(&example[..path.len()], path, "an example of another command");
            let is_help = example[1] == "help";
            if let Err(error) = Cli::try_parse_from(&example).map(drop) {
                let is_shown = error.kind() == clap::error::ErrorKind::DisplayHelp;
                assert!(is_help && is_shown, "{example:?}: {error}");
            }
        }
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            check(below, &[path, &[below.get_name()]].concat());
        }
    }

    #[test]
    fn the_help_of_each_command_has_examples_that_are_valid() {
        check(&Cli::command(), &["nouns"]);
    }
}
