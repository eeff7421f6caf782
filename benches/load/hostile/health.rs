//! Observes the server from outside: its readiness, memory, WAL, and the errors in its log.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{connection::Connection, guest::Latencies};
use crate::{child::Child, memory::Memory};

const MIB: f64 = (1 << 20) as f64;
/// The maximum number of log lines that are printed.
const SHOWN_MAX: usize = 10;
/// The factor by which memory may grow from the second to the last quarter of the time. It may grow
/// by `GROWTH_MIB_MAX` in addition, because caches grow and shrink.
const GROWTH_MAX: f64 = 1.25;
const GROWTH_MIB_MAX: f64 = 32.0;

pub(super) struct Health<'server> {
    server: &'server Child,
    database: PathBuf,
    /// The resident memory at each check, in MiB.
    resident: Vec<f64>,
    not_ready: Vec<String>,
    threads: u64,
}

impl<'server> Health<'server> {
    pub(super) fn new(server: &'server Child, database: &Path) -> Self {
        Self { server, database: database.into(), resident: vec![], not_ready: vec![], threads: 0 }
    }

    /// Requests `/-/ready` on a new connection, and records the memory of the server.
    pub(super) fn look(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        let ready = Connection::open(self.server.address).and_then(|mut connection| {
            connection.ask(b"GET /-/ready HTTP/1.1\r\nhost: localhost\r\n\r\n")
        });
        match ready {
            Ok((200, _)) => {}
            Ok((status, _)) => self.not_ready.push(format!("/-/ready was {status}")),
            Err(error) => {
                self.not_ready
                    .push(format!("/-/ready failed after {:?}: {error}", begun.elapsed()));
            }
        }
        let process = fs::read_to_string(format!("/proc/{}/status", self.server.id()))?;
        let number = |name: &str| {
            let line = process.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        self.resident.push(number("VmRSS:").unwrap_or_default() as f64 / 1024.0);
        self.threads = number("Threads:").unwrap_or_default();
        Ok(())
    }

    /// A row of the result table in Markdown.
    pub(super) fn row(&self, elapsed: Duration, latencies: &Latencies, attacks: &str) -> String {
        format!(
            "| {:.1} | {} | {} | {:.0} | {:.1} | {} | {attacks} |",
            elapsed.as_secs_f64() / 60.0,
            latencies.shown(),
            latencies.refused(),
            self.resident.last().copied().unwrap_or_default(),
            self.wal_mib(),
            self.threads
        )
    }

    fn wal_mib(&self) -> f64 {
        let mut name = self.database.clone().into_os_string();
        name.push("-wal");
        fs::metadata(name).map_or(0.0, |wal| wal.len() as f64 / MIB)
    }

    /// The failures that were found so far.
    pub(super) fn failures(&self) -> io::Result<Vec<String>> {
        let mut failures: Vec<String> = self.not_ready.iter().take(SHOWN_MAX).cloned().collect();
        let errors = errors(&self.database.with_extension("log"))?;
        if !errors.is_empty() {
            failures.push(format!("the log has {} lines of errors:", errors.len()));
            failures.extend(errors.into_iter().take(SHOWN_MAX));
        }
        failures.extend(grown(&self.resident));
        let most = self.resident.iter().copied().fold(0.0, f64::max);
        crate::say(&format!(
            "Resident memory: {:.0} MiB before, {most:.0} MiB at most, {:.0} MiB in the end ({:.0} MiB at most \
             between two checks).",
            self.resident.first().copied().unwrap_or_default(),
            self.resident.last().copied().unwrap_or_default(),
            Memory::most(self.server.id())?
        ));
        Ok(failures)
    }
}

/// Describes the growth of the memory (in MiB) from the second to the last quarter of the time.
/// `None` if the growth is within `GROWTH_MAX` and `GROWTH_MIB_MAX`.
fn grown(resident: &[f64]) -> Option<String> {
    let quarter = resident.len() / 4;
    let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let (before, after) =
        (most(resident.get(quarter..2 * quarter)?), most(resident.get(3 * quarter..)?));
    let is_grown = before > 0.0 && after > GROWTH_MAX * before + GROWTH_MIB_MAX;
    is_grown.then(|| format!("the memory grew from {before:.0} to {after:.0} MiB"))
}

/// The lines of a log file that report an error or a panic.
fn errors(log: &Path) -> io::Result<Vec<String>> {
    let lines = BufReader::new(File::open(log)?).lines();
    let level = |line: &String| {
        line.split_whitespace().nth(1) == Some("ERROR") || line.contains("panicked at")
    };
    Ok(lines.map_while(Result::ok).filter(level).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_grows_is_told_from_memory_that_comes_and_goes() {
        let flat = [10.0, 200.0, 190.0, 180.0, 210.0, 200.0, 205.0, 199.0];
        assert_eq!(grown(&flat), None);
        let growing: Vec<f64> = (0..40).map(|at| 100.0 + 10.0 * f64::from(at)).collect();
        assert_eq!(grown(&growing).unwrap(), "the memory grew from 290 to 490 MiB");
        assert_eq!(grown(&[1.0]), None);
    }

    #[test]
    fn errors_are_found_in_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a.log");
        let text = "2026-11-22T02:15:03.482913Z  INFO nouns: ERROR is a word\n\
                    2026-11-22T02:15:03.482913Z ERROR nouns: it failed\n\
                    thread 'nouns-slow' panicked at a.rs:1\n";
        fs::write(&log, text).unwrap();
        assert_eq!(errors(&log).unwrap().len(), 2);
    }
}
