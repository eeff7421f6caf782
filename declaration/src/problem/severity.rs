//! The severities of problems: some are mistakes, others are warnings.

use super::Problem;

impl Problem {
    /// Whether this problem is only a warning. A declaration with warnings can be served.
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Unindexed { .. }
                | Self::NamedLikeParameter { .. }
                | Self::NamedLikeMember { .. }
                | Self::NobodySignsIn { .. }
                | Self::MayNotBeSet { .. }
                | Self::EnclosedSession { .. }
                | Self::OpenRole { .. }
                | Self::OpenToChange { .. }
                | Self::RefersToItself { .. }
                | Self::PublicAndRuled { .. }
        )
    }
}
