//! Catches panics in user code.

use std::{future::Future, panic::AssertUnwindSafe, pin::Pin, task::Poll};

use crate::base::error::Error;

/// Awaits a future of user code; a panic becomes an internal error. So a panic fails only one
/// request.
///
/// The caller pins the future, as moving it into this function would double the size of the future.
pub(crate) async fn catch_unwind<T>(
    mut future: impl Future<Output = Result<T, Error>> + Unpin,
) -> Result<T, Error> {
    std::future::poll_fn(move |context| {
        let polled =
            std::panic::catch_unwind(AssertUnwindSafe(|| Pin::new(&mut future).poll(context)));
        polled.unwrap_or_else(|_| Poll::Ready(Err(panicked())))
    })
    .await
}

/// Runs synchronous user code; a panic becomes an internal error.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> Error {
    Error::internal("a handler panicked; the panic message is above")
}

/// Returns the result of `work`, or the default value if `work` panics.
pub(crate) fn or_default<T: Default>(work: impl FnOnce() -> T) -> T {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let caught = catch_unwind(pin!(async { if true { panic!("boom") } else { Ok(()) } })).await;
        assert_eq!(caught.unwrap_err().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
        let caught = super::caught(|| if true { panic!("boom") } else { Ok(()) });
        assert_eq!(caught.unwrap_err().status(), http::StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn or_it_is_the_default() {
        assert_eq!((or_default(|| 7), or_default(|| -> u8 { panic!("boom") })), (7, 0));
    }
}
