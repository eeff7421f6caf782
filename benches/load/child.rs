//! A server in a process of its own, so that its processor time is separate from its client's.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead, BufReader},
    net::SocketAddr,
    process::{Command, Stdio},
};

/// Ticks of `/proc/[pid]/stat` in a second (proc_pid_stat(5)). Every Linux in use has this value.
const TICKS_PER_SECOND: f64 = 100.0;

/// A server process, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    pub(crate) address: SocketAddr,
}

/// Prints where this process listens, for its parent.
pub(crate) fn announce(address: SocketAddr) {
    crate::say(&format!("http://{address}"));
}

impl Child {
    /// Starts this program again with other arguments.
    pub(crate) fn own(arguments: &[&OsStr]) -> io::Result<Self> {
        Self::start(Command::new(std::env::current_exe()?).args(arguments))
    }

    /// Starts a program that prints where it listens.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().ok_or_else(|| io::Error::other("no output to read"))?;
        let address = BufReader::new(output).lines().map_while(Result::ok).find_map(|line| {
            let address = line.trim().strip_prefix("http://")?.trim_end_matches('/');
            address.parse().ok()
        });
        let address =
            address.ok_or_else(|| io::Error::other("the server did not say where it listens"))?;
        Ok(Self { process, address })
    }

    /// The processor time of the process so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> io::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The second field is a name in brackets that may contain blanks. User and system time are
        // the 14th and 15th.
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks = after_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse::<f64>().ok());
        Ok(ticks.sum::<f64>() / TICKS_PER_SECOND)
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Stops it as its operator would, so that it closes its database.
    pub(crate) fn stop(mut self) -> io::Result<()> {
        let id = self.id().to_string();
        let told = Command::new("kill").args(["-TERM", &id]).status()?;
        let ended = self.process.wait()?;
        if told.success() && ended.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("the server did not stop well: {ended}")))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
