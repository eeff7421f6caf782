//! A worker: a thread with its own async runtime and its own read connection to the store.

use std::{io, net::TcpListener, sync::mpsc, time::Duration};

use tokio::sync::watch;

use super::{bulk::Bulk, connection::ConnectionService};
use crate::{base::limits, service::Service};

/// The pause after the system failed to accept a connection, for example because no file descriptor
/// was left. By the end of the pause, another connection may have been closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

pub(super) fn run(
    listener: TcpListener,
    service: &Service,
    bulk: &Bulk,
    ready: &mpsc::Sender<io::Result<()>>,
    stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let seat =
        service.store().enter_worker_for(limits::WORKER_PAGE_BYTES_MAX).map_err(io::Error::other);
    let store = service.store().clone();
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
    runtime.block_on(serve(listener, &service.apart(), bulk, stopped))
}

async fn serve(
    listener: TcpListener,
    service: &Service,
    bulk: &Bulk,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (drain, draining) = watch::channel(false);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => {
                    let requests = ConnectionService::new(service, bulk, address);
                    tokio::spawn(requests.serve(stream, draining.clone()));
                }
                Err(error) => pause(&error).await,
            },
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    drop((listener, draining));
    drain.send_replace(true);
    // A connection drops its receiver when it has ended.
    if tokio::time::timeout(limits::DRAIN_TIME_MAX, drain.closed()).await.is_err() {
        tracing::warn!(target: "nouns", "open connections were closed after {:?} of shutdown", limits::DRAIN_TIME_MAX);
    }
    Ok(())
}

/// Pauses after an error of `accept`. Nothing is done if the client disconnected before it was
/// accepted. A lack of file descriptors is temporary.
async fn pause(error: &io::Error) {
    if !matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset) {
        tracing::error!(target: "nouns", %error, "a connection could not be accepted");
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}
