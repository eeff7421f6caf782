//! Runs the commands of the program `nouns` on a page, also `nouns serve`.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use super::curl;
use crate::{client::Client, tools};

/// The address of the server as the pages show it.
const SHOWN: &str = "127.0.0.1:8080";

/// The file for the log of a server, beside the folder in which it runs.
const LOG: &str = "server.log";

/// A running `nouns serve`, which ends with this value.
pub(super) struct Serving {
    child: Child,
    /// The rest of its output, which is open as long as the server runs.
    _output: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Serving {
    /// Executes `nouns serve` on a free port. Returns the output until the server is ready, with
    /// the address of the pages. If the program ends before, its whole output is the error.
    pub(super) fn start(folder: &Path, command: &str) -> Result<(String, Self), String> {
        let logs = tempfile::tempdir().unwrap();
        let log = logs.path().join(LOG);
        let mut program = program(folder, command);
        program.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = program.stderr(File::create(&log).unwrap()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut output = String::new();
        while !output.contains("Ctrl-C stops.") {
            if stdout.read_line(&mut output).unwrap() == 0 {
                child.wait().unwrap();
                return Err(output + &fs::read_to_string(&log).unwrap());
            }
        }
        let url = output.lines().find_map(|line| line.trim().strip_prefix("http://")).unwrap();
        let authority = url.split('/').next().unwrap().to_owned();
        let serving = Self { child, _output: stdout, address: authority.parse().unwrap() };
        let complaints = fs::read_to_string(&log).unwrap();
        Ok((complaints + &output.replace(&authority, SHOWN), serving))
    }

    pub(super) fn client(&self) -> Client {
        Client::connect(self.address)
    }
}

/// The server stops as on Ctrl-C, and its database is closed.
impl Drop for Serving {
    fn drop(&mut self) {
        tools::signal(&self.child, "-INT");
        drop(self.child.wait());
    }
}

/// The program with the arguments of a command.
fn program(folder: &Path, command: &str) -> Command {
    let words = curl::words(command);
    let mut program = Command::new(env!("CARGO_BIN_EXE_nouns"));
    program.current_dir(folder).env("NO_COLOR", "1").env_remove("NOUNS_LOG").args(&words[1..]);
    program
}

/// Executes a command that ends, and returns its output. The command may be `echo TEXT | nouns …`,
/// whose text is then its input.
pub(super) fn run(folder: &Path, command: &str) -> String {
    let (input, command) = match command.split_once(" | ") {
        Some((echo, command)) => (curl::words(echo)[1..].join(" ") + "\n", command),
        None => (String::new(), command),
    };
    let mut program = program(folder, command);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut output = String::new();
    stdout.read_to_string(&mut output).unwrap();
    stderr.read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    output
}
