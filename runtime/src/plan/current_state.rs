//! [`CurrentState`]: what preconditions are tested against.

use crate::http::http_date::Second;

/// The state of a current representation, in any format and content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentState {
    /// The revision of a member, or the hash of a collection's state.
    pub tag: u64,
    /// The time of the last change, or `None` if it is unknown.
    pub modified: Option<Second>,
    /// Whether a change never has an earlier time than another one that was seen before it. If not,
    /// the time alone does not tell whether anything has changed.
    pub is_ordered: bool,
}

impl CurrentState {
    /// Returns the same state, of changes whose times may have another order than their commits.
    #[cfg(feature = "postgres")]
    pub(crate) fn without_order(self) -> Self {
        Self { is_ordered: false, ..self }
    }
}
