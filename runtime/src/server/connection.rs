//! A connection: which version of HTTP it speaks, and what its requests have in common.

use std::{
    future::{Future, poll_fn},
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use bytes::Buf;
#[cfg(feature = "tls")]
use http::uri::Scheme;
use http::{Request, Response, Version};
#[cfg(feature = "tls")]
use hyper::rt::Write as _;
#[cfg(feature = "tls")]
use tokio::net::TcpStream;
use tokio::time::timeout;

#[cfg(feature = "tls")]
use super::tls::{Tls, TlsStream};
use super::{
    bulk::Bulk,
    current_service::{CurrentService, PreparedService},
    deadlines::{ConnectionTimeouts, Deadlines},
    drain::Drain,
    http1, http2,
    load::ConnectionLoad,
    message,
    open_connection::OpenConnection,
    pending_response::PendingResponse,
    request_notes::RequestNotes,
    security::Security,
    socket::Socket,
    transport::Transport,
};
use crate::{
    http::{
        body::Body,
        client::{OverLoopback, Peer, SecurePort, UnixPeer},
        request_head::{HeadFault, HeadLook},
    },
    model::{
        Model,
        def::{Limits, Timeout},
    },
    plan::ClientKey,
    service::{RequestBegun, boxed, response_memory::ResponseMemory},
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

/// The state that a connection needs to answer its requests.
#[derive(Clone)]
pub(super) struct ConnectionService {
    current: Arc<CurrentService>,
    bulk: Option<Bulk>,
    /// The key of the client, unless the head of a request names the client.
    client: ClientKey,
    peer: ConnectionPeer,
    load: Arc<ConnectionLoad>,
}

/// The other end of a connection, as far as it is known before it has sent anything.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPeer {
    /// The address, which a Unix socket does not have.
    pub(super) address: Option<SocketAddr>,
    /// Whether the connection came over a listener on a loopback address.
    pub(super) is_loopback: bool,
    pub(super) security: Security,
}

impl ConnectionService {
    pub(super) fn new(
        current: &Arc<CurrentService>,
        bulk: Option<&Bulk>,
        peer: ConnectionPeer,
        load: Arc<ConnectionLoad>,
    ) -> Self {
        Self {
            current: Arc::clone(current),
            bulk: bulk.cloned(),
            client: ClientKey::connect(),
            peer,
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

    /// The memory for large responses that the client has not read yet: the share of its network.
    pub(super) fn memory(&self) -> Arc<ResponseMemory> {
        let memory = self.load.memory().cloned();
        memory.unwrap_or_else(|| Arc::clone(self.current.get().service.memory()))
    }

    /// Handles a request on this worker or on a bulk thread. `head` is what was found in its head,
    /// and `line` what was found in its request line.
    #[inline]
    pub(super) fn answer<B>(
        &self,
        mut request: Request<B>,
        head: HeadLook,
        line: Option<HeadFault>,
    ) -> PendingResponse
    where
        B: http_body::Body<Data: Buf + Send> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let current = self.current.get();
        let service = &current.service;
        let limits = service.store().model().limits();
        self.mark(&current, &mut request);
        let is_safe = request.method().is_safe();
        let pending = |response| {
            PendingResponse::new(response, service.clone(), Arc::clone(&self.load), is_safe)
        };
        // A fault ends a connection of HTTP/1, also under overload.
        let fault = line.or(head.fault);
        let ends = fault.is_some() && request.version() < Version::HTTP_2;
        if !self.load.admits(limits) && !ends {
            return pending(service.refuse(request)).uncounted();
        }
        let fault = fault.or_else(|| self.misdirected(&current, &request, head));
        if let Some(fault) = fault {
            request.extensions_mut().insert(fault);
        }
        let may_be_proxy = match self.peer.address {
            Some(_) => current.has_proxies,
            None => current.trusts_unix,
        };
        let client = (!may_be_proxy).then_some(self.client);
        let is_for_metrics = request.uri().path().ends_with(METRICS);
        if self.peer.is_loopback
            && (is_for_metrics || head.has_preference || current.is_watched)
            && !self.is_proxy(&current)
        {
            request.extensions_mut().insert(OverLoopback);
        }
        let time = limits.timeout(Timeout::Request);
        let Some(bulk) = &self.bulk else {
            return pending(service.call_for(client, request)).uncounted();
        };
        if fault.is_none() && (is_for_metrics || Bulk::takes(&request)) {
            let begun = Instant::now();
            request.extensions_mut().insert(RequestBegun(begun));
            let (until, response) = (begun + time, service.call_for(client, request));
            return pending(bulk.answer(service.metrics(), &self.load, until, response))
                .uncounted();
        }
        let (of_bulk, bulk, load) = (service.clone(), bulk.clone(), Arc::clone(&self.load));
        let elsewhere = move |request| {
            let (until, response) = (Instant::now() + time, of_bulk.call_for(client, request));
            bulk.answer(of_bulk.metrics(), &load, until, response)
        };
        pending(boxed(|| service.call_here(client, request, elsewhere)))
    }

    /// Adds to a request what is known of its connection.
    #[inline]
    fn mark<B>(&self, current: &PreparedService, request: &mut Request<B>) {
        let marks = request.extensions_mut();
        match self.peer.address {
            Some(address) if current.needs_address => {
                marks.insert(Peer { address });
            }
            None if current.trusts_unix => {
                marks.insert(UnixPeer);
                marks.insert(self.client);
            }
            _ => {}
        }
        match &self.peer.security {
            Security::Nothing => {}
            Security::Elsewhere(port) => {
                marks.insert(SecurePort(*port));
            }
            #[cfg(feature = "tls")]
            Security::Tls(_) => {
                marks.insert(Scheme::HTTPS);
            }
        }
    }

    /// Looks at the host of a request on a loopback address.
    #[inline]
    fn misdirected<B>(
        &self,
        current: &PreparedService,
        request: &Request<B>,
        head: HeadLook,
    ) -> Option<HeadFault> {
        if !self.peer.is_loopback || head.is_local || current.local_hosts.serves(request) {
            return None;
        }
        (!self.is_proxy(current)).then_some(HeadFault::Misdirected)
    }

    /// Whether the peer is a declared proxy.
    fn is_proxy(&self, current: &PreparedService) -> bool {
        let proxies = &current.service.store().model().proxies;
        self.peer.address.is_some_and(|address| proxies.trusts(address.ip()))
    }

    /// The response in place of one of unknown length, to a client that cannot tell where it ends.
    pub(super) fn of_unknown_length(&self) -> Response<Body> {
        self.current.get().service.of_unknown_length().into()
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(self, transport: Transport, drain: Drain, open: &OpenConnection) {
        transport.send_at_once();
        let Some((transport, version)) = self.begin(transport, &drain).await else { return };
        let deadlines = self.deadlines();
        let socket = Socket::new(transport, deadlines.clone());
        let served = match version {
            Protocol::Http1 => {
                open.speaks_http1(&deadlines);
                let notes = Arc::new(RequestNotes::default());
                let socket =
                    socket.of_http1(Arc::clone(&self.current), Arc::clone(&notes), drain.clone());
                http1::serve(socket, self, deadlines, notes, drain).await
            }
            Protocol::Http2 => http2::serve(socket, self, deadlines, drain, open).await,
        };
        if let Err(error) = served {
            tracing::debug!(target: "nouns", %error, "a connection ended early");
        }
    }

    fn deadlines(&self) -> Deadlines {
        let times = ConnectionTimeouts::of(self.limits());
        Deadlines::new(times, self.memory())
    }

    /// Finds out how a client begins, and performs the handshake of TLS. `None` if the connection
    /// has ended.
    async fn begin(&self, transport: Transport, drain: &Drain) -> Option<(Transport, Protocol)> {
        #[cfg(feature = "tls")]
        if let Security::Tls(tls) = &self.peer.security
            && let Transport::Tcp(stream) = transport
        {
            let handshake = self.begin_tls(tls, stream);
            let handshake = timeout(self.limits().timeout(Timeout::Head), handshake);
            let stream = tokio::select! {
                stream = handshake => stream.ok()??,
                () = drain.ending() => return None,
            };
            let version = match stream.protocol() {
                Some(b"h2") => Protocol::Http2,
                _ => Protocol::Http1,
            };
            return Some((Transport::Tls(Box::new(stream)), version));
        }
        let idle = self.limits().timeout(Timeout::KeepAliveIdle);
        // A request that has arrived takes precedence over the end.
        let version = tokio::select! {
            biased;
            version = Protocol::of(&transport, idle) => version?,
            () = drain.ending() => {
                message::end(transport).await;
                return None;
            }
        };
        Some((transport, version))
    }

    /// Performs the handshake of TLS. A client that sends a request without it gets a response, and
    /// one whose handshake fails gets an alert. `None` if the connection has ended.
    #[cfg(feature = "tls")]
    async fn begin_tls(&self, tls: &Tls, stream: TcpStream) -> Option<TlsStream> {
        let mut first = [0];
        stream.peek(&mut first).await.ok()?;
        let stream = match first[0].is_ascii_alphabetic() {
            true => stream,
            false => match tls.accept(stream).await {
                Ok(stream) => return Some(stream),
                Err((error, stream)) => {
                    tracing::debug!(target: "nouns", %error, "a handshake failed");
                    self.end(Transport::Tcp(stream?)).await;
                    return None;
                }
            },
        };
        let mut transport = Transport::Tcp(stream);
        message::send(&mut transport, self.current.get().service.unencrypted());
        self.end(transport).await;
        None
    }

    /// Ends a connection so that the client can read what was sent last.
    #[cfg(feature = "tls")]
    async fn end(&self, transport: Transport) {
        let mut socket = Socket::new(transport, self.deadlines());
        poll_fn(|context| Pin::new(&mut socket).poll_shutdown(context)).await.ok();
    }
}

/// The version of HTTP that a client speaks.
enum Protocol {
    Http1,
    Http2,
}

impl Protocol {
    /// Waits for the first bytes of a connection, and leaves them there. `None` if the client sends
    /// none in time.
    async fn of(transport: &Transport, idle: Duration) -> Option<Self> {
        let look = async {
            let mut bytes = [0; HTTP_2.len()];
            for look in 0..LOOKS_MAX {
                let count = transport.peek(&mut bytes).await.ok()?;
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
        timeout(idle, look).await.ok().flatten()
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
    poll_fn(|context| {
        let may_stop = !has_stopped && (!is_waiting || drain.has_begun());
        is_waiting = true;
        if may_stop && ending.as_mut().poll(context).is_ready() {
            has_stopped = true;
            // On a busy worker, a request may have arrived that nobody has read yet.
            if let Poll::Ready(output) = connection.as_mut().poll(context) {
                return Poll::Ready(output);
            }
            stop(connection.as_mut());
        }
        connection.as_mut().poll(context)
    })
    .await
}
