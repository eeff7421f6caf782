//! The password threads. They hash passwords and compare passwords with hashes, so that neither
//! workers nor the writer do. `passwords/waiting.rs` says which password is next, and which are too
//! many.
//!
//! A hash takes some 20 milliseconds and 19 MiB on purpose. The number of threads bounds the
//! memory. The threads are started for the first password.

mod waiting;

use std::{
    net::IpAddr,
    num::NonZero,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::Instant,
};

use tokio::sync::oneshot;

use self::waiting::WaitingJobs;
use super::Store;
use crate::{
    base::{
        error::{Error, text},
        limits, password_hash, precis, priority,
        secret::Secret,
        unwind::caught,
    },
    model::field_type::password::Password,
    plan::ClientKey,
};

/// The increment of the nice value for password threads. While the workers are busy, such a thread
/// gets about a third of a core.
const NICE: i32 = 5;

/// The value of `Retry-After` in seconds, for a client whose password was refused.
const RETRY_SECONDS: u16 = 2;

/// The password threads of a store. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct PasswordThreads(Arc<OnceLock<PasswordQueue>>);

/// The queue of the threads. They end when it is dropped.
#[derive(Debug)]
struct PasswordQueue(Arc<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    waiting: Mutex<WaitingJobs>,
    arrivals: Condvar,
}

/// The sender of a password. The limits count by its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PasswordSource {
    /// The network of the client, or else its connection.
    client: ClientKey,
    /// The account that the client has signed in to, as its id is spelled.
    account: Option<Box<str>>,
}

/// A password that waits to be hashed, or to be compared with a hash.
#[derive(Debug)]
struct PasswordJob {
    source: PasswordSource,
    since: Instant,
    password: Secret,
    work: PasswordWork,
}

#[derive(Debug)]
enum PasswordWork {
    Hash(oneshot::Sender<Result<String, Error>>),
    Compare { hash: String, answer: oneshot::Sender<Result<bool, Error>> },
}

impl PasswordSource {
    /// Creates the source of a request. A loopback address is that of a proxy on the same machine,
    /// which all clients share, so there each connection counts for itself.
    pub(crate) fn new(
        client: ClientKey,
        address: Option<IpAddr>,
        account: Option<Box<str>>,
    ) -> Self {
        let address = address.filter(|address| !address.to_canonical().is_loopback());
        Self { client: address.map_or(client, ClientKey::network), account }
    }
}

impl Store {
    /// Hashes a plain password, so that a transaction can store it. A password that is a hash
    /// already is returned as it is.
    ///
    /// Only [`transaction`](Store::transaction)s and hooks within a write need this: other writes
    /// hash their passwords themselves.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Password, Store};
    ///
    /// async fn of_first_admin(store: &Store, plain: &str) -> Result<Password, Error> {
    ///     store.hashed(Password::new(plain)).await
    /// }
    /// ```
    ///
    /// # Errors
    /// 503 if too many passwords wait to be hashed.
    pub async fn hashed(&self, password: Password) -> Result<Password, Error> {
        let Some(plain) = password.plain() else { return Ok(password) };
        let hash = self.hash(PasswordSource::default(), &Secret::new(plain)).await?;
        Password::of_hash(&hash).ok_or_else(|| Error::internal("a hash was made that is none"))
    }

    /// Whether a member's password is this plain password.
    ///
    /// The comparison takes as long as a hash: about 20 milliseconds. With `None`, for an account
    /// that does not exist, the result is false after the same time, so that a client cannot learn
    /// which accounts exist.
    ///
    /// ```
    /// # use nouns_runtime as nouns;
    /// use nouns::{Error, Password, Store};
    ///
    /// async fn is_signed_in(store: &Store, of: &Password, sent: &str) -> Result<bool, Error> {
    ///     store.has_password(Some(of), sent).await
    /// }
    /// ```
    ///
    /// # Errors
    /// 503 if too many passwords wait to be compared.
    pub async fn has_password(&self, of: Option<&Password>, plain: &str) -> Result<bool, Error> {
        let hash = match of.map(|of| (of.plain(), of.hash())) {
            Some((Some(known), _)) => {
                return Ok(precis::password(known) == precis::password(plain));
            }
            Some((None, hash)) => hash,
            None => None,
        };
        self.is_of(PasswordSource::default(), hash.unwrap_or_default(), &Secret::new(plain)).await
    }

    /// Whether a hash is that of a password which a client has sent. An empty hash is of none.
    pub(crate) async fn is_of(
        &self,
        source: PasswordSource,
        hash: &str,
        plain: &Secret,
    ) -> Result<bool, Error> {
        let (answer, answered) = oneshot::channel();
        let work = PasswordWork::Compare { hash: hash.into(), answer };
        self.passwords.put(source, plain.clone(), work)?;
        answered.await.unwrap_or_else(|_| Err(lost()))
    }

    /// Hashes a password that a client has sent.
    pub(crate) async fn hash(
        &self,
        source: PasswordSource,
        plain: &Secret,
    ) -> Result<String, Error> {
        let (answer, answered) = oneshot::channel();
        self.passwords.put(source, plain.clone(), PasswordWork::Hash(answer))?;
        answered.await.unwrap_or_else(|_| Err(lost()))
    }
}

impl PasswordThreads {
    /// The number of passwords that wait.
    pub(super) fn waiting(&self) -> usize {
        self.0.get().map_or(0, |queue| queue.0.waiting().count())
    }

    fn put(
        &self,
        source: PasswordSource,
        password: Secret,
        work: PasswordWork,
    ) -> Result<(), Error> {
        let queue = self.0.get_or_init(PasswordQueue::start);
        queue.put(PasswordJob { source, since: Instant::now(), password, work })
    }
}

impl PasswordQueue {
    /// Starts a thread for every two processor cores, but at least one.
    fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let queue = Self(Arc::default());
        for _ in 0..(cores / 2).max(1) {
            let state = Arc::clone(&queue.0);
            let thread = thread::Builder::new().name("nouns-password".into());
            if let Err(error) = thread.spawn(move || state.work()) {
                tracing::error!(target: "nouns", %error, "a password thread was not started");
            }
        }
        queue
    }

    fn put(&self, job: PasswordJob) -> Result<(), Error> {
        // Without a thread, nobody would take the job.
        if Arc::strong_count(&self.0) < 2 {
            return Err(busy());
        }
        let mut waiting = self.0.waiting();
        waiting.put(job)?;
        drop(waiting);
        self.0.arrivals.notify_one();
        Ok(())
    }
}

impl Drop for PasswordQueue {
    fn drop(&mut self) {
        self.0.waiting().close();
        self.0.arrivals.notify_all();
    }
}

impl QueueState {
    fn waiting(&self) -> MutexGuard<'_, WaitingJobs> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does jobs until the queue is closed.
    fn work(&self) {
        priority::lower(NICE);
        while let Some(job) = self.next() {
            // A panic costs the request alone: the sender of its answer is dropped.
            drop(caught(|| {
                job.run();
                Ok(())
            }));
        }
    }

    fn next(&self) -> Option<PasswordJob> {
        let mut waiting = self.waiting();
        while !waiting.is_closed() {
            if let Some(job) = waiting.take() {
                return Some(job);
            }
            waiting = self.arrivals.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }
}

impl PasswordJob {
    fn run(self) {
        if self.work.is_abandoned() {
            return;
        }
        let is_late = self.since.elapsed() > limits::PASSWORD_WAIT_MAX;
        let plain = self.password.reveal();
        match self.work {
            PasswordWork::Hash(answer) => {
                let hashed = || password_hash::hash(&precis::password(plain));
                drop(answer.send(if is_late { Err(busy()) } else { hashed() }));
            }
            PasswordWork::Compare { answer, .. } if is_late => drop(answer.send(Err(busy()))),
            PasswordWork::Compare { hash, answer } => {
                drop(answer.send(compare(&hash, plain)));
            }
        }
    }
}

/// Compares a password with a hash, in each form in which it may have been hashed. If there is no
/// hash, it takes the time of a comparison.
fn compare(hash: &str, plain: &str) -> Result<bool, Error> {
    let mut forms = precis::of_password(plain).into_iter();
    if password_hash::is_hash(hash) {
        return Ok(forms.any(|form| password_hash::is_of(hash, &form)));
    }
    forms.try_for_each(|form| password_hash::hash(&form).map(drop)).map(|()| false)
}

impl PasswordWork {
    /// Whether the work belongs to a sign-in.
    const fn is_sign_in(&self) -> bool {
        matches!(self, Self::Compare { .. })
    }

    /// Answers that the work is not done.
    fn refuse(self) {
        match self {
            Self::Hash(answer) => drop(answer.send(Err(busy()))),
            Self::Compare { answer, .. } => drop(answer.send(Err(busy()))),
        }
    }

    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool {
        match self {
            Self::Hash(answer) => answer.is_closed(),
            Self::Compare { answer, .. } => answer.is_closed(),
        }
    }
}

fn busy() -> Error {
    Error::unavailable(text!("Too many passwords are waiting."), RETRY_SECONDS)
}

fn lost() -> Error {
    Error::internal("a password thread ended before it answered")
}
