//! Counts instructions with valgrind. Unlike times, the counts do not change on a busy machine.
//!
//! A "work" is a function whose instructions are counted. Valgrind runs this program once for all
//! works, with a mark before and after each, since the start under valgrind takes the most time.

use std::{
    env, fs,
    hint::black_box,
    io,
    process::{Command, Stdio},
};

/// The number of calls of a measured function between `begin` and `end`. The number is so low that
/// the WAL needs no checkpoint meanwhile.
const TIMES: u32 = 100;

/// Marks the start of a measured function for valgrind. The bodies of `begin` and `end` differ,
/// because the compiler would merge equal functions.
#[inline(never)]
fn begin() {
    black_box("begin");
}

/// Marks the end of a measured function for valgrind.
#[inline(never)]
fn end() {
    black_box("it has ended");
}

/// Runs a function once without counting, and then `TIMES` times between `begin` and `end`.
pub(crate) fn marked(work: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
    work()?;
    begin();
    (0..TIMES).try_for_each(|_| work())?;
    end();
    Ok(())
}

/// Runs this program under valgrind with these arguments. Returns the instructions of one run of
/// each measured function; `None` if valgrind is not installed.
pub(crate) fn count(works: usize, arguments: &[&str]) -> io::Result<Option<Vec<u64>>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("counted");
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--tool=callgrind");
    valgrind.args(["begin", "end"].map(|mark| format!("--dump-before=*instructions::{mark}")));
    valgrind
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe()?)
        .args(arguments);
    match valgrind.stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(status) if !status.success() => {
            return Err(io::Error::other(format!("{arguments:?} fails under valgrind: {status}")));
        }
        Ok(_) => {}
    }
    let parts =
        (1..).map_while(|part| fs::read_to_string(out.with_extension(part.to_string())).ok());
    let counted = read(parts);
    if counted.len() == works {
        return Ok(Some(counted));
    }
    Err(io::Error::other(format!(
        "valgrind counted {} of {works} measured functions",
        counted.len()
    )))
}

/// Returns the instructions of one run of each measured function. `parts` are the dumps of
/// valgrind: one at each mark, and sometimes one more after a mark.
fn read(parts: impl Iterator<Item = String>) -> Vec<u64> {
    let (mut counted, mut begun) = (vec![], false);
    for part in parts {
        let field =
            |name| part.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let is_end = field("desc: Trigger: ").ends_with("::end");
        if is_end && begun {
            counted.push(field("totals: ").parse::<u64>().unwrap_or_default() / u64::from(TIMES));
        }
        begun = !is_end;
    }
    counted
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_work_is_what_ends_after_it_began() {
        let part =
            |(mark, total)| format!("desc: Trigger: --dump-before=x::{mark}\ntotals: {total}\n");
        let parts = [
            ("begin", 9000),
            ("end", 500),
            ("end", 18),
            ("begin", 30),
            ("begin", 18),
            ("end", 700),
        ];
        assert_eq!(super::read(parts.into_iter().map(part)), [5, 7]);
    }
}
