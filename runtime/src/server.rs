//! The HTTP server: one runtime per core, each with its own listener on the same port.

mod bulk;
mod deadlines;
mod listen;
mod progress;
mod socket;
mod worker;

use std::{io, net::SocketAddr, num::NonZero, sync::mpsc, thread};

use tokio::sync::watch;

use self::bulk::Bulk;
pub use self::listen::resolve;
use crate::service::Service;

/// Listeners that are bound and not served yet.
#[derive(Debug)]
pub struct Server {
    listeners: Vec<std::net::TcpListener>,
    address: SocketAddr,
}

impl Server {
    /// Binds an address once for each worker; port 0 takes a free port.
    ///
    /// # Errors
    /// If the address cannot be bound, for example because another process has it.
    pub fn bind(address: SocketAddr, workers: NonZero<usize>) -> io::Result<Self> {
        let listeners = listen::bind(address, workers)?;
        let address = listeners[0].local_addr()?;
        Ok(Self { listeners, address })
    }

    /// Returns the address that was bound.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts a thread for each worker, and waits until each can serve.
    ///
    /// # Errors
    /// If the system has no thread for a worker, or the store no lane.
    pub fn start(self, service: &Service) -> io::Result<RunningServer> {
        let (stop, stopped) = watch::channel(false);
        let (ready, begun) = mpsc::channel();
        // As many as there are threads for slow reads: both run work that may wait, beside the
        // workers.
        let bulk = (0..self.listeners.len().div_ceil(2)).map(|_| Bulk::start());
        let bulk = bulk.collect::<io::Result<Vec<_>>>()?;
        let spawn = |(at, listener): (usize, _)| {
            let (service, stopped, ready) = (service.clone(), stopped.clone(), ready.clone());
            let (name, bulk) = (format!("nouns-worker-{at}"), bulk[at % bulk.len()].clone());
            let work = move || worker::run(listener, &service, &bulk, &ready, stopped);
            thread::Builder::new().name(name).spawn(work)
        };
        let workers =
            self.listeners.into_iter().enumerate().map(spawn).collect::<io::Result<Vec<_>>>()?;
        drop(ready);
        begun.iter().take(workers.len()).collect::<io::Result<()>>()?;
        Ok(RunningServer { address: self.address, stop, workers })
    }
}

/// Serves an address with one worker per core until a worker fails. A program that wants to stop
/// the server uses [`Server`].
///
/// # Errors
/// If the server cannot listen on the address.
pub fn serve(service: Service, listen: &str) -> io::Result<()> {
    let workers = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let running = Server::bind(resolve(listen)?, workers)?.start(&service)?;
    drop(service);
    running.wait()
}

/// A running server.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    workers: Vec<thread::JoinHandle<io::Result<()>>>,
}

impl RunningServer {
    /// Returns the address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until every worker has ended.
    fn wait(self) -> io::Result<()> {
        for worker in self.workers {
            worker.join().map_err(|_| io::Error::other("a worker panicked"))??;
        }
        Ok(())
    }

    /// Stops listening, and waits until the requests in progress have ended.
    ///
    /// # Errors
    /// The first error that ended a worker.
    pub fn stop(self) -> io::Result<()> {
        self.stop.send_replace(true);
        self.wait()
    }
}
