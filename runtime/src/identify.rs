//! Who asks: the only stage before the plan that may ask the store.

use http::request::Parts;

use crate::error::Error;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// Nobody in particular.
    Anonymous,
}

/// What of a caller an answer depends on: equal keys may share one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallerKey(pub u64);

impl Caller {
    /// Finds out who asks. Without `auth` in the declaration that is nobody in particular.
    ///
    /// # Errors
    /// None yet: nothing is asked of the store.
    pub fn identify(_head: &Parts) -> Result<Self, Error> {
        Ok(Self::Anonymous)
    }

    /// What an answer depends on: nothing, unless a rule or a field looks at the caller.
    #[must_use]
    pub const fn key(&self) -> CallerKey {
        match self {
            Self::Anonymous => CallerKey(0),
        }
    }
}
