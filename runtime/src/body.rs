//! The body of an answer: one closed type, whatever made it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// The body of an answer, complete before its status is sent.
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
}

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
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(match std::mem::take(&mut *self) {
            Self::Empty => None,
            Self::Full(bytes) => Some(Ok(Frame::data(bytes))),
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Empty => 0,
            Self::Full(bytes) => bytes.len() as u64,
        })
    }
}
