//! A worker: a thread with its own async runtime and its own read connection to the store.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, mpsc},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};

use super::{
    bulk::Bulk,
    connection::{ConnectionPeer, ConnectionService},
    connections::Connections,
    current_service::CurrentService,
    drain::{Drain, DrainSignal},
    listen::{AcceptSocket, ListenSocket},
    message,
    queue_gauge::QueueGauge,
    security::Security,
    transport::Transport,
};
use crate::{base::limits, http::client::network};

/// The pause after the system failed to accept a connection, for example because no file descriptor
/// was left. By the end of the pause, another connection may have been closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// The number of tasks that a worker runs before it looks for new connections and bytes. With the
/// usual 61, a new connection waits for a tenth of a second beside a few that flood the worker.
const EVENT_INTERVAL: u32 = 16;

/// The state that a worker shares with others.
#[derive(Clone)]
pub(super) struct WorkerPlace {
    /// The thread for large requests. Without one, the worker handles them itself.
    pub(super) bulk: Option<Bulk>,
    pub(super) connections: Arc<Connections>,
    /// The maximum time in which requests in progress end when the server stops.
    pub(super) drain_time: Duration,
}

/// A listening socket of a worker.
pub(super) struct WorkerListener {
    pub(super) socket: ListenSocket,
    pub(super) security: Security,
    /// Whether the socket outlives the server.
    pub(super) is_inherited: bool,
    /// Whether the address is a loopback address.
    pub(super) is_loopback: bool,
}

/// The acceptor of the connections of a listening socket.
struct Acceptor {
    security: Security,
    is_inherited: bool,
    is_loopback: bool,
    current: Arc<CurrentService>,
    place: WorkerPlace,
    queue: Arc<QueueGauge>,
    drain: Drain,
}

pub(super) fn run(
    listeners: Vec<WorkerListener>,
    current: &Arc<CurrentService>,
    place: &WorkerPlace,
    ready: &mpsc::Sender<io::Result<()>>,
    stopped: &watch::Receiver<bool>,
) -> io::Result<()> {
    let store = current.get().service.store().clone();
    let seat = store.enter_worker_for(limits::WORKER_PAGE_BYTES_MAX).map_err(io::Error::other);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .on_thread_park(move || store.end_turn())
        .build();
    let (begun, worker) = match (seat, runtime) {
        (Ok(seat), Ok(runtime)) => (Ok(()), Some((seat, runtime))),
        (Err(error), _) | (_, Err(error)) => (Err(error), None),
    };
    // The receiver is dropped if another worker has already failed.
    ready.send(begun).ok();
    let Some((_seat, runtime)) = worker else { return Ok(()) };
    runtime.block_on(serve(listeners, current, place, stopped))
}

async fn serve(
    listeners: Vec<WorkerListener>,
    current: &Arc<CurrentService>,
    place: &WorkerPlace,
    stopped: &watch::Receiver<bool>,
) -> io::Result<()> {
    let (drain, draining) = DrainSignal::new();
    let queue = QueueGauge::new();
    let measuring = tokio::spawn(Arc::clone(&queue).measure());
    let accepts = listeners.into_iter().map(|listener| {
        let socket = listener.socket.into_accept()?;
        let acceptor = Acceptor {
            security: listener.security,
            is_inherited: listener.is_inherited,
            is_loopback: listener.is_loopback,
            current: Arc::clone(current),
            place: place.clone(),
            queue: Arc::clone(&queue),
            drain: draining.clone(),
        };
        Ok(tokio::spawn(acceptor.run(socket, stopped.clone())))
    });
    let accepts = accepts.collect::<io::Result<Vec<_>>>()?;
    drop(draining);
    for accept in accepts {
        accept.await??;
    }
    end(&drain, place.drain_time).await;
    measuring.abort();
    Ok(())
}

/// Ends the connections. Each may answer the requests that have arrived, and one that may be under
/// way, until the time is over.
async fn end(drain: &DrainSignal, time: Duration) {
    let ended = async {
        drain.begin();
        if timeout(limits::LAST_REQUEST_WAIT_MAX, drain.ended()).await.is_err() {
            drain.end();
            drain.ended().await;
        }
    };
    if timeout(time, ended).await.is_err() {
        tracing::warn!(target: "nouns", "open connections were closed after {time:?} of shutdown");
    }
}

impl Acceptor {
    /// Accepts connections until the server stops, and then those that wait.
    async fn run(self, socket: AcceptSocket, mut stopped: watch::Receiver<bool>) -> io::Result<()> {
        loop {
            let accepted = tokio::select! {
                accepted = socket.accept() => accepted,
                _ = stopped.wait_for(|stopped| *stopped) => break,
            };
            match accepted {
                Ok((transport, address)) => self.begin(transport, address),
                Err(error) => pause(&error).await,
            }
        }
        if !self.is_inherited {
            for (transport, address) in socket.into_waiting()? {
                self.begin(transport, address);
            }
        }
        Ok(())
    }

    /// Starts the task of a connection, or refuses it if there are too many. A client that uses TLS
    /// would not understand the refusal.
    fn begin(&self, mut transport: Transport, address: Option<SocketAddr>) {
        let current = self.current.get();
        let service = &current.service;
        let network = address.and_then(|address| {
            let is_proxy = service.store().model().proxies.trusts(address.ip());
            (!is_proxy).then(|| network(address.ip()))
        });
        let Some(held) = self.place.connections.place(network) else {
            service.metrics().refuse();
            if !self.security.is_encrypted() {
                message::send(&mut transport, service.crowded());
            }
            return;
        };
        let (load, counted) = (held.load(&self.queue), service.metrics().connect());
        let peer = ConnectionPeer {
            address,
            is_loopback: self.is_loopback,
            security: self.security.clone(),
        };
        let bulk = self.place.bulk.as_ref();
        let requests = ConnectionService::new(&self.current, bulk, peer, load);
        let drain = self.drain.clone();
        tokio::spawn(async move {
            let open = held.connection();
            open.serve(requests.serve(transport, drain, open)).await;
            drop((held, counted));
        });
    }
}

/// Pauses after an error of `accept`. Nothing is done if the client disconnected before it was
/// accepted. A lack of file descriptors is temporary.
async fn pause(error: &io::Error) {
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        tracing::error!(target: "nouns", %error, "a connection could not be accepted");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
