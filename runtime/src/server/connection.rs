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
use tokio::{net::TcpStream, sync::watch};

use super::{
    bulk::Bulk,
    deadlines::{ConnectionTimeouts, Deadlines},
    http1, http2,
    request_notes::RequestNotes,
    socket::Socket,
};
use crate::{
    http::{
        client::Peer,
        request_head::{HeadFault, HeadLook},
    },
    model::def::{Limits, Timeout},
    plan::ClientKey,
    service::{ResponseFuture, Service, response_memory::ResponseMemory},
};

/// The first bytes of a connection of HTTP/2 (RFC 9113 §3.4). No other method begins with them.
const HTTP_2: &[u8] = b"PRI";

/// The first pause until a connection is looked at again whose first bytes may be those of HTTP/2.
/// Each further pause is twice as long.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// The number of looks at the first bytes of a connection. The pauses between them take 1.3 seconds
/// together. A client that is slower speaks HTTP/1, which has a deadline for its head.
const LOOKS_MAX: u32 = 7;

/// A signal that connections must end, because the server stops. Each connection has a clone until
/// it has ended.
pub(super) type Drain = watch::Receiver<bool>;

/// What a connection needs to answer its requests.
#[derive(Clone)]
pub(super) struct ConnectionService {
    service: Service,
    bulk: Bulk,
    /// The key of the client. `None` if the peer may be a trusted proxy, because then the head of
    /// each request names the client.
    client: Option<ClientKey>,
    /// The address of the peer, or `None` if neither accounts, user code nor a list of
    /// proxies need it.
    peer: Option<Peer>,
}

impl ConnectionService {
    pub(super) fn new(service: &Service, bulk: &Bulk, address: SocketAddr) -> Self {
        let model = service.store().model();
        let has_proxies = !model.proxies.is_empty();
        let needs_address = has_proxies || model.has_code() || model.accounts.is_some();
        Self {
            service: service.clone(),
            bulk: bulk.clone(),
            client: (!has_proxies).then(ClientKey::connect),
            peer: needs_address.then_some(Peer { address }),
        }
    }

    /// The limits and timeouts of the server.
    pub(super) fn limits(&self) -> &'static Limits {
        self.service.store().model().limits()
    }

    /// The memory for large responses that clients have not read yet.
    pub(super) fn memory(&self) -> &ResponseMemory {
        self.service.memory()
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
        if let Some(peer) = self.peer {
            request.extensions_mut().insert(peer);
        }
        if let Some(fault) = line.or(head.fault) {
            request.extensions_mut().insert(fault);
        }
        if Bulk::takes(&request) {
            return self.bulk.answer(self.service.call_for(self.client, request));
        }
        let (service, bulk, client) = (self.service.clone(), self.bulk.clone(), self.client);
        self.service.call_here(client, request, move |request| {
            bulk.answer(service.call_for(client, request))
        })
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(self, stream: TcpStream, mut drain: Drain) {
        // A response is sent with one write. Without `TCP_NODELAY` the system could delay this
        // write until the previous one is acknowledged.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(target: "nouns", %error, "TCP_NODELAY could not be set");
        }
        let limits = self.limits();
        let version = tokio::select! {
            version = Version::of(&stream, limits.timeout(Timeout::KeepAliveIdle)) => version,
            _ = drain.wait_for(|stops| *stops) => None,
        };
        let Some(version) = version else { return };
        let memory = Arc::clone(self.service.memory());
        let deadlines = Deadlines::new(ConnectionTimeouts::of(limits), memory);
        let socket = Socket::new(stream, deadlines.clone());
        let served = match version {
            Version::Http1 => {
                let notes = Arc::new(RequestNotes::default());
                let socket = socket.of_http1(self.service.clone(), Arc::clone(&notes));
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

/// Polls a connection until it ends. `stop` is called once, when the server stops.
pub(super) async fn until_drained<C: Future>(
    connection: C,
    mut drain: Drain,
    stop: impl Fn(Pin<&mut C>),
) -> C::Output {
    let mut connection = pin!(connection);
    let signal = drain.clone();
    let mut stops = pin!(async move { drain.wait_for(|stops| *stops).await.is_ok() });
    // The signal wakes the task after it was polled once. Later polls only look at it, which costs
    // less.
    let (mut has_stopped, mut is_waiting) = (false, false);
    std::future::poll_fn(|context| {
        let stops_now = match is_waiting {
            false => stops.as_mut().poll(context).is_ready(),
            true => signal.has_changed().unwrap_or(true),
        };
        is_waiting = true;
        if stops_now && !has_stopped {
            has_stopped = true;
            stop(connection.as_mut());
        }
        connection.as_mut().poll(context)
    })
    .await
}
