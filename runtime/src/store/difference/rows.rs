//! Questions to the rows of a database about changes of its tables: whether there are any, and how
//! many have no value. So a change is refused only if there is a row that it would break.

use super::{Difference, SchemaChange, compare};
use crate::store::sql::record::{Column, Record, Table};

/// The number of rows without a value that are counted. Of more, it is only said that there are
/// more.
pub(in crate::store) const COUNTED_ROWS_MAX: u64 = 10_000;

/// The number of values that are named where rows share values that must be unique.
pub(in crate::store) const SHARED_VALUES_MAX: usize = 10;

/// The rows of a database, which an engine reads.
pub(in crate::store) trait StoredRows {
    type Failure;

    /// Whether a table has rows. A table that another program has dropped has some, so that nothing
    /// is decided about it.
    fn exist(&mut self, table: &Table) -> Result<bool, Self::Failure>;

    /// The number of rows without a value in a column, up to one more than [`COUNTED_ROWS_MAX`].
    fn without_value(&mut self, table: &Table, column: &Column) -> Result<u64, Self::Failure>;
}

/// The changes that turn the tables of a database into those of a declaration, after a look at the
/// rows.
pub(in crate::store) struct Comparison<'r> {
    pub(in crate::store) changes: Vec<SchemaChange<'r>>,
    /// The tables without rows, as far as they were looked at.
    empty: Vec<&'r str>,
}

impl<'r> Comparison<'r> {
    /// Compares two records. The rows are read only for changes that some rows would not allow.
    pub(in crate::store) fn new<R: StoredRows>(
        had: &'r Record,
        wanted: &'r Record,
        rows: &mut R,
    ) -> Result<Self, R::Failure> {
        let mut comparison = Self { changes: compare(had, wanted), empty: vec![] };
        for change in &mut comparison.changes {
            if change.additive() {
                continue;
            }
            if !rows.exist(change.table())? {
                comparison.empty.push(&change.table().name);
                *change = change.without_rows();
            } else if let SchemaChange::Tightened(table, column, _) = *change {
                *change = match rows.without_value(table, column)? {
                    0 => SchemaChange::Filled(table, column),
                    count => SchemaChange::Tightened(table, column, count),
                };
            }
        }
        Ok(comparison)
    }

    /// Returns the sentences that describe a change to an operator.
    pub(in crate::store) fn difference(&self, change: SchemaChange<'_>) -> Difference {
        let difference = change.difference();
        let is_empty = self.empty.contains(&change.table().name.as_str());
        match is_empty && !change.additive() {
            true => Difference { reason: ONLY_ADDITIONS.into(), ..difference },
            false => difference,
        }
    }
}

/// The reason why a change that breaks no row is refused.
const ONLY_ADDITIONS: &str = "The table has no rows, but only additions are applied.";

impl SchemaChange<'_> {
    /// Returns what the change is in a table without rows.
    const fn without_rows(self) -> Self {
        match self {
            Self::Unfilled(table, column) | Self::Dangling(table, column) => {
                Self::NewColumn(table, column)
            }
            Self::Tightened(table, column, _) => Self::Filled(table, column),
            other => other,
        }
    }

    /// Returns the sentences for a unique index that cannot be created, because rows have equal
    /// values: these values, and one more if there are more.
    pub(in crate::store) fn duplicates(self, values: &[String]) -> Difference {
        let named = values.iter().take(SHARED_VALUES_MAX).map(String::as_str);
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if values.len() > SHARED_VALUES_MAX { ", and more" } else { "" };
        let reason = match values.len() {
            0 => "Several rows share a value.".to_owned(),
            1 => format!("Several rows share the value {named}."),
            _ => format!("Several rows share each of the values {named}{more}."),
        };
        Difference {
            description: self.what(),
            reason,
            repair: "Change those rows first, or declare it without `unique`.".into(),
        }
    }
}
