//! The refusal of a write whose preconditions fail.

use super::{Preconditions, Refusal};
use crate::plan::validator::{CurrentState, Verdict};

impl Preconditions {
    /// Returns the reason why a write is refused, or `None` if its preconditions hold. `current` is
    /// `None` if there is no current representation.
    pub(crate) fn refuse(&self, current: Option<CurrentState>) -> Option<Refusal> {
        let overtaken =
            || self.revision.is_some() && self.revision != current.map(|current| current.tag);
        match self.test(current) {
            _ if self.lacking => Some(Refusal::Unconditional),
            Verdict::Met => overtaken().then_some(Refusal::Overtaken),
            Verdict::Changed | Verdict::Unchanged(_) => Some(Refusal::Precondition),
        }
    }
}
