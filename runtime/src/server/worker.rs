//! A worker: a thread with its own async runtime and its own read connection to the store.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, mpsc},
    time::Duration,
};

use tokio::{net::TcpStream, sync::watch, time::timeout};

use super::{
    bulk::Bulk,
    connection::ConnectionService,
    connections::Connections,
    current_service::CurrentService,
    drain::{Drain, DrainSignal},
    listen, message,
    queue_gauge::QueueGauge,
};
use crate::{base::limits, http::client::network};

/// The pause after the system failed to accept a connection, for example because no file descriptor
/// was left. By the end of the pause, another connection may have been closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// What a worker shares with others.
pub(super) struct WorkerPlace {
    /// The thread for large requests. Without one, the worker handles them itself.
    pub(super) bulk: Option<Bulk>,
    pub(super) connections: Arc<Connections>,
    /// Whether the listener outlives the server.
    pub(super) is_inherited: bool,
    /// Whether the address of the listener is a loopback address.
    pub(super) is_loopback: bool,
}

/// What the connections of a worker share.
struct AcceptPlace<'w> {
    shared: &'w WorkerPlace,
    queue: Arc<QueueGauge>,
}

pub(super) fn run(
    listener: TcpListener,
    current: &Arc<CurrentService>,
    place: &WorkerPlace,
    ready: &mpsc::Sender<io::Result<()>>,
    stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let store = current.get().service.store().clone();
    let seat = store.enter_worker_for(limits::WORKER_PAGE_BYTES_MAX).map_err(io::Error::other);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || store.end_turn())
        .build();
    let (begun, worker) = match (seat, runtime) {
        (Ok(seat), Ok(runtime)) => (Ok(()), Some((seat, runtime))),
        (Err(error), _) | (_, Err(error)) => (Err(error), None),
    };
    // The receiver is dropped if another worker has already failed.
    ready.send(begun).ok();
    let Some((_seat, runtime)) = worker else { return Ok(()) };
    runtime.block_on(serve(listener, current, place, stopped))
}

async fn serve(
    listener: TcpListener,
    current: &Arc<CurrentService>,
    place: &WorkerPlace,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (drain, draining) = DrainSignal::new();
    let queue = QueueGauge::new();
    let measuring = tokio::spawn(Arc::clone(&queue).measure());
    let place = &AcceptPlace { shared: place, queue };
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => {
                    accept(stream, address, current, place, &draining);
                }
                Err(error) => pause(&error).await,
            },
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    if !place.shared.is_inherited {
        for (stream, address) in listen::waiting(&listener.into_std()?) {
            accept(TcpStream::from_std(stream)?, address, current, place, &draining);
        }
    }
    drop(draining);
    end(&drain).await;
    measuring.abort();
    Ok(())
}

/// Ends the connections. Each may answer the requests that have arrived, and one that may be under
/// way, until the time is over.
async fn end(drain: &DrainSignal) {
    let ended = async {
        drain.begin();
        if timeout(limits::LAST_REQUEST_WAIT_MAX, drain.ended()).await.is_err() {
            drain.end();
            drain.ended().await;
        }
    };
    if timeout(limits::DRAIN_TIME_MAX, ended).await.is_err() {
        tracing::warn!(target: "nouns", "open connections were closed after {:?} of shutdown", limits::DRAIN_TIME_MAX);
    }
}

/// Starts the task of a connection, or refuses it if there are too many.
fn accept(
    stream: TcpStream,
    address: SocketAddr,
    current: &Arc<CurrentService>,
    place: &AcceptPlace<'_>,
    drain: &Drain,
) {
    let is_proxy = current.get().service.store().model().proxies.trusts(address.ip());
    let network = (!is_proxy).then(|| network(address.ip()));
    let AcceptPlace { shared, queue } = place;
    let Some(held) = shared.connections.place(network) else {
        let current = current.get();
        current.service.metrics().refuse();
        return message::send(&stream, current.service.crowded());
    };
    let (bulk, load) = (shared.bulk.as_ref(), held.load(queue));
    let requests = ConnectionService::new(current, bulk, address, shared.is_loopback, load);
    let (drain, counted) = (drain.clone(), current.get().service.metrics().connect());
    tokio::spawn(async move {
        requests.serve(stream, drain).await;
        drop((held, counted));
    });
}

/// Pauses after an error of `accept`. Nothing is done if the client disconnected before it was
/// accepted. A lack of file descriptors is temporary.
async fn pause(error: &io::Error) {
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        tracing::error!(target: "nouns", %error, "a connection could not be accepted");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
