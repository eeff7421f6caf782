//! The deadline of a request: the time until its response has a status.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
    time::Instant,
};

use http::{Extensions, Method};
use tokio::{runtime::Handle, time::Sleep};

use crate::{
    base::error::{Error, text},
    model::def::{Limits, Timeout},
};

/// The value of `Retry-After` in seconds after a request that took too long.
const RETRY_SECONDS: u16 = 5;

/// The time at which a request has begun, if it has waited in a queue since.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestBegun(pub(crate) Instant);

impl RequestBegun {
    /// The time at which a request has begun: now, unless it has waited.
    #[inline]
    pub(super) fn of(marks: &Extensions) -> Instant {
        marks.get::<Self>().map_or_else(Instant::now, |begun| begun.0)
    }
}

/// Runs the work of a request until its deadline. The timer is made when the work waits for the
/// first time, which most reads never do.
///
/// # Errors
/// Those of the work, or 503 if the deadline has passed (RFC 9110 §15.6.4).
pub(super) async fn keep<T>(
    limits: &Limits,
    method: &Method,
    begun: Instant,
    mut work: Pin<&mut impl Future<Output = Result<T, Error>>>,
) -> Result<T, Error> {
    let most = limits.timeout(Timeout::Request);
    let mut alarm = None::<Pin<Box<Sleep>>>;
    poll_fn(|context| {
        let done = work.as_mut().poll(context);
        if done.is_ready() {
            return done;
        }
        if alarm.is_none() && Handle::try_current().is_ok() {
            alarm = Some(Box::pin(tokio::time::sleep_until((begun + most).into())));
        }
        match alarm.as_mut().map(|alarm| alarm.as_mut().poll(context)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(late(method, most.as_secs_f64()))),
            _ => Poll::Pending,
        }
    })
    .await
}

#[cold]
fn late(method: &Method, seconds: f64) -> Error {
    let seconds = seconds.to_string();
    let detail = match method.is_safe() {
        true => text!("The request took longer than {seconds} seconds.", seconds),
        false => text!(
            "The request took longer than {seconds} seconds; whether it has changed anything is unknown. GET the member, or send the request again with its `Idempotency-Key`.",
            seconds
        ),
    };
    Error::unavailable(detail, RETRY_SECONDS)
}
