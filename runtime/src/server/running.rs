//! [`RunningServer`]: a server whose workers run, until it is stopped.

use std::{
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tokio::sync::watch;

#[cfg(feature = "tls")]
use super::tls::{Tls, TlsError};
use super::{
    admin::Admin,
    connections::{ConnectionLimits, Connections},
    current_service::CurrentService,
    listen::{self, ListenAddress, SocketFile},
    security::Security,
};
use crate::{
    base::limits,
    service::{Exposure, Service},
};

/// The time in which a worker ends after its last connection. Only user code that blocks its thread
/// takes longer.
const WORKER_END_MAX: Duration = Duration::from_millis(500);

/// The interval at which a stop looks whether the workers have ended.
const END_PAUSE: Duration = Duration::from_millis(1);

/// A server that is running.
#[derive(Debug)]
pub struct RunningServer {
    pub(super) address: ListenAddress,
    pub(super) plain_address: Option<ListenAddress>,
    pub(super) security: Security,
    pub(super) drain_delay: Duration,
    pub(super) connections: Arc<Connections>,
    /// The service of each worker.
    pub(super) current: Vec<Arc<CurrentService>>,
    pub(super) stop: watch::Sender<bool>,
    pub(super) workers: Vec<thread::JoinHandle<io::Result<()>>>,
    pub(super) admin: Option<Admin>,
    #[expect(dead_code, reason = "the files are removed when this is dropped")]
    pub(super) files: Vec<SocketFile>,
}

impl RunningServer {
    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> &ListenAddress {
        &self.address
    }

    /// Returns the second address, where connections do not use TLS; `None` if there is none.
    #[must_use]
    pub const fn plain_address(&self) -> Option<&ListenAddress> {
        self.plain_address.as_ref()
    }

    /// Whether connections to [`address`](Self::address) use TLS.
    #[must_use]
    pub const fn is_encrypted(&self) -> bool {
        self.security.is_encrypted()
    }

    /// Returns the certificate, if connections use TLS.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(&self) -> Option<Tls> {
        match &self.security {
            Security::Tls(tls) => Some(tls.clone()),
            Security::Nothing | Security::Elsewhere(_) => None,
        }
    }

    /// Reads the files of the certificate again, also if they have not changed. See
    /// [`Tls::reload`].
    ///
    /// # Errors
    /// If a file cannot be read, or has not what it should have.
    #[cfg(feature = "tls")]
    pub fn reload_certificate(&self) -> Result<(), TlsError> {
        self.tls().map_or(Ok(()), |tls| tls.reload())
    }

    /// Returns the address of the admin listener; `None` if there is none.
    #[must_use]
    pub fn admin_address(&self) -> Option<&ListenAddress> {
        self.admin.as_ref().map(Admin::address)
    }

    /// Waits until all workers have ended, and then ends the admin listener.
    pub(super) fn wait(self) -> io::Result<()> {
        for worker in self.workers {
            worker.join().map_err(|_| io::Error::other("a worker panicked"))??;
        }
        self.admin.map_or(Ok(()), Admin::stop)
    }

    /// Serves another service of the same store, such as one of another model. Connections stay
    /// open. A request that has begun keeps its service, and each later one gets the new service.
    ///
    /// ```
    /// # use std::num::NonZero;
    /// # use nouns_runtime as nouns;
    /// use nouns::{Api, Service, Store, StoreOptions, server::Server};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let model = Api::new("City zoos").build()?;
    /// let (store, _) = Store::open(&model, &StoreOptions::new(folder.path().join("zoo.db")))?;
    /// let service = Service::new(store);
    /// let address = "127.0.0.1:0".parse::<nouns::ListenAddress>()?;
    /// let running = Server::bind(address, NonZero::<usize>::MIN)?.start(&service)?;
    ///
    /// let model = Api::new("City zoos").query(true).build()?;
    /// let (store, _applied) = service.store().with_model(&model, true)?;
    /// let service = service.with_store(store);
    /// running.replace(&service)?;
    /// # running.stop()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the service has a store of its own. Only the handles that
    /// [`Store::with_model`](crate::Store::with_model) returns share one.
    pub fn replace(&self, service: &Service) -> io::Result<()> {
        let is_same =
            |one: &Arc<CurrentService>| one.get().service.store().is_same(service.store());
        if !self.current.iter().all(is_same) {
            let sentence = "a server cannot change its store; use `Store::with_model`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        }
        let limits = ConnectionLimits::of(service.store().model().limits());
        self.connections.set_limits(limits.within(listen::allow_open_files(limits.all)));
        let exposed = match &self.admin {
            Some(admin) => {
                admin.replace(service);
                service.exposing(Exposure::WithoutMetrics)
            }
            None => service.clone(),
        };
        self.current.iter().for_each(|current| current.replace(exposed.apart()));
        Ok(())
    }

    /// Stops the server, and returns when its connections have ended:
    ///
    /// 1. From now on `/-/ready` is 503. The server goes on for the time of
    ///    [`Server::drain_delay`](super::Server::drain_delay).
    /// 2. Connections that wait are accepted, and the server stops listening.
    /// 3. Each connection may answer the requests that have arrived. The last response of HTTP/1.1
    ///    has `Connection: close`; clients of HTTP/2 get a GOAWAY.
    /// 4. After [`DRAIN_TIME_MAX`](limits::DRAIN_TIME_MAX) the connections that are still open are
    ///    closed.
    ///
    /// # Errors
    /// The first error that a worker has returned.
    pub fn stop(mut self) -> io::Result<()> {
        self.current.iter().for_each(|current| current.get().service.lifecycle().stop());
        thread::sleep(self.drain_delay);
        self.stop.send_replace(true);
        let until = Instant::now() + limits::DRAIN_TIME_MAX + WORKER_END_MAX;
        while self.has_workers() && Instant::now() < until {
            thread::sleep(END_PAUSE);
        }
        if self.has_workers() {
            tracing::warn!(target: "nouns", "a worker did not end, because user code blocks its thread");
            self.workers.retain(thread::JoinHandle::is_finished);
        }
        self.wait()
    }

    fn has_workers(&self) -> bool {
        self.workers.iter().any(|worker| !worker.is_finished())
    }
}
