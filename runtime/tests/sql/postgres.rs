//! A real PostgreSQL server prepares the PostgreSQL statements of all snapshots.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// The folder in which Debian installs the programs of each PostgreSQL version.
const PROGRAMS: &str = "/usr/lib/postgresql";

/// A stub of the function that compares the times of changes, which the engine creates.
const AFTER: &str = "
    CREATE FUNCTION _nouns_after(timestamptz, timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT $2';";

/// A PostgreSQL server in a temporary folder. When it is dropped, it stops and the folder is
/// deleted.
struct Server {
    folder: TempDir,
    programs: PathBuf,
}

impl Server {
    fn start() -> Self {
        let versions =
            fs::read_dir(PROGRAMS).expect("this test needs the Debian package postgresql");
        let newest = versions.map(|version| version.unwrap().path()).max().unwrap();
        let server = Self { folder: tempfile::tempdir().unwrap(), programs: newest.join("bin") };
        if is_root() {
            done(Command::new("chown").arg("postgres").arg(server.folder.path()));
        }
        let data = server.data();
        let user = [
            "--auth=trust",
            "--username=nouns",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ];
        done(server.program("initdb").arg("--pgdata").arg(&data).args(user));
        let options =
            format!("-k {} -c listen_addresses= -c fsync=off", server.folder.path().display());
        let log = server.folder.path().join("log");
        done(
            server
                .program("pg_ctl")
                .args(["start", "--wait", "--silent", "--pgdata"])
                .arg(&data)
                .arg("--log")
                .arg(log)
                .args(["--options", &options]),
        );
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A command that runs a program as another user, since PostgreSQL refuses to run as root.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.folder.path());
        command
    }

    /// Runs a script and returns the errors of the server.
    fn run(&self, script: &str) -> String {
        let file = self.folder.path().join("script.sql");
        fs::write(&file, script).unwrap();
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--username=nouns", "--dbname=postgres", "--host"]);
        psql.arg(self.folder.path()).args(["--set", "VERBOSITY=terse", "--file"]).arg(file);
        String::from_utf8(psql.output().unwrap().stderr).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = self.program("pg_ctl");
        stop.args(["stop", "--mode=immediate", "--silent", "--pgdata"])
            .arg(self.data())
            .status()
            .ok();
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout == b"0\n"
}

fn done(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The content of a snapshot file, without its header.
fn held(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.splitn(3, "---\n").nth(2).unwrap().to_owned()
}

/// Each PostgreSQL statement with its name. In a snapshot, four lines belong together: the name,
/// the SQLite text, the PostgreSQL text and the values.
fn texts(snapshot: &str) -> Vec<(&str, &str)> {
    let lines: Vec<_> = snapshot.lines().collect();
    let named = lines.windows(3).filter(|three| three[0].starts_with("-- "));
    named.map(|three| (three[0], three[2])).collect()
}

#[test]
#[ignore = "it starts a PostgreSQL server, whose package CI installs"]
fn a_real_server_prepares_every_text() {
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql/snapshots");
    let server = Server::start();
    let tables = held(&snapshots.join("main__sql__text__the_tables_in_postgres.snap"));
    assert_eq!(
        server.run(&[AFTER, &tables].concat()),
        "",
        "the server must create the tables without errors"
    );
    let mut script = String::new();
    let mut count = 0;
    for entry in fs::read_dir(&snapshots).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("the_tables_in") {
            continue;
        }
        let snapshot = held(&path);
        for (name, text) in texts(&snapshot) {
            count += 1;
            script
                .push_str(&format!("\\warn {name}: {text}\nPREPARE s AS {text};\nDEALLOCATE s;\n"));
        }
    }
    assert!(count > 100, "the snapshots must have more than 100 statements, not {count}");
    let errors = server.run(&script);
    let lines: Vec<_> = errors.lines().collect();
    // After a statement that failed to prepare, `DEALLOCATE` fails, too. So only the first error is
    // counted.
    let refused =
        lines.windows(2).filter(|two| two[0].starts_with("-- ") && two[1].contains("ERROR"));
    let refused: Vec<_> = refused.map(|two| format!("{}\n{}", two[1], two[0])).collect();
    assert!(refused.is_empty(), "{} of {count}:\n{}", refused.len(), refused.join("\n"));
}
