//! The HTTP server. Each core has a worker thread with its own async runtime and its own listener
//! on the same port.

mod admin;
mod bulk;
mod candidates;
mod connection;
mod connections;
mod current_service;
mod deadlines;
mod drain;
mod host_rule;
mod http1;
mod http2;
mod keep_alive;
mod listen;
mod load;
mod message;
mod open_connection;
mod parts;
mod pending_response;
mod progress;
mod queue_gauge;
mod request_notes;
mod running;
mod security;
mod socket;
#[cfg(feature = "tls")]
mod tls;
mod transport;
mod worker;

use std::{
    io,
    num::NonZero,
    os::fd::OwnedFd,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use tokio::sync::watch;

#[cfg(feature = "tls")]
pub use self::tls::{Tls, TlsError};
use self::{
    admin::Admin,
    bulk::Bulk,
    connections::{ConnectionLimits, Connections},
    current_service::CurrentService,
    listen::Listeners,
    security::Security,
    worker::WorkerPlace,
};
pub use self::{listen::ListenAddress, running::RunningServer};
use crate::{
    base::limits,
    service::{Exposure, Service},
};

/// Listening sockets that are bound to an address. No connection is accepted before
/// [`start`](Self::start).
#[derive(Debug)]
pub struct Server {
    workers: NonZero<usize>,
    listeners: Listeners,
    security: Security,
    /// The listeners without TLS, while the others have it.
    plain: Option<Listeners>,
    drain_delay: Duration,
    admin: Option<Listeners>,
}

impl Server {
    /// Binds one listener to an address for each worker. Port 0 lets the system choose a free port.
    ///
    /// # Errors
    /// If the address cannot be bound, for example because another process uses it.
    pub fn bind(address: impl Into<ListenAddress>, workers: NonZero<usize>) -> io::Result<Self> {
        Ok(Self::of(Listeners::bind(&address.into(), workers)?, workers))
    }

    const fn of(listeners: Listeners, workers: NonZero<usize>) -> Self {
        Self {
            workers,
            listeners,
            security: Security::Nothing,
            plain: None,
            drain_delay: Duration::ZERO,
            admin: None,
        }
    }

    /// Uses a listening socket that another program has opened, such as systemd (socket
    /// activation): a `TcpListener` or a `UnixListener`. All workers accept from it. When the
    /// server stops, connections that wait stay there for the next server.
    ///
    /// ```
    /// # use std::num::NonZero;
    /// # use nouns_runtime as nouns;
    /// use nouns::server::Server;
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let next = listener.try_clone()?;
    /// let server = Server::of_listener(listener, NonZero::<usize>::MIN)?;
    /// assert_eq!(server.address().tcp(), Some(next.local_addr()?));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is a Unix socket without a file, or the system cannot duplicate the socket.
    pub fn of_listener(listener: impl Into<OwnedFd>, workers: NonZero<usize>) -> io::Result<Self> {
        Ok(Self::of(Listeners::inherited(listener.into(), workers)?, workers))
    }

    /// Sets how long a stopping server still accepts connections and requests, while `/-/ready` is
    /// already 503. A load balancer that polls `/-/ready` then sends its requests to other servers
    /// before this one stops listening. The default is zero.
    ///
    /// ```
    /// # use std::{num::NonZero, time::Duration};
    /// # use nouns_runtime as nouns;
    /// let server = nouns::server::Server::bind("127.0.0.1:0".parse::<nouns::ListenAddress>()?, NonZero::<usize>::MIN)?
    ///     .drain_delay(Duration::from_secs(5));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn drain_delay(mut self, delay: Duration) -> Self {
        self.drain_delay = delay;
        self
    }

    /// Binds the admin listener, which serves health, readiness and metrics on a thread of its own.
    /// The other listeners then do not serve the metrics.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn with_admin(self, address: impl Into<ListenAddress>) -> io::Result<Self> {
        let listeners = Listeners::bind(&address.into(), NonZero::<usize>::MIN)?;
        Ok(Self { admin: Some(listeners), ..self })
    }

    /// Sets the certificate: connections use TLS, but not those of a Unix socket.
    ///
    /// ```no_run
    /// # use nouns_runtime as nouns;
    /// use nouns::{ListenAddress, Server, Service, Tls};
    ///
    /// fn serve(service: &Service) -> Result<(), Box<dyn std::error::Error>> {
    ///     let address = "127.0.0.1:8443".parse::<ListenAddress>()?;
    ///     let tls = Tls::files("zoo.pem", "key.pem")?;
    ///     let server = Server::bind(address, std::num::NonZero::<usize>::MIN)?.tls(tls);
    ///     server.start(service)?.stop()?;
    ///     Ok(())
    /// }
    /// ```
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.security = Security::Tls(tls);
        self
    }

    /// Binds a second address, where connections do not use TLS.
    ///
    /// # Errors
    /// If the address cannot be bound.
    #[cfg(feature = "tls")]
    pub fn listen_plain(mut self, address: impl Into<ListenAddress>) -> io::Result<Self> {
        self.plain = Some(Listeners::bind(&address.into(), self.workers)?);
        Ok(self)
    }

    /// Uses a second listening socket that another program has opened. Its connections do not use
    /// TLS. See [`of_listener`](Self::of_listener).
    ///
    /// # Errors
    /// If it is a Unix socket without a file, or the system cannot duplicate the socket.
    #[cfg(feature = "tls")]
    pub fn plain_of_listener(mut self, listener: impl Into<OwnedFd>) -> io::Result<Self> {
        self.plain = Some(Listeners::inherited(listener.into(), self.workers)?);
        Ok(self)
    }

    /// Returns the address that the listeners are bound to.
    #[must_use]
    pub const fn address(&self) -> &ListenAddress {
        &self.listeners.address
    }

    /// Starts a thread for each worker, and waits until all workers are ready.
    ///
    /// # Errors
    /// If the system cannot start a thread, or the store cannot open a read connection for a
    /// worker.
    pub fn start(self, service: &Service) -> io::Result<RunningServer> {
        let (stop, stopped) = watch::channel(false);
        let (ready, begun) = mpsc::channel();
        // One bulk thread for every two workers. This is also the number of threads for slow reads.
        // Both kinds of threads run beside the workers.
        let bulk = (0..self.workers.get().div_ceil(2)).map(|_| Bulk::start());
        let bulk = bulk.collect::<io::Result<Vec<_>>>()?;
        let limits = ConnectionLimits::of(service.store().model().limits());
        let limits = limits.within(listen::allow_open_files(limits.all));
        #[cfg(feature = "tls")]
        if let Security::Tls(tls) = &self.security {
            tls.watch()?;
        }
        let security = self.security.clone();
        let connections = Connections::new(limits, service.memory());
        let drain_delay = self.drain_delay;
        let parts = self.into_parts();
        let (listeners, admin) = (parts.workers, parts.admin);
        let admin = admin.map(|listeners| Admin::start(listeners, service)).transpose()?;
        let service = &match &admin {
            Some(_) => service.exposing(Exposure::WithoutMetrics),
            None => service.clone(),
        };
        let current = listeners.iter().map(|_| Arc::new(CurrentService::new(service.apart())));
        let current: Vec<_> = current.collect();
        let spawn = |(at, listeners): (usize, _)| {
            let (service, stopped, ready) = (current[at].clone(), stopped.clone(), ready.clone());
            let (name, bulk) = (format!("nouns-worker-{at}"), bulk[at % bulk.len()].clone());
            let place = WorkerPlace {
                bulk: Some(bulk),
                connections: Arc::clone(&connections),
                drain_time: limits::DRAIN_TIME_MAX,
            };
            let work = move || worker::run(listeners, &service, &place, &ready, &stopped);
            thread::Builder::new().name(name).spawn(work)
        };
        let workers =
            listeners.into_iter().enumerate().map(spawn).collect::<io::Result<Vec<_>>>()?;
        drop(ready);
        begun.iter().take(workers.len()).collect::<io::Result<()>>()?;
        Ok(RunningServer {
            address: parts.address,
            plain_address: parts.plain_address,
            security,
            drain_delay,
            connections,
            current,
            stop,
            workers,
            admin,
            files: parts.files,
        })
    }
}

/// Serves HTTP on an address, with one worker per core, until a worker fails. A program that needs
/// to stop the server uses [`Server`] instead.
///
/// # Errors
/// If the server cannot listen on the address, or if a worker fails.
pub fn serve(service: Service, listen: &str) -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let running = Server::bind(listen.parse::<ListenAddress>()?, workers)?.start(&service)?;
    drop(service);
    running.wait()
}
