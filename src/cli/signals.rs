//! The signals that stop the program, SIGINT and SIGTERM, and SIGHUP, which reloads.

use std::{
    io::{self, IsTerminal as _},
    process,
};

use tokio::signal::unix::{Signal, SignalKind, signal};

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

    pub(super) async fn any(&mut self) -> StopSignal {
        let kind = tokio::select! {
            _ = self.interrupt.recv() => SignalKind::interrupt(),
            _ = self.terminate.recv() => SignalKind::terminate(),
        };
        StopSignal(kind.as_raw_value())
    }
}
