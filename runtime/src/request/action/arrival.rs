//! The arrival of a body: its time as a whole, and its rate.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::{BodyExt as _, Limited};
use tokio::time::sleep_until;

use crate::{
    http::arriving::RequestBody,
    model::def::{Limit, Limits, Timeout},
};

/// The time over which the rate of a body is measured. A network that loses packets recovers in it.
const RATE_TIME: Duration = Duration::from_secs(5);

/// The reason why a body did not arrive.
pub(super) enum ArrivalError {
    /// It took too long as a whole.
    Late,
    /// It came too slowly.
    Slow,
    /// It is too large, ended early, or is not framed right.
    Broken(Box<dyn std::error::Error + Send + Sync>),
}

/// Reads a whole body. A body of one frame is not copied. Several frames are joined as they come,
/// since a frame of one byte takes the memory of some fifty.
///
/// # Errors
/// If the body takes longer than the timeout of a body, or comes more slowly than the minimum rate
/// for some seconds, or cannot be read.
pub(super) async fn whole(
    mut body: Limited<RequestBody<'_>>,
    limits: &Limits,
) -> Result<Bytes, ArrivalError> {
    let begun = Instant::now();
    let end = begun + limits.timeout(Timeout::Body);
    let least = limits.get(Limit::BodyRate).saturating_mul(RATE_TIME.as_secs());
    let mut content = Content::default();
    let (mut window, mut before) = (begun + RATE_TIME, 0);
    let mut alarm = pin!(sleep_until(window.min(end).into()));
    loop {
        tokio::select! {
            biased;
            frame = body.frame() => match frame {
                None => return Ok(content.finish()),
                Some(Ok(frame)) => content.extend(frame.into_data().ok()),
                Some(Err(error)) => return Err(ArrivalError::Broken(error)),
            },
            () = &mut alarm => {
                if Instant::now() >= end {
                    return Err(ArrivalError::Late);
                }
                if content.len() - before < least {
                    return Err(ArrivalError::Slow);
                }
                (window, before) = (Instant::now() + RATE_TIME, content.len());
                alarm.as_mut().reset(window.min(end).into());
            }
        }
    }
}

/// The content of the frames so far.
#[derive(Default)]
struct Content {
    /// The content of the first frame.
    first: Bytes,
    /// The content of all frames, if there are several.
    joined: BytesMut,
}

impl Content {
    fn len(&self) -> u64 {
        self.first.len().max(self.joined.len()) as u64
    }

    fn extend(&mut self, data: Option<impl Buf>) {
        let Some(mut data) = data.filter(Buf::has_remaining) else { return };
        if self.first.is_empty() {
            self.first = data.copy_to_bytes(data.remaining());
            return;
        }
        if self.joined.is_empty() {
            self.joined.extend_from_slice(&self.first);
        }
        while data.has_remaining() {
            self.joined.extend_from_slice(data.chunk());
            data.advance(data.chunk().len());
        }
    }

    fn finish(self) -> Bytes {
        if self.joined.is_empty() { self.first } else { self.joined.freeze() }
    }
}
