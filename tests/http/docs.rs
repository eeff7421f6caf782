//! Runs the commands in the documentation and compares their output with the one on the page.
//!
//! A page is `README.md` or a file of `docs/`. Its `console` blocks have commands, each after `$ `,
//! and the output below. `curl` sends its request to a new server of the schema above the command.
//! That schema is on the page, or in a comment: `<!-- schema: schemas/zoo.yaml -->`.
//!
//! `nouns check`, `explain`, `generate`, `new` and `routes` run in a folder with `schemas`. The
//! folder also has the YAML blocks of the page that begin with a file name, such as `# zoo.yaml`.
//! Other commands are not run.

mod curl;
mod page;
mod shown;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use self::{
    curl::Request,
    page::{Page, Step},
    shown::Shown,
};
use crate::{client::Client, server::TestServer, tidy::root};

/// The commands of the program that only read files, or write into a new folder, so that this test
/// can run them.
const PROGRAM: [&str; 5] =
    ["nouns check ", "nouns explain ", "nouns generate ", "nouns new ", "nouns routes "];

/// The minimum number of commands on all pages together.
const COMMANDS_MIN: usize = 50;

#[test]
fn every_command_of_the_documentation_prints_what_its_page_shows() {
    let mut commands = 0;
    let mut failures = vec![];
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let mut run = Run::new();
        for step in Page::read(&text).steps {
            commands += usize::from(matches!(step, Step::Command { .. }));
            let Err(difference) = run.step(&step) else { continue };
            let Step::Command { line, command, .. } = step else { panic!("{name}: {difference}") };
            failures.push(format!("{name}:{line}: {command}\n{difference}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(commands >= COMMANDS_MIN, "the pages have only {commands} commands that can be run");
}

/// Lists the paths of `README.md` and of the files in `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        pages.push(entry.unwrap().path());
    }
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// The state while the commands of a page run: its files, its server, and the real entity tags and
/// cursors to use instead of those on the page.
struct Run {
    folder: tempfile::TempDir,
    schema: Option<String>,
    server: Option<(TestServer, Client)>,
    shown: Shown,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let schemas = folder.path().join("schemas");
        fs::create_dir(&schemas).unwrap();
        for entry in fs::read_dir(root().join("schemas")).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, schemas.join(path.file_name().unwrap())).unwrap();
        }
        Self { folder, schema: None, server: None, shown: Shown::default() }
    }

    /// Executes a step of a page. The error describes how the output differs from the one on the
    /// page.
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Schema(schema) => {
                (self.schema, self.server) = (Some(schema.clone()), None);
            }
            Step::File { name, text } => fs::write(self.folder.path().join(name), text).unwrap(),
            Step::Command { command, output, .. } if command.starts_with("curl ") => {
                let words = curl::words(&self.shown.real(command));
                let request = Request::parse(&words[1..]);
                let form = request.form();
                let answer = request.send(self.client()?);
                return self.shown.compare_answer(output, &answer, form);
            }
            Step::Command { command, output, .. }
                if PROGRAM.iter().any(|known| command.starts_with(known)) =>
            {
                return self.shown.compare_text(output, &run(self.folder.path(), command));
            }
            Step::Command { .. } => {}
        }
        Ok(())
    }

    fn client(&mut self) -> Result<&mut Client, String> {
        if self.server.is_none() {
            let schema =
                self.schema.as_deref().ok_or("the page shows and names no schema above")?;
            let server = TestServer::of(schema);
            let client = server.client();
            self.server = Some((server, client));
        }
        Ok(&mut self.server.as_mut().unwrap().1)
    }
}

/// Runs the `nouns` program. Returns its standard output, followed by its standard error.
fn run(folder: &Path, command: &str) -> String {
    let words = curl::words(command);
    let mut program = Command::new(env!("CARGO_BIN_EXE_nouns"));
    program.current_dir(folder).env("NO_COLOR", "1").env_remove("NOUNS_LOG").args(&words[1..]);
    let output = program.output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}
