//! The HTTP server. Each core has a worker thread with its own async runtime and its own listener
//! on the same port.

mod bulk;
mod connection;
mod connections;
mod deadlines;
mod http1;
mod http2;
mod keep_alive;
mod listen;
mod message;
mod progress;
mod request_notes;
mod socket;
mod worker;

use std::{
    io,
    net::SocketAddr,
    num::NonZero,
    sync::{Arc, mpsc},
    thread,
};

use tokio::sync::watch;

pub use self::listen::resolve;
use self::worker::WorkerPlace;
use self::{
    bulk::Bulk,
    connections::{ConnectionLimits, Connections},
};
use crate::service::Service;

/// Listening sockets that are bound to an address. No connection is accepted before
/// [`start`](Self::start).
#[derive(Debug)]
pub struct Server {
    listeners: Vec<std::net::TcpListener>,
    address: SocketAddr,
}

impl Server {
    /// Binds one listener to an address for each worker. Port 0 lets the system choose a free port.
    ///
    /// # Errors
    /// If the address cannot be bound, for example because another process uses it.
    pub fn bind(address: SocketAddr, workers: NonZero<usize>) -> io::Result<Self> {
        let listeners = listen::bind(address, workers)?;
        let address = listeners[0].local_addr()?;
        Ok(Self { listeners, address })
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
        let spawn = |(at, listener): (usize, _)| {
            let (service, stopped, ready) = (service.clone(), stopped.clone(), ready.clone());
            let (name, bulk) = (format!("nouns-worker-{at}"), bulk[at % bulk.len()].clone());
            let place = WorkerPlace { bulk, connections: Arc::clone(&connections) };
            let work = move || worker::run(listener, &service, &place, &ready, stopped);
            thread::Builder::new().name(name).spawn(work)
        };
        let workers =
            self.listeners.into_iter().enumerate().map(spawn).collect::<io::Result<Vec<_>>>()?;
        drop(ready);
        begun.iter().take(workers.len()).collect::<io::Result<()>>()?;
        Ok(RunningServer { address: self.address, stop, workers })
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

/// A server that is running.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    workers: Vec<thread::JoinHandle<io::Result<()>>>,
}

impl RunningServer {
    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all workers have ended.
    fn wait(self) -> io::Result<()> {
        for worker in self.workers {
            worker.join().map_err(|_| io::Error::other("a worker panicked"))??;
        }
        Ok(())
    }

    /// Stops accepting connections, and waits until the requests in progress have ended.
    ///
    /// # Errors
    /// The first error that a worker has returned.
    pub fn stop(self) -> io::Result<()> {
        self.stop.send_replace(true);
        self.wait()
    }
}
