//! [`Body`]: the body of a response.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::http::range::Cut;

/// The body of a response. Except for exports, the whole body is in memory before the status is
/// sent.
///
/// ```
/// # use nouns_runtime as nouns;
/// use http_body::Body as _;
/// use nouns::Body;
/// assert_eq!(Body::from(&b"{}"[..]).size_hint().exact(), Some(2));
/// ```
#[derive(Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Body {
    /// No body.
    #[default]
    Empty,
    /// The whole body, in memory.
    Full(Bytes),
    /// The body of an export, which is generated while it is sent.
    Stream(Stream),
}

/// Content that is generated while it is sent. It ends with all its bytes, or with an error.
///
/// The producer marks the end with an empty chunk. If the channel closes without an empty chunk,
/// the stream ends with an error.
#[derive(Debug)]
pub struct Stream {
    chunks: Option<mpsc::Receiver<Result<Bytes, CutOffError>>>,
    /// The requested part of the content, if the request is for a range and the length was
    /// measured.
    measured: Option<Box<MeasuredStream>>,
    /// The place of the client among those with exports, until the content has ended.
    place: Option<OwnedSemaphorePermit>,
}

/// The requested part of a stream whose length is known.
#[derive(Debug)]
struct MeasuredStream {
    cut: Cut,
    /// The number of bytes that are not sent yet.
    left: u64,
}

impl Stream {
    /// A stream that has ended already.
    pub(crate) const ENDED: Self = Self { chunks: None, measured: None, place: None };

    /// Creates a stream of the chunks from a channel. The chunks are the whole content, or only the
    /// part that `cut` selects.
    pub(crate) fn new(
        chunks: mpsc::Receiver<Result<Bytes, CutOffError>>,
        cut: Option<Cut>,
    ) -> Self {
        let measured = cut.map(|cut| Box::new(MeasuredStream { left: cut.window().bytes(), cut }));
        Self { chunks: Some(chunks), measured, place: None }
    }

    /// The same stream, which keeps a place until it has ended.
    pub(crate) fn with_place(mut self, place: OwnedSemaphorePermit) -> Self {
        self.place = Some(place);
        self
    }

    /// The part of the content that is sent; `None` if the whole content is sent, whose length is
    /// unknown.
    pub(crate) fn cut(&self) -> Option<&Cut> {
        self.measured.as_ref().map(|measured| &measured.cut)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, CutOffError>>> {
        let Some(chunks) = &mut self.chunks else { return Poll::Ready(None) };
        let chunk = ready!(chunks.poll_recv(context)).unwrap_or(Err(CutOffError::Database));
        let bytes = chunk.as_ref().map_or(0, Bytes::len) as u64;
        if bytes > 0 {
            self.measured
                .iter_mut()
                .for_each(|measured| measured.left = measured.left.saturating_sub(bytes));
            return Poll::Ready(Some(chunk));
        }
        self.chunks = None;
        Poll::Ready(chunk.err().map(Err))
    }

    fn size(&self) -> SizeHint {
        self.measured
            .as_ref()
            .map_or_else(SizeHint::default, |measured| SizeHint::with_exact(measured.left))
    }
}

/// Two streams are never equal, because their content is not known yet.
impl PartialEq for Stream {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

/// The reason why an export ends before all bytes are sent. The server then closes the connection,
/// so that the client does not take the incomplete content for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOffError {
    /// The export took too long, or the client read too slowly.
    Time,
    /// The snapshot of the export kept the write-ahead log of the database from being reset, and
    /// the log became too long.
    Snapshot,
    /// The database failed. The cause is logged.
    Database,
}

impl fmt::Display for CutOffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the export took too long",
            Self::Snapshot => "the export kept the write-ahead log of the database too long",
            Self::Database => "the database failed in the middle of an export",
        })
    }
}

impl Error for CutOffError {}

impl Body {
    /// Whether the body is [`Body::Empty`].
    pub(crate) const fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        if bytes.is_empty() { Self::Empty } else { Self::Full(bytes) }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Self::Stream(stream) = &mut *self {
            let chunk = ready!(stream.poll(context));
            return Poll::Ready(chunk.map(|chunk| chunk.map(Frame::data).map_err(Into::into)));
        }
        Poll::Ready(match std::mem::take(&mut *self) {
            Self::Full(bytes) => Some(Ok(Frame::data(bytes))),
            _ => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(stream) => stream.size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    async fn read(chunks: &[&'static str]) -> Result<Bytes, String> {
        let (sender, receiver) = mpsc::channel(4);
        for chunk in chunks {
            sender.send(Ok(Bytes::from(*chunk))).await.unwrap();
        }
        drop(sender);
        let read = Body::Stream(Stream::new(receiver, None)).collect().await;
        read.map(http_body_util::Collected::to_bytes).map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn what_ends_without_a_word_is_not_taken_for_whole() {
        assert_eq!(read(&["a", "b", ""]).await.unwrap(), "ab");
        assert_eq!(
            read(&["a", "b"]).await.unwrap_err(),
            "the database failed in the middle of an export"
        );
        assert!(read(&[""]).await.unwrap().is_empty());
    }
}
