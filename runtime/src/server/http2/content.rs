//! The content of a request that a stream of HTTP/2 brings.

use std::{
    mem,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use h2::{Reason, RecvStream};
use http::{Response, StatusCode};
use http_body::{Body, Frame, SizeHint};

use super::stream::Exchange;

/// The content of a request. What was read makes room for more in the window of the stream. Its
/// trailers are ignored, unless they are malformed.
pub(super) struct RequestContent {
    /// The stream. It is there until the content is dropped.
    stream: Option<RecvStream>,
    /// The number of bytes that are still to come, if it was announced.
    left: Option<u64>,
    exchange: Arc<Exchange>,
    /// Whether `100 Continue` is sent before the first read (RFC 9110 §10.1.1).
    expects: bool,
}

impl RequestContent {
    pub(super) const fn new(
        stream: RecvStream,
        left: Option<u64>,
        exchange: Arc<Exchange>,
        expects: bool,
    ) -> Self {
        Self { stream: Some(stream), left, exchange, expects }
    }

    fn has_ended(&self) -> bool {
        self.stream.as_ref().is_none_or(RecvStream::is_end_stream)
    }
}

impl Drop for RequestContent {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take().filter(|stream| !stream.is_end_stream()) {
            self.exchange.give_back(stream);
        }
    }
}

impl Body for RequestContent {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let this = &mut *self;
        let Some(stream) = &mut this.stream else { return Poll::Ready(None) };
        if mem::take(&mut this.expects) && !stream.is_end_stream() {
            let mut response = Response::new(());
            *response.status_mut() = StatusCode::CONTINUE;
            // If the stream has ended, the read below says so.
            this.exchange.respond().send_informational(response).ok();
        }
        let Some(data) = ready!(stream.poll_data(context)) else {
            let trailers = ready!(stream.poll_trailers(context))?;
            let id = stream.stream_id().as_u32();
            if this.exchange.has_bad_trailers(id, trailers.as_ref()) {
                this.exchange.respond().send_reset(Reason::PROTOCOL_ERROR);
                return Poll::Ready(Some(Err(Reason::PROTOCOL_ERROR.into())));
            }
            return Poll::Ready(None);
        };
        let data = data?;
        this.exchange.note_content(data.len());
        stream.flow_control().release_capacity(data.len())?;
        this.left = this.left.map(|left| left.saturating_sub(data.len() as u64));
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended()
    }

    fn size_hint(&self) -> SizeHint {
        match self.left {
            _ if self.has_ended() => SizeHint::with_exact(0),
            Some(left) => SizeHint::with_exact(left),
            None => SizeHint::default(),
        }
    }
}
