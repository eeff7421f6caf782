//! A time limit that needs no timer of an async runtime, for calls that any runtime may make.

use std::{future::poll_fn, pin::pin, sync::mpsc, task::Poll, thread, time::Duration};

use tokio::sync::oneshot;

/// Awaits a future for at most this time. Returns `None` if the time is over first.
///
/// A thread measures the time, so this is for what is rare, such as the end of a program.
pub(crate) async fn within<F: Future>(time: Duration, future: F) -> Option<F::Output> {
    let (over, is_over) = oneshot::channel::<()>();
    let (_done, is_done) = mpsc::channel::<()>();
    let clock = move || {
        // The time is over, or `_done` was dropped.
        is_done.recv_timeout(time).ok();
        drop(over);
    };
    // If no thread can be started, `over` is dropped, and the time is over at once.
    thread::Builder::new().name("nouns-clock".into()).spawn(clock).ok();
    let (mut future, mut is_over) = (pin!(future), pin!(is_over));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => is_over.as_mut().poll(context).map(|_| None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::{future, time::Instant};

    use super::*;

    #[test]
    fn what_takes_too_long_ends_without_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let begun = Instant::now();
        let hour = Duration::from_secs(3600);
        assert_eq!(runtime.block_on(within(hour, future::ready(1))), Some(1));
        let pending = within(Duration::from_millis(20), future::pending::<()>());
        assert_eq!(runtime.block_on(pending), None);
        assert!(begun.elapsed() >= Duration::from_millis(20) && begun.elapsed() < hour);
    }
}
