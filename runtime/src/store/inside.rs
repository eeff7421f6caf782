//! Whether the current thread runs user code inside a transaction.
//!
//! That code runs on the thread that writes. If it waited for the store, it would wait for itself.

use std::cell::Cell;

use crate::base::error::Error;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs user code that is inside a transaction.
pub(super) fn run<T>(code: impl FnOnce() -> T) -> T {
    /// Restores the earlier state, also after a panic.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            INSIDE.set(self.0);
        }
    }
    let _restore = Restore(INSIDE.replace(true));
    code()
}

/// Refuses a call of the store from inside a transaction.
///
/// # Errors
/// 500 if the current thread runs user code inside a transaction.
pub(crate) fn refuse() -> Result<(), Error> {
    if !INSIDE.get() {
        return Ok(());
    }
    Err(Error::internal(
        "the store was called inside a transaction, which would wait for itself; use the `Tx` of the transaction",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_ends_with_the_code_even_if_it_panics() {
        assert!(refuse().is_ok());
        assert!(run(refuse).is_err());
        let panicked = std::panic::catch_unwind(|| run(|| panic!("a hook panicked")));
        assert!(panicked.is_err() && refuse().is_ok());
    }
}
