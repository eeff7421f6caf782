//! The body of a request while it arrives.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::{Buf, Bytes};
use http_body::{Frame, SizeHint};

type BodyError = Box<dyn Error + Send + Sync>;

/// The body of a request, of any type. What reads it is compiled once, and not for each type.
pub type RequestBody<'a> =
    &'a mut (dyn http_body::Body<Data = Bytes, Error = BodyError> + Send + Unpin + 'a);

/// A body of one type as a [`RequestBody`]. After its end it has no more frames.
///
/// ```
/// # use nouns_runtime as nouns;
/// use std::pin::pin;
///
/// use nouns::{
///     Body,
///     arriving::{Arriving, RequestBody},
/// };
///
/// let mut body = pin!(Body::from(&b"{}"[..]));
/// let mut arriving = Arriving::new(body.as_mut());
/// let any: RequestBody<'_> = &mut arriving;
/// assert_eq!(any.size_hint().exact(), Some(2));
/// ```
#[derive(Debug)]
pub struct Arriving<'a, B> {
    body: Pin<&'a mut B>,
    has_ended: bool,
}

impl<'a, B> Arriving<'a, B> {
    /// Makes it of a body that is pinned.
    pub const fn new(body: Pin<&'a mut B>) -> Self {
        Self { body, has_ended: false }
    }
}

impl<B> http_body::Body for Arriving<'_, B>
where
    B: http_body::Body<Data: Buf>,
    B::Error: Into<BodyError>,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let frame = self.body.as_mut().poll_frame(context);
        self.has_ended = matches!(frame, Poll::Ready(None));
        // Data that are `Bytes` are not copied.
        let whole = |mut data: B::Data| data.copy_to_bytes(data.remaining());
        frame.map(|frame| {
            frame.map(|frame| frame.map(|frame| frame.map_data(whole)).map_err(Into::into))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.has_ended {
            true => SizeHint::with_exact(0),
            false => self.body.size_hint(),
        }
    }
}
