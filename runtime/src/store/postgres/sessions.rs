//! Threads with a connection each, for work that is not a single statement: the transactions of
//! attempts to sign in, and the beginnings of exports.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    fault::Remedy,
    home::Home,
    pool::{Pool, PoolOptions, PooledSession as _, ThreadConnection},
    reader::ReadConnection,
    wire::WaitLimit,
};
use crate::base::error::Error;

/// The number of threads of each kind. Their work takes a few milliseconds, and there is little of
/// it: the server hashes some fifty passwords a second, and runs few exports.
const THREADS: usize = 2;
/// The maximum number of pieces of work that wait. Further ones are refused with 503.
const WAITING_MAX: usize = 1024;
/// The time of a statement that begins an export. One that counts its members for longer does so on
/// the thread of the export.
const BEGINNING: &str = "SET statement_timeout = 100";
/// The time of all statements, with the network. A server that takes longer hangs.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);

/// The threads.
pub(super) struct SessionThreads(Pool<ReadConnection>);

impl SessionThreads {
    /// Starts the threads for attempts to sign in. None of them has a connection yet.
    pub(super) fn for_attempts(home: &Arc<Home>) -> io::Result<Self> {
        Self::start(home, "nouns-sign-in", "")
    }

    /// Starts the threads for the beginnings of exports.
    pub(super) fn for_exports(home: &Arc<Home>) -> io::Result<Self> {
        Self::start(home, "nouns-preview", BEGINNING)
    }

    fn start(home: &Arc<Home>, name: &'static str, settings: &'static str) -> io::Result<Self> {
        let options = PoolOptions { name, threads: THREADS, waiting_max: WAITING_MAX, settings };
        Pool::start(home, options).map(Self)
    }

    /// Opens a connection that belongs to the caller.
    pub(super) async fn open(&self) -> Result<ReadConnection, Error> {
        self.0.run(|connection| ReadConnection::open(connection.home())).await
    }

    /// Runs work with a connection. Work that met a lost connection, or a statement that is out of
    /// date, runs again.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut ReadConnection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.0.run(move |connection| attempt(connection, &mut work)).await
    }
}

fn attempt<T>(
    connection: &mut ThreadConnection<ReadConnection>,
    work: &mut dyn FnMut(&mut ReadConnection) -> Result<T, Error>,
) -> Result<T, Error> {
    let limit = WaitLimit::new(Instant::now() + ANSWER_TIME_MAX);
    let mut is_first = true;
    loop {
        let reader = connection.session(&limit)?;
        let error = match work(reader) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        match reader.handle().take_remedy() {
            Remedy::None | Remedy::MoreTime => return Err(error),
            _ if !std::mem::take(&mut is_first) => return Err(error),
            Remedy::Again => {}
            Remedy::Prepare => reader.handle().forget_statements(),
            Remedy::Connect => connection.disconnect(),
        }
    }
}
