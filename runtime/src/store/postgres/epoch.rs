//! The epochs of connections. A new one begins when another server has taken over, or when the
//! server does not answer any more. Then all connections of earlier ones are discarded at once,
//! also those that wait for a response.

use std::{
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::{sync::watch, time::sleep};

use super::home::Home;

/// The time without a response after which a new connection shows whether the server still answers.
/// It doubles with each look, since a statement may take long.
const SILENCE_MAX: Duration = Duration::from_secs(2);
/// The number of former databases that are known.
const FORMER_MAX: usize = 16;

/// The current epoch of a process.
pub(super) struct Epochs {
    current: watch::Sender<u64>,
    seen: Mutex<SeenDatabases>,
}

/// The identities of the database that connections have met.
#[derive(Default)]
struct SeenDatabases {
    current: Option<Arc<str>>,
    /// Those from before other servers took over, the last one at the end.
    former: Vec<Arc<str>>,
}

/// The epoch to which a connection belongs.
pub(super) struct Epoch {
    number: u64,
    current: watch::Receiver<u64>,
    home: Weak<Home>,
}

impl Epochs {
    pub(super) fn new() -> Self {
        Self { current: watch::Sender::new(0), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, SeenDatabases> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the current epoch.
    pub(super) fn number(&self) -> u64 {
        *self.current.borrow()
    }

    /// Adds a connection that has met a database. The first one to another database begins an
    /// epoch. `None` if it is a former database: a server that has hung while another one took over
    /// must not come back.
    pub(super) fn join(&self, home: &Arc<Home>, database: &Arc<str>) -> Option<Epoch> {
        let mut seen = self.seen();
        if seen.former.contains(database) {
            return None;
        }
        if let Some(before) = seen.current.replace(Arc::clone(database))
            && before != *database
        {
            if seen.former.len() >= FORMER_MAX {
                seen.former.remove(0);
            }
            seen.former.push(before);
            self.current.send_modify(|number| *number += 1);
        }
        let current = self.current.subscribe();
        Some(Epoch { number: self.number(), current, home: Arc::downgrade(home) })
    }

    /// Begins an epoch after the one with a number, if none has begun since.
    pub(super) fn end(&self, number: u64) {
        let _seen = self.seen();
        self.current.send_if_modified(|current| {
            let is_current = *current == number;
            *current += u64::from(is_current);
            is_current
        });
    }
}

impl Epoch {
    /// Whether the connection is discarded.
    pub(super) fn is_over(&self) -> bool {
        *self.current.borrow() != self.number
    }

    /// Waits for a response. `None` if the connection is discarded before. Then no response counts:
    /// a server that goes on after another one has taken over knows nothing of later writes.
    pub(super) async fn keep<T>(&self, response: impl Future<Output = T>) -> Option<T> {
        let (mut response, mut current) = (pin!(response), self.current.clone());
        let mut silence = SILENCE_MAX;
        loop {
            tokio::select! {
                biased;
                response = &mut response => return Some(response).filter(|_| !self.is_over()),
                _ = current.wait_for(|number| *number != self.number) => return None,
                () = sleep(silence) => {
                    self.suspect();
                    silence *= 2;
                }
            }
        }
    }

    /// The same for a wait that is short.
    pub(super) async fn keep_shortly<T>(&self, response: impl Future<Output = T>) -> Option<T> {
        let (response, mut current) = (pin!(response), self.current.clone());
        tokio::select! {
            biased;
            response = response => Some(response).filter(|_| !self.is_over()),
            _ = current.wait_for(|number| *number != self.number) => None,
        }
    }

    /// Lets another thread find out whether the server still answers.
    pub(super) fn suspect(&self) {
        if let Some(home) = self.home.upgrade().filter(|_| !self.is_over()) {
            home.suspect();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;
    use crate::{
        http::http_date::Second,
        plan::{TagCipher, validator::DeclaredTime},
        store::postgres::address::PostgresAddress,
    };

    fn home() -> Arc<Home> {
        let address = PostgresAddress::read("postgres://localhost/zoo").unwrap();
        Home::new(address, DeclaredTime::new(Second::default()), TagCipher::of(b""))
    }

    #[test]
    fn another_database_begins_an_epoch_and_a_former_one_does_not_come_back() {
        let (home, epochs) = (home(), Epochs::new());
        let join = |database: &str| epochs.join(&home, &database.into());
        let (one, same) = (join("a").unwrap(), join("a").unwrap());
        assert!(!one.is_over() && !same.is_over());
        let other = join("b").unwrap();
        assert!(one.is_over() && same.is_over() && !other.is_over());
        assert!(join("a").is_none());
        assert!(!join("b").unwrap().is_over() && !other.is_over());
        join("c").unwrap();
        assert!(other.is_over() && join("a").is_none() && join("b").is_none());
    }

    #[test]
    fn an_epoch_is_ended_once() {
        let (home, epochs) = (home(), Epochs::new());
        let number = epochs.number();
        let before = epochs.join(&home, &"a".into()).unwrap();
        epochs.end(number);
        let after = epochs.join(&home, &"a".into()).unwrap();
        epochs.end(number);
        assert!(before.is_over() && !after.is_over());
    }

    #[test]
    fn whoever_waits_is_told_and_no_later_response_counts() {
        let (home, epochs) = (home(), Epochs::new());
        let epoch = epochs.join(&home, &"a".into()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(epoch.keep(async { 1 }).await, Some(1));
            let ended = async { epochs.end(epochs.number()) };
            let waiting = (epoch.keep(pending::<()>()), epoch.keep_shortly(pending::<()>()));
            let ends = tokio::join!(waiting.0, waiting.1, ended);
            assert_eq!((ends.0, ends.1), (None, None));
            assert_eq!(
                (epoch.keep(async { 1 }).await, epoch.keep_shortly(async { 1 }).await),
                (None, None)
            );
        });
    }
}
