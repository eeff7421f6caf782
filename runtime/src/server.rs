//! The HTTP server. Each core has a worker thread with its own async runtime and its own listener
//! on the same port.

mod admin;
mod bulk;
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
mod progress;
mod queue_gauge;
mod request_notes;
mod socket;
mod worker;

use std::{
    io,
    net::SocketAddr,
    num::NonZero,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use tokio::sync::watch;

pub use self::listen::resolve;
use self::worker::WorkerPlace;
use self::{
    admin::Admin,
    bulk::Bulk,
    connections::{ConnectionLimits, Connections},
    current_service::CurrentService,
};
use crate::{
    base::limits,
    service::{Exposure, Service},
};

/// Listening sockets that are bound to an address. No connection is accepted before
/// [`start`](Self::start).
#[derive(Debug)]
pub struct Server {
    listeners: Vec<std::net::TcpListener>,
    address: SocketAddr,
    drain_delay: Duration,
    /// Whether another program has opened the socket, which then outlives this server.
    is_inherited: bool,
    admin: Option<std::net::TcpListener>,
}

impl Server {
    /// Binds one listener to an address for each worker. Port 0 lets the system choose a free port.
    ///
    /// # Errors
    /// If the address cannot be bound, for example because another process uses it.
    pub fn bind(address: SocketAddr, workers: NonZero<usize>) -> io::Result<Self> {
        let listeners = listen::bind(address, workers)?;
        let address = listeners[0].local_addr()?;
        Ok(Self {
            listeners,
            address,
            drain_delay: Duration::ZERO,
            is_inherited: false,
            admin: None,
        })
    }

    /// Uses a listening socket that another program has opened, such as systemd (socket
    /// activation). All workers accept from it. When the server stops, connections that wait stay
    /// there for the next server, so none is refused or reset.
    ///
    /// ```
    /// # use std::num::NonZero;
    /// # use nouns_runtime as nouns;
    /// use nouns::server::Server;
    /// let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let next = listener.try_clone()?;
    /// let server = Server::of_listener(listener, NonZero::<usize>::MIN)?;
    /// assert_eq!(server.address(), next.local_addr()?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the system cannot duplicate the socket.
    pub fn of_listener(
        listener: std::net::TcpListener,
        workers: NonZero<usize>,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let listeners = listen::share(listener, workers)?;
        Ok(Self {
            listeners,
            address,
            drain_delay: Duration::ZERO,
            is_inherited: true,
            admin: None,
        })
    }

    /// Sets how long a stopping server still accepts connections and requests, while `/-/ready` is
    /// already 503. A load balancer that polls `/-/ready` then sends its requests to other servers
    /// before this one stops listening. The default is zero.
    ///
    /// ```
    /// # use std::{num::NonZero, time::Duration};
    /// # use nouns_runtime as nouns;
    /// let server = nouns::server::Server::bind(([127, 0, 0, 1], 0).into(), NonZero::<usize>::MIN)?
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
    pub fn with_admin(self, address: SocketAddr) -> io::Result<Self> {
        let listeners = listen::bind(address, NonZero::<usize>::MIN)?;
        Ok(Self { admin: listeners.into_iter().next(), ..self })
    }

    /// Returns the address that the listeners are bound to.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
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
        let bulk = (0..self.listeners.len().div_ceil(2)).map(|_| Bulk::start());
        let bulk = bulk.collect::<io::Result<Vec<_>>>()?;
        let limits = ConnectionLimits::of(service.store().model().limits());
        listen::allow_open_files(limits.all);
        let connections = Connections::new(limits);
        let is_loopback = listen::is_loopback(self.address);
        let admin = self.admin.map(|listener| Admin::start(listener, service)).transpose()?;
        let service = &match &admin {
            Some(_) => service.exposing(Exposure::WithoutMetrics),
            None => service.clone(),
        };
        let current = self.listeners.iter().map(|_| Arc::new(CurrentService::new(service.apart())));
        let current: Vec<_> = current.collect();
        let spawn = |(at, listener): (usize, _)| {
            let (service, stopped, ready) = (current[at].clone(), stopped.clone(), ready.clone());
            let (name, bulk) = (format!("nouns-worker-{at}"), bulk[at % bulk.len()].clone());
            let connections = Arc::clone(&connections);
            let bulk = Some(bulk);
            let place =
                WorkerPlace { bulk, connections, is_inherited: self.is_inherited, is_loopback };
            let work = move || worker::run(listener, &service, &place, &ready, stopped);
            thread::Builder::new().name(name).spawn(work)
        };
        let workers =
            self.listeners.into_iter().enumerate().map(spawn).collect::<io::Result<Vec<_>>>()?;
        drop(ready);
        begun.iter().take(workers.len()).collect::<io::Result<()>>()?;
        let (address, drain_delay) = (self.address, self.drain_delay);
        Ok(RunningServer { address, drain_delay, connections, current, stop, workers, admin })
    }
}

/// Serves HTTP on an address, with one worker per core, until a worker fails. A program that needs
/// to stop the server uses [`Server`] instead.
///
/// # Errors
/// If the server cannot listen on the address, or if a worker fails.
pub fn serve(service: Service, listen: &str) -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let running = Server::bind(resolve(listen)?, workers)?.start(&service)?;
    drop(service);
    running.wait()
}

/// The time in which a worker ends after its last connection. Only user code that blocks its thread
/// takes longer.
const WORKER_END_MAX: Duration = Duration::from_millis(500);

/// The interval at which a stop looks whether the workers have ended.
const END_PAUSE: Duration = Duration::from_millis(1);

/// A server that is running.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    drain_delay: Duration,
    connections: Arc<Connections>,
    /// The service of each worker.
    current: Vec<Arc<CurrentService>>,
    stop: watch::Sender<bool>,
    workers: Vec<thread::JoinHandle<io::Result<()>>>,
    admin: Option<Admin>,
}

impl RunningServer {
    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the admin listener; `None` if there is none.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().map(Admin::address)
    }

    /// Waits until all workers have ended, and then ends the admin listener.
    fn wait(self) -> io::Result<()> {
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
    /// let address = ([127, 0, 0, 1], 0).into();
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
        self.connections.set_limits(ConnectionLimits::of(service.store().model().limits()));
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
    ///    [`Server::drain_delay`].
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
