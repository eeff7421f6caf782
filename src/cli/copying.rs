//! Runs a copy of a database, with a progress bar on a terminal. A signal stops the copy.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    time::{Duration, Instant},
};

use nouns_runtime::store::{CopyError, CopyProgress, CopySummary};
use tokio::time::{MissedTickBehavior, interval};

use super::{Failure, signals::Signals};

/// The time between two updates of the progress bar.
const FRAME: Duration = Duration::from_millis(100);
/// The width of the progress bar in characters.
const BAR: u64 = 30;

/// Runs a copy of a file on another thread, and returns its result and duration. A signal stops the
/// copy, which then removes its files.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce(&CopyProgress) -> Result<T, CopyError> + Send + 'static,
) -> Result<(T, Duration), Failure> {
    run_with(work, |progress, since| {
        let (copied, total) = progress.bytes();
        draw(&line(CopiedBytes { copied, total }, since));
    })
}

/// Runs a copy on another thread, and shows its progress. Returns its result and duration. A signal
/// stops the copy.
pub(super) fn run_with<T: Send + 'static>(
    work: impl FnOnce(&CopyProgress) -> Result<T, CopyError> + Send + 'static,
    mut show: impl FnMut(&CopyProgress, Duration),
) -> Result<(T, Duration), Failure> {
    let progress = CopyProgress::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let begun = Instant::now();
    let done: Result<T, Failure> = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let working = progress.clone();
        let mut working = tokio::task::spawn_blocking(move || work(&working));
        loop {
            tokio::select! {
                done = &mut working => {
                    return done?.map_err(|error| Failure(format!("error: {error}")));
                }
                _ = signals.any() => progress.stop(),
                _ = frames.tick() => show(&progress, begun.elapsed()),
            }
        }
    });
    draw("");
    Ok((done?, begun.elapsed()))
}

/// The line that summarizes a copy and its verification.
pub(super) fn summary(copied: &CopySummary, took: Duration) -> String {
    let CopySummary { pages, bytes, tables } = *copied;
    let nouns = [(pages, "page"), (tables as u64, "table")];
    let [pages, tables] =
        nouns.map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }));
    format!(
        "{pages}, {} in {:.1} s; {tables} with all pages, rows, indexes and references verified",
        size(bytes),
        took.as_secs_f64()
    )
}

/// Replaces the last line on a terminal. Prints nothing if standard error is not a terminal.
pub(super) fn draw(line: &str) {
    let mut to = stderr();
    if to.is_terminal() {
        drop(write!(to, "\r\x1b[K{line}").and_then(|()| to.flush()));
    }
}

/// The progress of a copy in bytes. `total` is 0 until the size of the database is known.
struct CopiedBytes {
    copied: u64,
    total: u64,
}

fn line(CopiedBytes { copied, total }: CopiedBytes, since: Duration) -> String {
    if total == 0 {
        return String::new();
    }
    if copied == total {
        return format!("verifying {} … {} s", size(total), since.as_secs());
    }
    let filled = copied * BAR / total;
    let bar: String = (0..BAR).map(|at| if at < filled { '#' } else { '.' }).collect();
    format!("[{bar}] {:3} % of {}", copied * 100 / total, size(total))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_it_is() {
        let line =
            |copied, total| line(CopiedBytes { copied, total }, Duration::from_millis(7_900));
        assert_eq!(line(0, 0), "");
        assert_eq!(line(25, 100), "[#######.......................]  25 % of 0.1 kB");
        assert_eq!(line(0, 3_000_000_000), "[..............................]   0 % of 3.00 GB");
        assert_eq!(line(2_500_000, 2_500_000), "verifying 2.5 MB … 7 s");
    }

    #[test]
    fn the_summary_counts() {
        let copied = CopySummary { pages: 1, bytes: 4096, tables: 2 };
        let expected = "1 page, 4.1 kB in 0.2 s; 2 tables with all pages, rows, indexes and references verified";
        assert_eq!(summary(&copied, Duration::from_millis(240)), expected);
    }
}
