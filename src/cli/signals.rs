//! The signals that stop the program, SIGINT and SIGTERM, and SIGHUP, which reloads.

use std::{
    io::{self, IsTerminal as _},
    process,
    time::{Duration, Instant},
};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The time in which a second signal means the same as the first. GNU `timeout` and Ctrl-C below
/// npm or make deliver a signal twice within milliseconds, and nobody presses Ctrl-C again so soon
/// on purpose.
const ECHO_TIME: Duration = Duration::from_millis(500);

/// The listeners for both signals. They are created before clients can reach the program.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

/// The listener for SIGHUP, which reloads a server.
pub(super) struct Hangups {
    signal: Signal,
    /// Whether the program was started on a terminal.
    has_terminal: bool,
}

/// A signal that stops the program, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StopSignal(i32);

impl StopSignal {
    /// Ends the program at once. The exit code is the one that shells have for this signal.
    pub(super) fn end(self) -> ! {
        process::exit(128 + self.0)
    }
}

impl Hangups {
    pub(super) fn listen() -> io::Result<Self> {
        let signal = signal(SignalKind::hangup())?;
        Ok(Self { signal, has_terminal: io::stdin().is_terminal() })
    }

    /// Waits for SIGHUP. If it came because the terminal was closed, the program ends, as any
    /// other would.
    pub(super) async fn next(&mut self) {
        self.signal.recv().await;
        if self.has_terminal && !io::stdin().is_terminal() {
            StopSignal(SignalKind::hangup().as_raw_value()).end();
        }
    }
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for another signal after one that has just come, and that is no echo of it.
    pub(super) async fn another(&mut self) -> StopSignal {
        let begun = Instant::now();
        loop {
            let signal = self.any().await;
            if begun.elapsed() >= ECHO_TIME {
                return signal;
            }
        }
    }

    pub(super) async fn any(&mut self) -> StopSignal {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        };
        StopSignal(kind.as_raw_value())
    }
}
