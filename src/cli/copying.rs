//! A copy of a database under way: a bar on a terminal, and signals that stop it.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    time::{Duration, Instant},
};

use nouns_runtime::store::{CopyError, CopyProgress, CopySummary};
use tokio::time::{MissedTickBehavior, interval};

use super::{Failure, signals::Signals};

/// How often the bar is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// The width of the bar, in characters.
const BAR: u64 = 30;

/// Does it on another thread, and says how long it took. A signal has it leave nothing behind.
pub(super) fn run<T: Send + 'static>(
    work: impl FnOnce(&CopyProgress) -> Result<T, CopyError> + Send + 'static,
) -> Result<(T, Duration), Failure> {
    let progress = CopyProgress::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let begun = Instant::now();
    let done: Result<Result<T, CopyError>, Failure> = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut frames = interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let working = progress.clone();
        let mut working = tokio::task::spawn_blocking(move || work(&working));
        loop {
            tokio::select! {
                done = &mut working => return Ok(done?),
                () = signals.any() => progress.stop(),
                _ = frames.tick() => draw(&line(progress.bytes(), begun.elapsed())),
            }
        }
    });
    draw("");
    let done = done?.map_err(|error| Failure(format!("error: {error}")))?;
    Ok((done, begun.elapsed()))
}

/// What was copied and looked through, in words.
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

/// Draws a line in the place of the one before, where somebody looks.
fn draw(line: &str) {
    let mut to = stderr();
    if to.is_terminal() {
        drop(write!(to, "\r\x1b[K{line}").and_then(|()| to.flush()));
    }
}

fn line((done, bytes): (u64, u64), since: Duration) -> String {
    if bytes == 0 {
        return String::new();
    }
    if done == bytes {
        return format!("verifying {} … {} s", size(bytes), since.as_secs());
    }
    let filled = done * BAR / bytes;
    let bar: String = (0..BAR).map(|at| if at < filled { '#' } else { '.' }).collect();
    format!("[{bar}] {:3} % of {}", done * 100 / bytes, size(bytes))
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
        let line = |at| line(at, Duration::from_millis(7_900));
        assert_eq!(line((0, 0)), "");
        assert_eq!(line((25, 100)), "[#######.......................]  25 % of 0.1 kB");
        assert_eq!(line((0, 3_000_000_000)), "[..............................]   0 % of 3.00 GB");
        assert_eq!(line((2_500_000, 2_500_000)), "verifying 2.5 MB … 7 s");
    }

    #[test]
    fn the_summary_counts() {
        let copied = CopySummary { pages: 1, bytes: 4096, tables: 2 };
        let expected = "1 page, 4.1 kB in 0.2 s; 2 tables with all pages, rows, indexes and references verified";
        assert_eq!(summary(&copied, Duration::from_millis(240)), expected);
    }
}
