//! The body of an answer: one closed type, whatever made it.

use std::{
    error::Error,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::http::range::Cut;

/// The body of an answer: complete before its status is sent, but for exports.
///
/// ```
/// use http_body::Body as _;
/// use nouns_runtime::Body;
/// assert_eq!(Body::from(&b"{}"[..]).size_hint().exact(), Some(2));
/// ```
#[derive(Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Body {
    /// None.
    #[default]
    Empty,
    /// All of it, in memory.
    Full(Bytes),
    /// An export, which is made while it is sent.
    Stream(Stream),
}

/// Content that is made while it is sent: it ends as a whole, or in an error.
///
/// What makes it says when it is whole, by an empty chunk: should it end without a word, that is an
/// error too.
#[derive(Debug)]
pub struct Stream {
    chunks: Option<mpsc::Receiver<Result<Bytes, CutOffError>>>,
    /// Where a part of it is asked for, and it was measured.
    measured: Option<Box<MeasuredStream>>,
}

/// What is known of content that was made once to be counted.
#[derive(Debug)]
struct MeasuredStream {
    cut: Cut,
    /// The bytes that are still to be sent.
    left: u64,
}

impl Stream {
    /// One that is over.
    pub(crate) const ENDED: Self = Self { chunks: None, measured: None };

    /// What is received from these chunks: a whole content, or what is cut out of one.
    pub(crate) fn new(
        chunks: mpsc::Receiver<Result<Bytes, CutOffError>>,
        cut: Option<Cut>,
    ) -> Self {
        let measured = cut.map(|cut| Box::new(MeasuredStream { left: cut.window().bytes(), cut }));
        Self { chunks: Some(chunks), measured }
    }

    /// What it is of a content; nothing where it is the whole, and nobody knows its length.
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

/// Nobody knows yet whether two are equal.
impl PartialEq for Stream {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

/// Why an export did not come to its end; the connection ends with it, so that nobody takes a part
/// for the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOffError {
    /// It took too long to make, or the client was too slow.
    Time,
    /// The database failed; the log says how.
    Database,
}

impl fmt::Display for CutOffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "the export took too long",
            Self::Database => "the database failed in the middle of an export",
        })
    }
}

impl Error for CutOffError {}

impl Body {
    /// Whether there is nothing in it.
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
