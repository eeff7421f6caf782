//! A worker: a thread with its own async runtime and its own read connection to the store.

use std::{
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, mpsc},
    time::Duration,
};

use http::{Request, Response, Version};
use http_body::Body as _;
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::{net::TcpStream, sync::watch};

use super::{
    bulk::Bulk,
    deadlines::{ConnectionTimeouts, Deadlines},
    keep_alive::KeepAlive,
    socket::Socket,
};
use crate::{
    base::limits,
    http::{body::Body, client::Peer, request_head::HeadLook},
    plan::ClientKey,
    service::Service,
};

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
    let graceful = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => connection(stream, ConnectionService::new(service, bulk, address), &graceful),
                Err(error) => pause(&error).await,
            },
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
    }
    drop(listener);
    if tokio::time::timeout(limits::DRAIN_TIME_MAX, graceful.shutdown()).await.is_err() {
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

fn connection(stream: TcpStream, service: ConnectionService, graceful: &GracefulShutdown) {
    // A response is sent with one write. Without `TCP_NODELAY` the system could delay this write
    // until the previous one is acknowledged.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(target: "nouns", %error, "TCP_NODELAY could not be set");
    }
    let deadlines = service.deadlines.clone();
    let socket = Socket::new(stream, deadlines.clone()).answering(service.service.clone());
    // `pipeline_flush` is not set: it delays a response if any bytes follow its request, even a
    // single empty line.
    let connection = http1::Builder::new()
        .timer(deadlines.clone())
        .header_read_timeout(limits::IDLE_TIME_MAX)
        .max_buf_size(limits::READ_BYTES_MAX)
        .serve_connection(socket, service);
    let watched = graceful.watch(connection);
    tokio::spawn(async move {
        match deadlines.watch(watched).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(target: "nouns", %error, "a connection ended early"),
            Err(stalled) => tracing::debug!(target: "nouns", "a connection was reset: {stalled}"),
        }
    });
}

type ServiceFuture = <Service as hyper::service::Service<Request<Incoming>>>::Future;

/// The service of one connection: it handles the requests that arrive there.
struct ConnectionService {
    service: Service,
    bulk: Bulk,
    deadlines: Deadlines,
    keep_alive: KeepAlive,
    /// The key of the client. `None` if the peer may be a trusted proxy, because then the head of
    /// each request names the client.
    client: Option<ClientKey>,
    /// The address of the peer, or `None` if neither accounts, user code nor a list of
    /// proxies need it.
    peer: Option<Peer>,
}

impl ConnectionService {
    fn new(service: &Service, bulk: &Bulk, address: SocketAddr) -> Self {
        let model = service.store().model();
        let has_proxies = !model.proxies.is_empty();
        let needs_address = has_proxies || model.has_code() || model.accounts.is_some();
        let peer = needs_address.then_some(Peer { address });
        let deadlines = Deadlines::new(ConnectionTimeouts::LIMITS, Arc::clone(service.memory()));
        Self {
            service: service.clone(),
            bulk: bulk.clone(),
            client: (!has_proxies).then(ClientKey::connect),
            deadlines,
            keep_alive: KeepAlive::new(limits::IDLE_TIME_MAX, limits::CONNECTION_REQUESTS_MAX),
            peer,
        }
    }

    /// Handles a request on this worker or on a bulk thread.
    fn answer(&self, request: Request<Incoming>) -> ServiceFuture {
        if Bulk::takes(&request) {
            return self.bulk.answer(self.service.call_for(self.client, request));
        }
        let (service, bulk, client) = (self.service.clone(), self.bulk.clone(), self.client);
        self.service.call_here(client, request, move |request| {
            bulk.answer(service.call_for(client, request))
        })
    }
}

impl hyper::service::Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ServiceFuture;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        self.deadlines.note_body(request.body().size_hint().exact());
        let HeadLook { fault, has_connection } = HeadLook::of(&request);
        if let Some(fault) = self.deadlines.fault().or(fault) {
            request.extensions_mut().insert(fault);
        }
        let is_old = request.version() == Version::HTTP_10;
        let persistence = self.keep_alive.count(&request, has_connection);
        let mut answer = self.answer(request);
        if is_old {
            answer = closed_by_its_end(answer, self.deadlines.clone());
        }
        match persistence {
            Some(persistence) => Box::pin(async move {
                let mut response = answer.await?;
                persistence.add_to(&mut response);
                Ok(response)
            }),
            None => answer,
        }
    }
}

/// Handles a request of an HTTP/1.0 client, which cannot read chunked content. If the length of the
/// content is unknown, the end of the connection ends the content.
fn closed_by_its_end(answer: ServiceFuture, deadlines: Deadlines) -> ServiceFuture {
    Box::pin(async move {
        let response = answer.await?;
        if response.body().size_hint().exact().is_none() {
            deadlines.progress().announce_nothing();
        }
        Ok(response)
    })
}
