//! The servers of an address, and how one of them is found that accepts a connection.

use std::{
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::time::timeout;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{CONNECT_TIME_MAX, OpenedConnection, hosts};
use crate::store::postgres::fault;

/// The time in which each of several servers must accept a connection at first.
const FIRST_TIME_MAX: Duration = Duration::from_secs(2);
/// The time until a silent server has its whole time again, while others are asked.
const PATIENCE_PAUSE: Duration = Duration::from_secs(30);

/// The servers of an address.
pub(super) struct Servers {
    /// The options for each of them.
    pub(super) each: Vec<Config>,
    /// The index of the server that is tried first: that of the last connection.
    last: AtomicUsize,
    /// When a silent server next has its whole time, if it has had it in vain.
    patience: Mutex<Option<Instant>>,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store::postgres) enum ConnectError {
    Refused(String),
    /// A server has not answered in time.
    Silent,
}

impl Servers {
    pub(super) fn of(config: &Config) -> Self {
        let each = hosts::each(config);
        Self { each, last: AtomicUsize::default(), patience: Mutex::default() }
    }

    /// Connects to the first server that fits. Returns the last error if there is none.
    ///
    /// Of several servers, each has a short time at first, so that one that hangs does not keep the
    /// next one waiting. If none fits, those without a response have their whole time.
    pub(super) async fn connect(
        &self,
        tls: &MakeRustlsConnect,
    ) -> Result<OpenedConnection, ConnectError> {
        let mut error = ConnectError::Refused("there is no server".into());
        let mut late = vec![];
        let order: Vec<_> =
            hosts::in_order(&self.each, self.last.load(Ordering::Relaxed)).collect();
        if let [one] = order.as_slice() {
            return self.connect_to(*one, Duration::MAX, tls).await;
        }
        for at in order {
            match self.connect_to(at, FIRST_TIME_MAX, tls).await {
                Ok(opened) => return Ok(opened),
                Err(found) => {
                    late.extend((found == ConnectError::Silent).then_some(at));
                    error = found;
                }
            }
        }
        for at in late {
            if !self.is_patient() {
                return Err(ConnectError::Silent);
            }
            match self.connect_to(at, Duration::MAX, tls).await {
                Ok(opened) => return Ok(opened),
                Err(found) => error = found,
            }
        }
        Err(error)
    }

    /// Connects to a server within its time, and within another one.
    async fn connect_to(
        &self,
        at: usize,
        most: Duration,
        tls: &MakeRustlsConnect,
    ) -> Result<OpenedConnection, ConnectError> {
        let config = &self.each[at];
        let time = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIME_MAX);
        match timeout(time.min(most), config.connect(tls.clone())).await {
            Ok(Ok(opened)) => {
                self.last.store(at, Ordering::Relaxed);
                *self.patience() = None;
                Ok(opened)
            }
            Ok(Err(error)) if !fault::is_timeout(&error) => {
                Err(ConnectError::Refused(fault::cause(&error)))
            }
            Ok(Err(_)) | Err(_) => {
                // Others begin with the next server.
                let next = (at + 1) % self.each.len();
                self.last.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed).ok();
                Err(ConnectError::Silent)
            }
        }
    }

    fn patience(&self) -> MutexGuard<'_, Option<Instant>> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is time to wait for a silent server. Others may have taken over meanwhile.
    fn is_patient(&self) -> bool {
        let mut next = self.patience();
        let is_time = next.is_none_or(|next| next <= Instant::now());
        if is_time {
            *next = Some(Instant::now() + PATIENCE_PAUSE);
        }
        is_time
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(cause) => f.write_str(cause),
            Self::Silent => f.write_str("the server has not answered in time"),
        }
    }
}

impl std::error::Error for ConnectError {}
