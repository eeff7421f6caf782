//! A fresh database for a test, on the engine that is tested, and the SQL of the test in it.
//!
//! `tests/with_postgres` runs a command with a PostgreSQL cluster, and names it in
//! `NOUNS_TEST_DATABASE`. Then every test database is a schema of its own in it. Without the
//! variable, it is an SQLite file.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{fallible_iterator::FallibleIterator as _, types::ValueRef};

/// The environment variable with the URL of a PostgreSQL database for tests.
const VARIABLE: &str = "NOUNS_TEST_DATABASE";

/// The text that `psql` prints between cells, between rows, and after a script.
const CELL: &str = "\u{1f}";
const ROW: &str = "\u{1e}";
const END: &str = "nouns: the end of the script";

/// Whether tests use PostgreSQL.
pub(crate) fn is_postgres() -> bool {
    env::var_os(VARIABLE).is_some()
}

/// The URL of the database for tests, with further options.
pub(crate) fn url(options: &str) -> String {
    let url = env::var(VARIABLE).expect("run this test with tests/with_postgres");
    format!("{url}{}{options}", if url.contains('?') { '&' } else { '?' })
}

/// A database that no other test uses.
pub(crate) struct TestDatabase {
    /// The SQLite file.
    pub(crate) file: PathBuf,
    /// Whether it is on PostgreSQL, where the file is only a name.
    pub(crate) is_postgres: bool,
    /// The session of [`run`](Self::run) on PostgreSQL, which is opened when it is first used.
    shared: Mutex<Option<TestSession>>,
}

impl TestDatabase {
    /// Creates a database. `file` is that of SQLite, in a folder of its own.
    pub(crate) fn new(file: PathBuf) -> Self {
        Self::on(is_postgres(), file)
    }

    /// Creates a database on one of the engines.
    pub(crate) fn on(is_postgres: bool, file: PathBuf) -> Self {
        let database = Self { file, is_postgres, shared: Mutex::default() };
        if is_postgres {
            database.run(&format!("CREATE SCHEMA IF NOT EXISTS {}", database.schema()));
        }
        database
    }

    /// The location of the database, as a text.
    pub(crate) fn location(&self) -> String {
        match self.is_postgres {
            true => {
                let schema = self.schema();
                url(&format!("options=-csearch_path%3D{schema}&application_name={schema}"))
            }
            false => self.file.to_str().unwrap().to_owned(),
        }
    }

    /// The schema on PostgreSQL, named after the folder of the file.
    pub(crate) fn schema(&self) -> String {
        let folder = self.file.parent().unwrap().file_name().unwrap().to_string_lossy();
        let letters: String = folder.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("nouns_{}", letters.to_lowercase())
    }

    /// Opens a session of another program.
    pub(crate) fn session(&self) -> TestSession {
        if self.is_postgres {
            return TestSession::Postgres(Psql::start(&self.schema()));
        }
        let database = rusqlite::Connection::open(&self.file).unwrap();
        database.busy_timeout(Duration::from_secs(5)).unwrap();
        TestSession::Sqlite(database)
    }

    /// Runs a script, as another program does.
    pub(crate) fn run(&self, script: &str) {
        self.rows(script);
    }

    /// Runs a script, as another program does. Returns the cells of its one result. NULL is `NULL`,
    /// and other values have the form of the engine.
    pub(crate) fn rows(&self, script: &str) -> Vec<Vec<String>> {
        self.in_session(|session| session.rows(script))
    }

    /// Runs a script, as another program does. Returns the one cell of its result.
    pub(crate) fn cell(&self, script: &str) -> String {
        self.in_session(|session| session.cell(script))
    }

    /// Opens a session for a script, or takes the shared one on PostgreSQL.
    fn in_session<T>(&self, run: impl FnOnce(&mut TestSession) -> T) -> T {
        if !self.is_postgres {
            return run(&mut self.session());
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        run(shared.get_or_insert_with(|| self.session()))
    }
}

/// A session of another program.
pub(crate) enum TestSession {
    Sqlite(rusqlite::Connection),
    Postgres(Psql),
}

impl TestSession {
    /// Runs a script. Returns the cells of its one result.
    pub(crate) fn rows(&mut self, script: &str) -> Vec<Vec<String>> {
        self.try_rows(script).unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Runs a script. Returns the one cell of its result.
    pub(crate) fn cell(&mut self, script: &str) -> String {
        let rows = self.rows(script);
        let [row] = rows.as_slice() else { panic!("{script}: {rows:?}") };
        let [cell] = row.as_slice() else { panic!("{script}: {rows:?}") };
        cell.clone()
    }

    /// Runs a script. Returns the cells of its one result, or the words of the database about its
    /// error. No session of PostgreSQL goes on after an error.
    pub(crate) fn try_rows(&mut self, script: &str) -> Result<Vec<Vec<String>>, String> {
        match self {
            Self::Sqlite(database) => {
                sqlite_rows(database, script).map_err(|error| error.to_string())
            }
            Self::Postgres(psql) => psql.rows(script),
        }
    }
}

fn sqlite_rows(
    database: &rusqlite::Connection,
    script: &str,
) -> rusqlite::Result<Vec<Vec<String>>> {
    let (mut result, mut batch) = (vec![], rusqlite::Batch::new(database, script));
    while let Some(mut statement) = batch.next()? {
        let width = statement.column_count();
        let cells = |row: &rusqlite::Row<'_>| (0..width).map(|at| sqlite_cell(row, at)).collect();
        let rows: Vec<_> = statement.query_map([], cells)?.collect::<rusqlite::Result<_>>()?;
        if width > 0 {
            result = rows;
        }
    }
    Ok(result)
}

fn sqlite_cell(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(at)? {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("{bytes:02x?}"),
    })
}

/// A session of the program `psql`.
pub(crate) struct Psql {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Psql {
    fn start(schema: &str) -> Self {
        let url = url("application_name=another");
        let mut program = Command::new("psql")
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", &url])
            .args(["--field-separator", CELL, "--record-separator", ROW, "--pset", "null=NULL"])
            .args(["--set", "ON_ERROR_STOP=1", "--file", "-"])
            .env("PGOPTIONS", format!("-csearch_path={schema} -cclient_min_messages=warning"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tests on PostgreSQL need the program psql");
        let (input, output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
        Self { program, input, output: BufReader::new(output) }
    }

    fn rows(&mut self, script: &str) -> Result<Vec<Vec<String>>, String> {
        // A script may end with a comment, or without a semicolon.
        let sent = writeln!(self.input, "{script}\n;\n\\echo '{END}'");
        let (mut text, mut line) = (String::new(), String::new());
        while sent.is_ok() && self.output.read_line(&mut line).unwrap() > 0 {
            if let Some(rest) = line.strip_suffix(&format!("{END}\n")) {
                text.push_str(rest);
                return Ok(cells(&text));
            }
            text.push_str(&line);
            line.clear();
        }
        let mut problem = String::new();
        self.program.stderr.take().unwrap().read_to_string(&mut problem).unwrap();
        Err(problem)
    }
}

/// The cells of what `psql` has printed.
fn cells(text: &str) -> Vec<Vec<String>> {
    let row = |row: &str| row.split(CELL).map(str::to_owned).collect();
    text.strip_suffix('\n').map_or_else(Vec::new, |text| text.split(ROW).map(row).collect())
}

impl Drop for Psql {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
