//! The treatment of a database that was made for another declaration.

use super::{Difference, OpenError, difference::Comparison};

/// The treatment of a database that was made for another declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Migration {
    /// Nothing: the database is refused.
    Refuse,
    /// Additive differences are applied. A database with other differences is refused.
    Add,
    /// Additive differences are applied. If there are others, all tables are made again, without
    /// their rows.
    Remake,
}

impl Migration {
    /// The migration of an option that says whether additive differences are applied.
    pub(super) const fn of(apply: bool) -> Self {
        if apply { Self::Add } else { Self::Refuse }
    }
}

/// The decision about a database that was made for another declaration.
pub(super) enum Migrated {
    /// The changes are made. These are their differences.
    Changed(Vec<Difference>),
    /// All tables are made again.
    Again,
}

/// Decides about changes.
///
/// # Errors
/// A change is not additive, or none may be made and there are some.
pub(super) fn admit(
    comparison: &Comparison<'_>,
    migration: Migration,
) -> Result<Migrated, OpenError> {
    let changes = &comparison.changes;
    let refused = changes.iter().filter(|change| !change.additive());
    let refused: Vec<_> = refused.map(|change| comparison.difference(*change)).collect();
    if !refused.is_empty() && migration == Migration::Remake {
        return Ok(Migrated::Again);
    }
    if !refused.is_empty() {
        return Err(OpenError::Refused(refused));
    }
    let differences: Vec<_> = changes.iter().map(|change| change.difference()).collect();
    if migration == Migration::Refuse && !differences.is_empty() {
        return Err(OpenError::Pending(differences));
    }
    Ok(Migrated::Changed(differences))
}
