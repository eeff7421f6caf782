//! [`Actor`]: the party for whom a transaction makes its calls, as a part of its type.

/// The state of a [`Tx`](super::Tx) that does not say yet for whom it reads and writes.
#[derive(Clone, Copy, Debug)]
pub enum NoActor {}

/// The state of a [`Tx`](super::Tx) that acts for the program itself: no access rule applies.
#[derive(Clone, Copy, Debug)]
pub enum AsSystem {}

/// The state of a [`Tx`](super::Tx) that acts for the caller of the request, with the access rules
/// of that caller.
#[derive(Clone, Copy, Debug)]
pub enum AsCaller {}

/// The states of a [`Tx`](super::Tx) that can read and write: [`AsSystem`] and [`AsCaller`].
///
/// Code for both is generic: `fn record<A: Actor>(tx: &mut Tx<'_, A>)`.
#[diagnostic::on_unimplemented(
    message = "this transaction does not say for whom it reads and writes",
    label = "needs `tx.as_system()` or `tx.as_caller()` before it",
    note = "`tx.as_system()` finds all rows: use it for rules about other rows, and for records",
    note = "`tx.as_caller()` finds the rows that the caller may read, and refuses what they may not do"
)]
pub trait Actor: sealed::Sealed {}

impl Actor for AsSystem {}
impl Actor for AsCaller {}

mod sealed {
    /// Keeps other crates from implementing [`Actor`](super::Actor).
    pub trait Sealed {}

    impl Sealed for super::AsSystem {}
    impl Sealed for super::AsCaller {}
}
