//! A connection to a server, with the runtime that drives it. All calls block their thread.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::{sleep_until, timeout},
};
use tokio_postgres::{CancelToken, Client};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{address::PostgresAddress, epoch::Epoch, fault};
use crate::base::error::Error;

/// The time in which the server must end a statement that is to be cancelled. If it does not, the
/// connection is closed.
pub(super) const CANCEL_TIME_MAX: Duration = Duration::from_secs(2);
/// The time in which the server must answer a command that begins or ends a transaction. Such a
/// command is never interrupted.
const COMMAND_TIME_MAX: Duration = Duration::from_secs(10);

/// A connection to a server. Dropping it closes the connection.
pub(super) struct Wire {
    driver: Driver,
    client: Client,
    turns: Arc<DriverTurns>,
    canceller: Canceller,
    limit: WaitLimit,
    epoch: Option<Epoch>,
    /// Whether the connection must not be used for another job.
    is_spent: bool,
}

/// The turns in which a connection was driven.
#[derive(Default)]
pub(super) struct DriverTurns {
    count: AtomicU64,
    /// The time of the last turn, in nanoseconds since the first use of any connection.
    last: AtomicU64,
}

/// The time from which turns are measured.
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

impl DriverTurns {
    fn note(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.last.store(BEGINNING.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// The number of turns. What was sent since the last one has not reached the server.
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// The time of the last turn.
    pub(super) fn last(&self) -> Instant {
        *BEGINNING + Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }
}

/// Asks the server of a connection to end the statement that runs there.
pub(super) struct Canceller {
    token: CancelToken,
    tls: MakeRustlsConnect,
}

/// The runtime that drives a connection.
pub(super) enum Driver {
    /// A runtime of its own. `None` only while this is dropped.
    Own(Option<Runtime>),
    /// The runtime of another thread, to which the connection belongs.
    Other(Handle),
}

/// When a statement is interrupted.
#[derive(Clone, Default)]
pub(super) struct WaitLimit {
    until: Option<Instant>,
}

/// The end of the wait for work.
enum WorkEnd {
    /// The work has ended before the limit.
    InTime,
    /// It has ended after the server was asked to cancel it.
    Late,
    /// It has not ended in time then, either.
    Never,
    /// The connection was discarded before.
    Abandoned,
}

/// Why a call of the server did not succeed.
#[derive(Debug)]
pub(super) enum WireError {
    /// The server has refused it, or the connection is lost.
    Server(tokio_postgres::Error),
    /// It was interrupted, or had no answer in time.
    Interrupted,
    /// The connection was discarded: the server does not answer, or another one has taken over.
    Abandoned,
}

impl WaitLimit {
    /// Waits until this time.
    pub(super) const fn new(until: Instant) -> Self {
        Self { until: Some(until) }
    }

    /// Whether it is over.
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    async fn end(&self) {
        match self.until {
            Some(until) => sleep_until(until.into()).await,
            None => std::future::pending().await,
        }
    }
}

impl Canceller {
    /// Sends the request. The server may end the statement later.
    pub(super) async fn cancel(&self) {
        self.token.cancel_query(self.tls.clone()).await.ok();
    }
}

impl Wire {
    /// Connects to the first server of an address that fits.
    pub(super) fn open(address: &PostgresAddress, driver: Driver) -> Result<Self, Error> {
        let opened = driver.block_on(address.connect());
        let opened = opened.ok_or_else(|| fault::away("the runtime has ended"))?;
        let (client, connection) = opened.map_err(fault::away)?;
        let turns = Arc::<DriverTurns>::default();
        let counted = Arc::clone(&turns);
        driver.spawn(async move {
            let mut connection = pin!(connection);
            let ended = poll_fn(|context| {
                counted.note();
                connection.as_mut().poll(context)
            });
            if let Err(error) = ended.await {
                let cause = fault::cause(&error);
                tracing::debug!(cause, "a connection to the database has ended");
            }
        });
        let canceller = Canceller { token: client.cancel_token(), tls: address.tls() };
        let limit = WaitLimit::default();
        Ok(Self { driver, client, turns, canceller, limit, epoch: None, is_spent: false })
    }

    /// Returns the client, the turns in which the connection is driven, and the epoch.
    pub(super) fn into_client(self) -> (Client, Canceller, Arc<DriverTurns>, Option<Epoch>) {
        (self.client, self.canceller, self.turns, self.epoch)
    }

    /// Sets the epoch at whose end the connection is discarded.
    pub(super) fn belong(&mut self, epoch: Epoch) {
        self.epoch = Some(epoch);
    }

    fn is_abandoned(&self) -> bool {
        self.epoch.as_ref().is_some_and(Epoch::is_over)
    }

    /// Sets when the following statements are interrupted.
    pub(super) fn set_limit(&mut self, limit: WaitLimit) {
        self.limit = limit;
    }

    /// When statements are interrupted.
    pub(super) const fn limit(&self) -> &WaitLimit {
        &self.limit
    }

    /// Whether the connection can be used for another job.
    pub(super) fn is_usable(&self) -> bool {
        !self.is_spent && !self.client.is_closed() && !self.is_abandoned()
    }

    /// Ends the use of the connection with the current job.
    pub(super) const fn spend(&mut self) {
        self.is_spent = true;
    }

    /// Waits for a statement, until the limit is over. Then the server is asked to cancel it.
    ///
    /// A server may cancel late, and so hit the next statement. So the connection is not used for
    /// another job.
    pub(super) fn wait<T>(
        &mut self,
        work: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, WireError> {
        let mut result = None;
        let end = {
            // Everything that waits is compiled once, and not for each statement.
            let work = pin!(async { result = Some(work(&self.client).await) });
            self.driver.block_on(self.finish(work))
        };
        self.is_spent |= matches!(end, Some(WorkEnd::Late));
        let result = match end {
            Some(WorkEnd::Abandoned) => Err(WireError::Abandoned),
            Some(WorkEnd::InTime | WorkEnd::Late) => match result {
                Some(result) => result.map_err(WireError::Server),
                None => Err(WireError::Interrupted),
            },
            Some(WorkEnd::Never) | None => Err(WireError::Interrupted),
        };
        self.look(result.as_ref().err());
        result
    }

    /// Waits for work until its end, as [`Wire::wait`] says.
    async fn finish(&self, mut work: Pin<&mut dyn Future<Output = ()>>) -> WorkEnd {
        let epoch = self.epoch.as_ref();
        tokio::select! {
            biased;
            is_kept = kept(epoch, work.as_mut()) => {
                return if is_kept { WorkEnd::InTime } else { WorkEnd::Abandoned };
            }
            () = self.limit.end() => {}
        }
        let ended = pin!(async {
            self.canceller.cancel().await;
            work.await;
        });
        match timeout(CANCEL_TIME_MAX, kept(epoch, ended)).await {
            Ok(true) => WorkEnd::Late,
            Ok(false) => WorkEnd::Abandoned,
            Err(_) => WorkEnd::Never,
        }
    }

    /// Waits for a command that begins or ends a transaction. It is never interrupted.
    pub(super) fn command(&mut self, text: &str) -> Result<(), WireError> {
        if self.is_abandoned() {
            return Err(WireError::Abandoned);
        }
        let mut result = None;
        let end = {
            let run = pin!(async { result = Some(self.client.batch_execute(text).await) });
            let kept = kept(self.epoch.as_ref(), run);
            self.driver.block_on(async { timeout(COMMAND_TIME_MAX, kept).await })
        };
        let result = match (end, result) {
            (Some(Ok(false)), _) => Err(WireError::Abandoned),
            (Some(Ok(true)), Some(result)) => result.map_err(WireError::Server),
            _ => Err(WireError::Interrupted),
        };
        self.look(result.as_ref().err());
        result
    }

    /// Notes if an error shows that the connection is lost.
    fn look(&mut self, error: Option<&WireError>) {
        self.is_spent |= match error {
            Some(WireError::Server(error)) => fault::is_lost(error),
            Some(WireError::Interrupted | WireError::Abandoned) => true,
            None => false,
        };
    }
}

/// Waits for a response of the server. False if the connection is discarded before.
async fn kept(epoch: Option<&Epoch>, response: Pin<&mut dyn Future<Output = ()>>) -> bool {
    match epoch {
        Some(epoch) => epoch.keep(response).await.is_some(),
        None => {
            response.await;
            true
        }
    }
}

impl Driver {
    /// A runtime for the thread of a pool.
    pub(super) fn own() -> Result<Self, Error> {
        Ok(Self::Own(Some(Builder::new_current_thread().enable_all().build()?)))
    }

    /// Waits for a future on the calling thread. `None` if the runtime has ended.
    fn block_on<F: Future>(&self, future: F) -> Option<F::Output> {
        match self {
            Self::Own(runtime) => runtime.as_ref().map(|runtime| runtime.block_on(future)),
            Self::Other(handle) => Some(handle.block_on(future)),
        }
    }

    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        match self {
            Self::Own(runtime) => {
                runtime.as_ref().map(|runtime| runtime.spawn(future));
            }
            Self::Other(handle) => {
                handle.spawn(future);
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The thread that drops it may run a runtime of its own, and must not wait for this one.
        if let Self::Own(runtime) = self
            && let Some(runtime) = runtime.take()
        {
            runtime.shutdown_background();
        }
    }
}
