//! The log on standard error: one line an event, gathered for each thread and written together.
//!
//! To write a line for each request at once costs a call of the kernel and a lock that all workers
//! share, as much as the request itself. So each thread has a buffer of its own, which one thread
//! beside them empties in short intervals; what is worse than information is written at once, with
//! all that came before it.

mod line;

use std::{
    cell::OnceCell,
    io::{self, Write as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::{
    EnvFilter, Layer,
    layer::{Context, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

/// How long a line waits at most, so that who follows the log sees it come.
const INTERVAL: Duration = Duration::from_millis(50);
/// From how many bytes on a thread writes its lines itself: hundreds of lines, and few calls.
const GATHERED_BYTES_MAX: usize = 64 * 1024;

/// Starts the log with a filter; coloured, every line is written at once, since somebody is
/// looking.
pub(super) fn start(filter: EnvFilter, is_coloured: bool) -> io::Result<Log> {
    let log = Log::default();
    let started = if is_coloured {
        let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
        tracing_subscriber::registry().with(filter).with(lines).try_init()
    } else {
        let (writing, lines) = (log.clone(), Lines(log.clone()));
        thread::Builder::new().name("nouns-log".into()).spawn(move || writing.write_on())?;
        tracing_subscriber::registry().with(filter).with(lines).try_init()
    };
    started.map_err(io::Error::other).map(|()| log)
}

/// The buffers of all threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Arc<Mutex<Vec<Arc<Buffer>>>>);

/// The lines of a thread that wait to be written.
type Buffer = Mutex<Vec<u8>>;

thread_local! {
    static OWN: OnceCell<Arc<Buffer>> = const { OnceCell::new() };
}

impl Log {
    /// Writes what is gathered, thread by thread.
    pub(super) fn flush(&self) {
        let mut buffers = locked(&self.0);
        for buffer in buffers.iter() {
            write(&mut locked(buffer));
        }
        // Those of threads that have ended are here alone.
        buffers.retain(|buffer| Arc::strong_count(buffer) > 1);
    }

    fn write_on(&self) {
        loop {
            thread::sleep(INTERVAL);
            self.flush();
        }
    }

    /// The buffer of this thread.
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

/// Writes lines that were gathered. Where nobody can read them, nobody can be told.
fn write(lines: &mut Vec<u8>) {
    if !lines.is_empty() {
        io::stderr().lock().write_all(lines).ok();
        lines.clear();
    }
}

/// Makes lines of events.
struct Lines(Log);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let is_urgent = *event.metadata().level() < Level::INFO;
        self.0.own(|buffer| {
            let mut lines = locked(buffer);
            line::append(&mut lines, event);
            if lines.len() > GATHERED_BYTES_MAX {
                write(&mut lines);
            }
        });
        if is_urgent {
            self.0.flush();
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
