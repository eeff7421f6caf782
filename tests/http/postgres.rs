//! PostgreSQL in tests: the database of a test server, and tests of what only this engine has.
//!
//! `tests/with_postgres` runs a command with a cluster, and names it in `NOUNS_TEST_DATABASE`. Then
//! every test server uses a schema of its own in it. Without the variable, test servers use SQLite,
//! and the tests of this module are ignored.

mod nodes;
mod others;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use nouns::Location;

use crate::server::TestServer;

/// The environment variable with the URL of a database for tests.
const VARIABLE: &str = "NOUNS_TEST_DATABASE";

/// The location of the database of a test server. `database` is the path of its SQLite file.
pub(crate) fn location(database: &Path) -> Location {
    let Ok(url) = std::env::var(VARIABLE) else { return database.into() };
    let schema = schema(database);
    script(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
    let joint = if url.contains('?') { '&' } else { '?' };
    Location::from(format!(
        "{url}{joint}options=-csearch_path%3D{schema}&application_name={schema}"
    ))
}

/// Whether test servers use PostgreSQL.
pub(crate) fn is_used() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// The schema of a test server, named after its temporary folder.
fn schema(database: &Path) -> String {
    let folder = database.parent().unwrap().file_name().unwrap().to_string_lossy();
    let letters: String = folder.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("nouns_{}", letters.to_lowercase())
}

/// Runs a script as another program, and returns the cells of its result.
fn script(script: &str) -> String {
    let url = std::env::var(VARIABLE).expect("run this test with tests/with_postgres");
    let mut program = Command::new("psql")
        .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--dbname", &url])
        .args(["--set", "ON_ERROR_STOP=1", "--file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tests on PostgreSQL need the program psql");
    program.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Runs a script as another program, in the schema of a test server. Returns the cells of its
/// result.
pub(crate) fn elsewhere(server: &TestServer, text: &str) -> String {
    script(&format!("SET search_path = {}; {text}", schema(&server.database)))
}
