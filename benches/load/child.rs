//! Runs a server in a process of its own, so that its processor time is measured apart from the
//! client's.

use std::{
    ffi::OsStr,
    fs,
    io::{self, BufRead, BufReader},
    net::SocketAddr,
    process::{Command, Stdio},
};

/// The number of ticks in a second, as in `/proc/[pid]/stat` (proc_pid_stat(5)). Every Linux system
/// in use has this value.
const TICKS_PER_SECOND: f64 = 100.0;

/// A server process, which is killed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    pub(crate) address: SocketAddr,
}

/// Prints the address at which this process listens. The parent process reads it.
pub(crate) fn announce(address: SocketAddr) {
    crate::say(&format!("http://{address}"));
}

impl Child {
    /// Starts the benchmark program itself with these arguments, as a server.
    pub(crate) fn own(arguments: &[&OsStr]) -> io::Result<Self> {
        Self::start(Command::new(std::env::current_exe()?).args(arguments))
    }

    /// Starts a program that prints the URL at which it listens, and waits for that URL.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let (child, _) = Self::start_at(command, &["http://"])?;
        Ok(child)
    }

    /// Starts a program that prints lines with these beginnings and an address, in this order. The
    /// last one is where it is measured. Returns the others, too.
    pub(crate) fn start_at(
        command: &mut Command,
        beginnings: &[&str],
    ) -> io::Result<(Self, Vec<SocketAddr>)> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let output = process
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("the server's standard output is not a pipe"))?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let mut address = |beginning: &&str| {
            lines.find_map(|line| {
                line.trim().strip_prefix(*beginning)?.trim_end_matches('/').parse().ok()
            })
        };
        let addresses: Option<Vec<_>> = beginnings.iter().map(&mut address).collect();
        let ended = || io::Error::other("the server ended before it printed its URL");
        let mut addresses = addresses.ok_or_else(ended)?;
        let address = addresses.pop().ok_or_else(ended)?;
        Ok((Self { process, address }, addresses))
    }

    /// The processor time that the process has used so far, in seconds.
    pub(crate) fn cpu_seconds(&self) -> io::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The second field of the line is a name in brackets that may contain spaces. The 14th
        // field is the user time, and the 15th the system time.
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks = after_name
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|ticks| ticks.parse::<f64>().ok());
        Ok(ticks.sum::<f64>() / TICKS_PER_SECOND)
    }

    /// The id of the server process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Stops the server with SIGTERM, as an operator would, so that it closes its database. Waits
    /// until the process has ended.
    pub(crate) fn stop(mut self) -> io::Result<()> {
        let id = self.id().to_string();
        let signal = Command::new("kill").args(["-TERM", &id]).status()?;
        let exit = self.process.wait()?;
        if signal.success() && exit.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("the server ended with an error: {exit}")))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
