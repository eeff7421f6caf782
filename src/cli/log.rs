//! The server log on standard error: one line per event, with one buffer per thread.
//!
//! Writing each line at once costs a system call and a shared lock. This is as much time as the
//! request itself takes. So each thread has a buffer, and a separate thread writes all buffers at
//! short intervals. Warnings and errors are written immediately, after the lines in the buffers.

mod json;
mod line;

use std::{
    cell::OnceCell,
    io::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use clap::ValueEnum;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    layer::{Context, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

/// The time between two writes of the buffers, short enough for `tail -f`.
const INTERVAL: Duration = Duration::from_millis(50);
/// The size in bytes from which a thread writes its own buffer. Hundreds of lines fit, so system
/// calls are few.
const GATHERED_BYTES_MAX: usize = 64 * 1024;

/// The format of the lines of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// Text for people.
    Text,
    /// A JSON object a line, for programs.
    Json,
}

/// Starts the log with a filter. A text log with colours is for a terminal, so each line is written
/// at once.
pub(super) fn start(filter: Targets, format: LogFormat, is_coloured: bool) -> io::Result<Log> {
    let log = Log::default();
    let started = if is_coloured && format == LogFormat::Text {
        let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
        tracing_subscriber::registry().with(filter).with(lines).try_init()
    } else {
        let (writing, lines) = (log.clone(), Lines { log: log.clone(), format });
        thread::Builder::new().name("nouns-log".into()).spawn(move || writing.write_on())?;
        tracing_subscriber::registry().with(filter).with(lines).try_init()
    };
    started.map_err(io::Error::other).map(|()| log)
}

/// The buffers of all threads that have logged an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Arc<Mutex<Vec<Arc<Buffer>>>>);

/// The lines that a thread has logged, but not written yet.
type Buffer = Mutex<Vec<u8>>;

thread_local! {
    static OWN: OnceCell<Arc<Buffer>> = const { OnceCell::new() };
}

impl Log {
    /// Writes the buffered lines of all threads, one thread after another.
    pub(super) fn flush(&self) {
        let mut buffers = locked(&self.0);
        for buffer in buffers.iter() {
            write(&mut locked(buffer));
        }
        // A buffer without another owner belongs to a thread that has ended.
        buffers.retain(|buffer| Arc::strong_count(buffer) > 1);
    }

    fn write_on(&self) {
        loop {
            thread::sleep(INTERVAL);
            self.flush();
        }
    }

    /// Calls a function with the buffer of this thread. `None` if the thread is ending.
    fn own<T>(&self, work: impl FnOnce(&Buffer) -> T) -> Option<T> {
        let begin = || {
            let buffer = Arc::new(Buffer::default());
            locked(&self.0).push(Arc::clone(&buffer));
            buffer
        };
        OWN.try_with(|own| work(own.get_or_init(begin))).ok()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes and clears a buffer. A failed write is ignored, because standard error itself is broken.
fn write(lines: &mut Vec<u8>) {
    if !lines.is_empty() {
        io::stderr().lock().write_all(lines).ok();
        lines.clear();
    }
}

/// A tracing layer that formats each event as a line.
struct Lines {
    log: Log,
    format: LogFormat,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let is_urgent = *event.metadata().level() < Level::INFO;
        self.log.own(|buffer| {
            let mut lines = locked(buffer);
            match self.format {
                LogFormat::Text => line::append(&mut lines, event),
                LogFormat::Json => json::append(&mut lines, event),
            }
            if lines.len() > GATHERED_BYTES_MAX {
                write(&mut lines);
            }
        });
        if is_urgent {
            self.log.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_threads_that_have_ended_go() {
        let log = Log::default();
        let other = log.clone();
        thread::spawn(move || other.own(|buffer| locked(buffer).clear())).join().unwrap();
        assert_eq!(locked(&log.0).len(), 1);
        log.flush();
        assert_eq!(locked(&log.0).len(), 0);
    }
}
