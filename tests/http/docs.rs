//! Runs the commands in the documentation and compares their output with the one on the page.
//!
//! A page is `README.md` or a file of `docs/`. Its `console` blocks have commands, each after `$ `,
//! and the output below. `curl` sends its request to a new server of the schema above the command.
//! That schema is on the page, or in a comment: `<!-- schema: schemas/zoo.yaml -->`.
//!
//! Commands of `nouns` run in a folder with `schemas`, and `cd` enters a folder in it. The folder
//! also has the YAML blocks of the page that begin with a file name, such as `# zoo.yaml`. After
//! `nouns serve`, `curl` sends its requests to that server, until the next schema or `nouns serve`.
//!
//! [`blocks`] says what happens to blocks in other languages. [`NOT_RUN`] lists the commands that
//! are not run.

mod blocks;
mod curl;
mod page;
mod program;
mod shown;

use std::{fs, path::PathBuf, process::Command};

use self::{
    curl::Request,
    page::{Page, Step},
    program::Serving,
    shown::Shown,
};
use crate::{client::Client, server::TestServer, tidy::root};

/// The beginnings of commands that are not run, each with the reason.
const NOT_RUN: [(&str, &str); 10] = [
    ("cargo ", "compiles for minutes; the programs are tests or benchmarks of the repository"),
    ("RUNS=1 CARGO_BUILD_JOBS=1 benches/library-build", "compiles for minutes"),
    ("nouns-bench peers ", "needs servers of other frameworks"),
    ("nouns-bench postgres ", "needs a PostgreSQL server, and takes minutes"),
    ("sqlite3 ", "is a program of others; `program::two_programs` writes with plain SQL"),
    ("apt install ", "changes the system; `packaging/test` installs the package"),
    ("systemctl ", "needs systemd; `packaging/test` checks the units"),
    ("kill 17620", "needs the process of the page; `program::stop` stops servers"),
    ("nouns backup zoo.yaml zoo-", "`program::backup` makes backups"),
    ("nouns restore zoo.yaml zoo-", "`program::backup` restores them"),
];

/// The minimum number of commands on all pages together.
const COMMANDS_MIN: usize = 120;

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

/// The server of a page, which ends with this value.
#[expect(dead_code, reason = "a server runs as long as its value lives")]
enum Server {
    /// A server of a schema on the page.
    Test(Box<TestServer>),
    /// A server that a command of the page has started.
    Program(Serving),
}

/// The state while the commands of a page run: its files, its server, and the real entity tags and
/// cursors to use instead of those on the page.
struct Run {
    /// The server is stopped before its folder is removed.
    server: Option<(Server, Client)>,
    _folder: tempfile::TempDir,
    /// The folder in which commands run, and in which files are written.
    current: PathBuf,
    schema: Option<String>,
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
        let current = folder.path().to_owned();
        Self { server: None, _folder: folder, current, schema: None, shown: Shown::default() }
    }

    /// Executes a step of a page. The error describes how the output differs from the one on the
    /// page.
    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Schema(schema) => {
                (self.schema, self.server) = (Some(schema.clone()), None);
                Ok(())
            }
            Step::File { name, text } => {
                fs::write(self.current.join(name), text).unwrap();
                Ok(())
            }
            Step::Command { command, output, .. } => self.command(command, output),
        }
    }

    fn command(&mut self, command: &str, shown: &str) -> Result<(), String> {
        if command.starts_with("curl ") {
            let words = curl::words(&self.shown.real(command));
            let request = Request::parse(&words[1..]);
            let form = request.form();
            let answer = request.send(self.client()?);
            return self.shown.compare_answer(shown, &answer, form);
        }
        if let Some(folder) = command.strip_prefix("cd ") {
            self.current = self.current.join(folder);
            return if self.current.is_dir() { Ok(()) } else { Err("there is no folder".into()) };
        }
        if NOT_RUN.iter().any(|(beginning, _)| command.starts_with(beginning)) {
            return Ok(());
        }
        if command.starts_with("nouns serve ") {
            return self.serve(command, shown);
        }
        if command.starts_with("sed -i ") {
            return self.edit(&curl::words(command)[1..]);
        }
        if command.starts_with("nouns ") || command.starts_with("echo ") {
            return self.shown.compare_text(shown, &program::run(&self.current, command));
        }
        Err("this test does not know the command; `NOT_RUN` lists those that are not run".into())
    }

    /// Edits a file by `sed`.
    fn edit(&self, words: &[String]) -> Result<(), String> {
        let mut sed = Command::new("sed");
        let status = sed.current_dir(&self.current).args(words).status().unwrap();
        if status.success() { Ok(()) } else { Err("sed fails".into()) }
    }

    fn serve(&mut self, command: &str, shown: &str) -> Result<(), String> {
        // The server before is stopped first, as a reader does.
        self.server = None;
        let output = match Serving::start(&self.current, command) {
            Ok((banner, serving)) => {
                let client = serving.client();
                self.server = Some((Server::Program(serving), client));
                banner
            }
            Err(output) => output,
        };
        self.shown.compare_text(shown.trim_start_matches('\n'), output.trim_start_matches('\n'))
    }

    fn client(&mut self) -> Result<&mut Client, String> {
        if self.server.is_none() {
            let schema =
                self.schema.as_deref().ok_or("the page shows and names no schema above")?;
            let server = TestServer::of(schema);
            let client = server.client();
            self.server = Some((Server::Test(Box::new(server)), client));
        }
        Ok(&mut self.server.as_mut().unwrap().1)
    }
}
