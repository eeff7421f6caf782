//! Instructions as valgrind counts them: unlike times, they are the same on a machine that is busy.

use std::{
    env, fs, io,
    process::{Command, Stdio},
};

/// How many times a work is done for its instructions: what a run of many has more than one of few is that of the work alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) few: u32,
    pub(crate) many: u32,
}

impl Times {
    /// The instructions of one time, where this program does the work by these arguments with the times after them; nothing
    /// without valgrind.
    pub(crate) fn count(self, arguments: &[&str]) -> io::Result<Option<u64>> {
        let Some(few) = counted(arguments, self.few)? else { return Ok(None) };
        let Some(many) = counted(arguments, self.many)? else { return Ok(None) };
        Ok(Some(many.saturating_sub(few) / u64::from(self.many - self.few)))
    }
}

/// The instructions of a process of this program.
fn counted(arguments: &[&str], times: u32) -> io::Result<Option<u64>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("counted");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", out.display()));
    valgrind.arg(env::current_exe()?).args(arguments).arg(times.to_string());
    match valgrind.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(status) if !status.success() => {
            return Err(io::Error::other(format!("{arguments:?} {times} fails under valgrind: {status}")));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(out)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok());
    total.map(Some).ok_or_else(|| io::Error::other("valgrind counted nothing"))
}
