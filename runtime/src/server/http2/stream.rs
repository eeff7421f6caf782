//! A stream of HTTP/2: one request and its response (RFC 9113 §8.1).

use std::{
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Instant,
};

use bytes::Bytes;
use h2::{Reason, RecvStream, SendStream, server::SendResponse};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use tokio::time::timeout;

use super::{
    content::RequestContent,
    lifetime::RequestInProgress,
    push::{PushSource, Pushes},
};
use crate::{
    base::limits,
    http::{
        body::Body,
        http_date::Second,
        request_head::{HeadFault, HeadLook},
    },
    model::def::Timeout,
    server::{connection::ConnectionService, progress::StallError},
    service::response_memory::ResponseMemory,
};

type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// The fields of a connection of HTTP/1.1, which HTTP/2 does not have (RFC 9113 §8.2.2).
static OF_CONNECTION: [HeaderName; 5] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// The state that the content of a request shares with the response.
pub(super) struct Exchange {
    /// The response. The first read of the content may send `100 Continue`.
    respond: Mutex<SendResponse<Bytes>>,
    /// The rest of the content, after the service has dropped it. Without it the library would
    /// cancel the stream before the response has been sent.
    rest: Mutex<Option<RecvStream>>,
    place: RequestInProgress,
}

impl Exchange {
    pub(super) fn respond(&self) -> MutexGuard<'_, SendResponse<Bytes>> {
        self.respond.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and ignores the rest of the content for some time, since not every client reads its
    /// response before it has sent everything. Then the library tells the client that the rest is
    /// not needed (RFC 9113 §8.1).
    async fn linger(&self) {
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut rest) = rest else { return };
        let read = async {
            let mut count = 0;
            while count < limits::LINGER_BYTES_MAX
                && let Some(Ok(data)) = rest.data().await
            {
                count += data.len();
                self.note_content(data.len());
                rest.flow_control().release_capacity(data.len()).ok();
            }
        };
        timeout(limits::LINGER_TIME_MAX, read).await.ok();
    }

    /// A further request in progress: a promised one.
    pub(super) fn another(&self) -> RequestInProgress {
        self.place.another()
    }

    /// Records content that was read.
    pub(super) fn note_content(&self, bytes: usize) {
        self.place.note_content(bytes);
    }

    /// Whether the trailers of a stream are malformed.
    pub(super) fn has_bad_trailers(&self, stream: u32, trailers: Option<&HeaderMap>) -> bool {
        trailers.is_some_and(|trailers| !are_valid(trailers))
            || self.place.faults().take(stream).is_some()
    }

    /// Takes back content that is not read any more.
    pub(super) fn give_back(&self, rest: RecvStream) {
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(rest);
    }
}

/// Answers a request. If the client resets the stream, the request ends at once. `line` is what is
/// wrong with its target.
pub(super) async fn answer(
    (request, line): (Request<RecvStream>, Option<HeadFault>),
    mut respond: SendResponse<Bytes>,
    requests: ConnectionService,
    place: RequestInProgress,
    pushes: Option<Arc<Pushes>>,
) {
    if !are_valid(request.headers()) {
        return respond.send_reset(Reason::PROTOCOL_ERROR);
    }
    let exchange = Exchange { respond: Mutex::new(respond), rest: Mutex::new(None), place };
    let exchange = Arc::new(exchange);
    let is_head = request.method() == Method::HEAD;
    let head = HeadLook::of(&request);
    let length = length_of(request.headers());
    let expects = request.headers().contains_key(header::EXPECT);
    let source = PushSource::of(&request, &requests, pushes.as_ref());
    let content = |stream| RequestContent::new(stream, length, Arc::clone(&exchange), expects);
    let request = request.map(content);
    let mut response = pin!(requests.answer(request, head, line));
    // If the client resets the stream, or its connection ends, nobody waits for the response.
    let response = poll_fn(|context| {
        // The lock is free again before the service reads the content, which takes it as well.
        let reset = exchange.respond().poll_reset(context);
        match reset {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => response.as_mut().poll(context).map(Result::ok),
        }
    });
    let Some(mut response) = response.await else { return };
    if let Some(source) = source {
        Box::pin(source.announce(&exchange, &mut response)).await;
    }
    let is_late = response.status() == StatusCode::REQUEST_TIMEOUT;
    let head = |head, ends| exchange.respond().send_response(head, ends);
    let sent = send(head, response, is_head, &requests).await;
    if is_late || matches!(&sent, Err(error) if error.is::<StallError>()) {
        return exchange.place.note_slowness();
    }
    match sent {
        Ok(()) => exchange.linger().await,
        Err(error) => tracing::debug!(target: "nouns", %error, "a stream ended early"),
    }
}

/// Whether no value of a field begins or ends with a blank. A message with such a value is
/// malformed (RFC 9113 §8.2.1); the library looks at other characters alone.
fn are_valid(fields: &HeaderMap) -> bool {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    fields
        .values()
        .map(HeaderValue::as_bytes)
        .all(|value| !is_blank(value.first()) && !is_blank(value.last()))
}

/// The announced length of the content of a request.
fn length_of(fields: &HeaderMap) -> Option<u64> {
    fields.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Sends a response. `begin` sends its head.
///
/// # Errors
/// If the client resets the stream, or does not read the content in time.
pub(super) async fn send(
    begin: impl FnOnce(Response<()>, bool) -> Result<SendStream<Bytes>, h2::Error>,
    response: Response<Body>,
    is_head: bool,
    requests: &ConnectionService,
) -> Result<(), BoxedError> {
    let (mut head, mut body) = response.into_parts();
    for name in &OF_CONNECTION {
        head.headers.remove(name);
    }
    head.extensions.clear();
    head.version = http::Version::HTTP_2;
    let has_content = !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    if let Some(length) = body.size_hint().exact()
        && has_content
        && !is_head
    {
        head.headers.entry(header::CONTENT_LENGTH).or_insert_with(|| length.into());
    }
    head.headers.entry(header::DATE).or_insert_with(|| HeaderValue::from(Second::now()));
    let ends = is_head || !has_content || body.is_end_stream();
    let mut stream = begin(Response::from_parts(head, ()), ends)?;
    if ends {
        return Ok(());
    }
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                let Ok(data) = frame.into_data() else { continue };
                let is_last = body.is_end_stream();
                write(&mut stream, data, is_last, requests).await?;
                if is_last {
                    return Ok(());
                }
            }
            // The client must not take an incomplete content for the whole.
            Err(error) => {
                stream.send_reset(Reason::INTERNAL_ERROR);
                return Err(error);
            }
        }
    }
    Ok(stream.send_data(Bytes::new(), true)?)
}

/// Writes data as the client opens its window for it (RFC 9113 §5.2).
///
/// # Errors
/// If the client resets the stream, or does not open the window in time.
async fn write(
    stream: &mut SendStream<Bytes>,
    mut data: Bytes,
    is_last: bool,
    requests: &ConnectionService,
) -> Result<(), BoxedError> {
    let mut wait = None;
    // The library keeps what it has been given until the client reads it, whatever its window is.
    let is_held = data.len() >= limits::UNREAD_BYTES_MIN;
    if is_held {
        data = hold(stream, data, requests)?;
    }
    while !data.is_empty() {
        stream.reserve_capacity(data.len().min(limits::STREAM_SEND_BYTES_MAX));
        if stream.capacity() == 0 {
            let wait = match &mut wait {
                Some(wait) => wait,
                None => {
                    if !is_held {
                        data = hold(stream, data, requests)?;
                    }
                    wait.insert(WindowWait { begun: Instant::now(), bytes: 0 })
                }
            };
            wait.until_open(stream, requests).await?;
            continue;
        }
        let part = data.split_to(stream.capacity().min(data.len()));
        if let Some(wait) = &mut wait {
            wait.bytes += part.len();
        }
        stream.send_data(part, is_last && data.is_empty())?;
    }
    Ok(())
}

/// Reserves memory for data that waits for the client. Only large content has reserved it before.
fn hold(
    stream: &mut SendStream<Bytes>,
    data: Bytes,
    requests: &ConnectionService,
) -> Result<Bytes, h2::Error> {
    if ResponseMemory::counts(&data) {
        return Ok(data);
    }
    let bytes = data.len() + limits::STREAM_BYTES;
    requests.memory().hold_in_whole(data, bytes).ok_or_else(|| {
        stream.send_reset(Reason::ENHANCE_YOUR_CALM);
        Reason::ENHANCE_YOUR_CALM.into()
    })
}

/// The wait for a client that opens the window of a stream slowly. As on a connection of HTTP/1.1,
/// it must take some kilobytes in each interval. The interval is shorter while the memory for
/// responses is scarce.
struct WindowWait {
    /// The start of the current interval.
    begun: Instant,
    /// The number of bytes that the client has taken in the interval.
    bytes: usize,
}

impl WindowWait {
    /// Waits until the window is open.
    async fn until_open(
        &mut self,
        stream: &mut SendStream<Bytes>,
        requests: &ConnectionService,
    ) -> Result<(), BoxedError> {
        loop {
            let room = poll_fn(|context| stream.poll_capacity(context));
            let room = timeout(limits::WRITE_STALL_SCARCE_MAX, room).await;
            self.check(requests).inspect_err(|_| stream.send_reset(Reason::CANCEL))?;
            if let Ok(room) = room {
                room.unwrap_or(Err(Reason::CANCEL.into()))?;
                return Ok(());
            }
        }
    }

    fn check(&mut self, requests: &ConnectionService) -> Result<(), StallError> {
        let stall = match requests.memory().is_scarce() {
            true => limits::WRITE_STALL_SCARCE_MAX,
            false => requests.limits().timeout(Timeout::WriteStall),
        };
        if self.begun.elapsed() >= stall {
            if self.bytes < limits::WRITE_WINDOW_BYTES_MIN {
                return Err(StallError);
            }
            (self.begun, self.bytes) = (Instant::now(), 0);
        }
        Ok(())
    }
}
