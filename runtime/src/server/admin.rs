//! The admin listener: health, readiness and metrics on a thread of its own. So they are served
//! while all workers are busy.

use std::{
    io,
    sync::{Arc, mpsc},
    thread,
};

use tokio::sync::watch;

use super::{
    connections::{ConnectionLimits, Connections},
    current_service::CurrentService,
    listen::{ListenAddress, ListenSocket, Listeners, SocketFile},
    security::Security,
    worker::{self, WorkerListener, WorkerPlace},
};
use crate::{
    base::limits,
    service::{Exposure, Service},
};

/// The thread of an admin listener. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Admin {
    address: ListenAddress,
    _file: Option<SocketFile>,
    /// The service of the thread.
    current: Arc<CurrentService>,
    stop: watch::Sender<bool>,
    thread: thread::JoinHandle<io::Result<()>>,
}

impl Admin {
    /// Starts the thread, and waits until it is ready. It has its own limit of connections, so that
    /// other clients cannot use up the places of those who watch the server.
    pub(super) fn start(listeners: Listeners, service: &Service) -> io::Result<Self> {
        let (address, is_loopback) = (listeners.address.clone(), listeners.address.is_loopback());
        let (stop, stopped) = watch::channel(false);
        let (ready, begun) = mpsc::channel();
        let current = Arc::new(CurrentService::new(service.exposing(Exposure::Admin)));
        let limits = ConnectionLimits::of(service.store().model().limits());
        let connections = Connections::new(limits, service.memory());
        let drain_time = limits::ADMIN_DRAIN_TIME_MAX;
        let place = WorkerPlace { bulk: None, connections, drain_time };
        let listener = |socket: ListenSocket| WorkerListener {
            socket,
            security: Security::Nothing,
            is_inherited: listeners.is_inherited,
            is_loopback,
        };
        let sockets = listeners.sockets.into_iter().map(listener).collect();
        let served = Arc::clone(&current);
        let work = move || worker::run(sockets, &served, &place, &ready, &stopped);
        let thread = thread::Builder::new().name("nouns-admin".into()).spawn(work)?;
        begun.iter().take(1).collect::<io::Result<()>>()?;
        Ok(Self { address, _file: listeners.file, current, stop, thread })
    }

    pub(super) const fn address(&self) -> &ListenAddress {
        &self.address
    }

    /// Serves another service of the same store from now on.
    pub(super) fn replace(&self, service: &Service) {
        self.current.replace(service.exposing(Exposure::Admin));
    }

    /// Ends the thread. The server calls this last, so that the end of the others can be watched.
    pub(super) fn stop(self) -> io::Result<()> {
        self.stop.send_replace(true);
        self.thread.join().map_err(|_| io::Error::other("the admin thread panicked"))?
    }
}
