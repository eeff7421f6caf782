//! A connection: which version of HTTP it speaks, and what its requests have in common.

use std::{
    future::Future,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::Buf;
use http::Request;
use tokio::net::TcpStream;

use super::{
    bulk::Bulk,
    current_service::{CurrentService, PreparedService},
    deadlines::{ConnectionTimeouts, Deadlines},
    drain::Drain,
    http1, http2,
    load::ConnectionLoad,
    message,
    request_notes::RequestNotes,
    socket::Socket,
};
use crate::{
    http::{
        client::{OverLoopback, Peer},
        request_head::{HeadFault, HeadLook},
    },
    model::{
        Model,
        def::{Limits, Timeout},
    },
    plan::ClientKey,
    service::{ResponseFuture, response_memory::ResponseMemory},
};

/// The first bytes of a connection of HTTP/2 (RFC 9113 §3.4). No other method begins with them.
const HTTP_2: &[u8] = b"PRI";

/// The end of the path of the metrics. Their document grows with the number of routes, so a bulk
/// thread writes it.
const METRICS: &str = "/-/metrics";

/// The first pause until a connection is looked at again whose first bytes may be those of HTTP/2.
/// Each further pause is twice as long.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// The number of looks at the first bytes of a connection. The pauses between them take 1.3 seconds
/// together. A client that is slower speaks HTTP/1, which has a deadline for its head.
const LOOKS_MAX: u32 = 7;

/// What a connection needs to answer its requests.
#[derive(Clone)]
pub(super) struct ConnectionService {
    current: Arc<CurrentService>,
    bulk: Option<Bulk>,
    /// The key of the client, unless the head of a request names the client.
    client: ClientKey,
    peer: Peer,
    /// Whether the connection came over a listener on a loopback address.
    is_loopback: bool,
    load: Arc<ConnectionLoad>,
}

impl ConnectionService {
    pub(super) fn new(
        current: &Arc<CurrentService>,
        bulk: Option<&Bulk>,
        address: SocketAddr,
        is_loopback: bool,
        load: Arc<ConnectionLoad>,
    ) -> Self {
        Self {
            current: Arc::clone(current),
            bulk: bulk.cloned(),
            client: ClientKey::connect(),
            peer: Peer { address },
            is_loopback,
            load,
        }
    }

    /// The limits and timeouts of the server.
    pub(super) fn limits(&self) -> &'static Limits {
        self.current.get().service.store().model().limits()
    }

    /// The model of the service.
    pub(super) fn model(&self) -> Arc<Model> {
        Arc::clone(self.current.get().service.store().model())
    }

    /// The memory for large responses that clients have not read yet.
    pub(super) fn memory(&self) -> Arc<ResponseMemory> {
        Arc::clone(self.current.get().service.memory())
    }

    /// Handles a request on this worker or on a bulk thread. `head` is what was found in its head,
    /// and `line` what was found in its request line.
    #[inline]
    pub(super) fn answer<B>(
        &self,
        mut request: Request<B>,
        head: HeadLook,
        line: Option<HeadFault>,
    ) -> ResponseFuture
    where
        B: http_body::Body<Data: Buf + Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let current = self.current.get();
        if current.needs_address {
            request.extensions_mut().insert(self.peer);
        }
        let load = Arc::clone(&self.load);
        let model = current.service.store().model();
        let fault = match load.admits(model.limits()) {
            true => line.or(head.fault).or_else(|| self.misdirected(&current, &request)),
            false => Some(HeadFault::Overload),
        };
        if let Some(fault) = fault {
            request.extensions_mut().insert(fault);
        }
        let client = (!current.has_proxies).then_some(self.client);
        let is_for_metrics = request.uri().path().ends_with(METRICS);
        let (service, metrics) = (&current.service, current.service.metrics());
        if self.is_loopback
            && (is_for_metrics || head.has_preference)
            && !service.store().model().proxies.trusts(self.peer.address.ip())
        {
            request.extensions_mut().insert(OverLoopback);
        }
        let Some(bulk) = &self.bulk else { return service.call_for(client, request) };
        if is_for_metrics || Bulk::takes(&request) {
            let response = bulk.answer(metrics, service.call_for(client, request));
            return Box::pin(load.count(response));
        }
        let (service, bulk) = (service.clone(), bulk.clone());
        let elsewhere =
            move |request| bulk.answer(service.metrics(), service.call_for(client, request));
        Box::pin(load.count(current.service.call_here(client, request, elsewhere)))
    }

    /// Looks at the host of a request on a loopback address.
    #[inline]
    fn misdirected<B>(&self, current: &PreparedService, request: &Request<B>) -> Option<HeadFault> {
        if !self.is_loopback || current.local_hosts.serves(request) {
            return None;
        }
        let is_proxy = current.service.store().model().proxies.trusts(self.peer.address.ip());
        (!is_proxy).then_some(HeadFault::Misdirected)
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(self, stream: TcpStream, drain: Drain) {
        // A response is sent with one write. Without `TCP_NODELAY` the system could delay this
        // write until the previous one is acknowledged.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(target: "nouns", %error, "TCP_NODELAY could not be set");
        }
        let limits = self.limits();
        let version = tokio::select! {
            version = Version::of(&stream, limits.timeout(Timeout::KeepAliveIdle)) => version,
            () = drain.ending() => return message::end(stream).await,
        };
        let Some(version) = version else { return };
        let deadlines = Deadlines::new(ConnectionTimeouts::of(limits), self.memory());
        let socket = Socket::new(stream, deadlines.clone());
        let served = match version {
            Version::Http1 => {
                let notes = Arc::new(RequestNotes::default());
                let socket =
                    socket.of_http1(Arc::clone(&self.current), Arc::clone(&notes), drain.clone());
                http1::serve(socket, self, deadlines, notes, drain).await
            }
            Version::Http2 => http2::serve(socket, self, deadlines, drain).await,
        };
        if let Err(error) = served {
            tracing::debug!(target: "nouns", %error, "a connection ended early");
        }
    }
}

/// The version of HTTP that a client speaks.
enum Version {
    Http1,
    Http2,
}

impl Version {
    /// Waits for the first bytes of a connection, and leaves them there. `None` if the client sends
    /// none in time.
    async fn of(stream: &TcpStream, idle: Duration) -> Option<Self> {
        let look = async {
            let mut bytes = [0; HTTP_2.len()];
            for look in 0..LOOKS_MAX {
                let count = stream.peek(&mut bytes).await.ok()?;
                match &bytes[..count] {
                    HTTP_2 => return Some(Self::Http2),
                    // `P` may be the beginning of POST, too.
                    begin if count > 0 && HTTP_2.starts_with(begin) => {
                        tokio::time::sleep(LOOK_PAUSE * 2_u32.pow(look)).await;
                    }
                    _ => return Some(Self::Http1),
                }
            }
            Some(Self::Http1)
        };
        tokio::time::timeout(idle, look).await.ok().flatten()
    }
}

/// Polls a connection until it ends. `stop` is called once, when an idle connection must end.
pub(super) async fn until_drained<C: Future>(
    connection: C,
    drain: Drain,
    stop: impl Fn(Pin<&mut C>),
) -> C::Output {
    let mut connection = pin!(connection);
    let mut ending = pin!(drain.ending());
    // The signal wakes the task after it was polled once. Later polls only look at it, which costs
    // less.
    let (mut has_stopped, mut is_waiting) = (false, false);
    std::future::poll_fn(|context| {
        let may_stop = !has_stopped && (!is_waiting || drain.has_begun());
        is_waiting = true;
        if may_stop && ending.as_mut().poll(context).is_ready() {
            has_stopped = true;
            stop(connection.as_mut());
        }
        connection.as_mut().poll(context)
    })
    .await
}
