//! The differences between the tables of a database and the tables of a declaration.

mod rows;
mod words;

use std::fmt;

pub(super) use self::rows::{COUNTED_ROWS_MAX, Comparison, SHARED_VALUES_MAX, StoredRows};

use crate::store::sql::record::{Column, Index, Record, Table};

/// One difference between the tables of a database and a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// A sentence that says what differs.
    pub description: String,
    /// A sentence that says why the difference matters.
    pub reason: String,
    /// A sentence that advises the operator how to resolve the difference.
    pub repair: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.description, self.reason, self.repair)
    }
}

/// One change that turns the tables of a database into those of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) enum SchemaChange<'r> {
    /// A table is created. This loses no data.
    NewTable(&'r Table),
    /// An optional column, or one with a default, is added, or any to a table without rows. This
    /// loses no data.
    NewColumn(&'r Table, &'r Column),
    /// A required column becomes optional. This loses no data.
    Loosened(&'r Table, &'r Column),
    /// An optional column becomes required, and every row has a value for it.
    Filled(&'r Table, &'r Column),
    /// The default of a column changes. Only new rows get the new default.
    OtherDefault(&'r Table, &'r Column),
    /// An index is created. A unique index can be created only if no two rows have the same values.
    NewIndex(&'r Table, &'r Index),
    /// An index is dropped. If it was unique, equal values become allowed. No row changes.
    LostIndex(&'r Table, &'r Index),
    LostTable(&'r Table),
    LostColumn(&'r Table, &'r Column),
    /// A required column is added, and existing rows have no value for it.
    Unfilled(&'r Table, &'r Column),
    /// A reference with a default is added, and the member that the default refers to may not
    /// exist.
    Dangling(&'r Table, &'r Column),
    OtherKind(&'r Table, &'r Column, &'r Column),
    /// An optional column becomes required, and this number of rows have no value for it.
    Tightened(&'r Table, &'r Column, u64),
    OtherCase(&'r Table, &'r Column),
    OtherReference(&'r Table, &'r Column),
}

/// Returns all changes that turn the tables `had` into the tables `wanted`. Changes of tables come
/// in the order of the declaration. Tables to be dropped come last.
fn compare<'r>(had: &'r Record, wanted: &'r Record) -> Vec<SchemaChange<'r>> {
    let mut changes = vec![];
    for table in &wanted.tables {
        match had.table(&table.name) {
            None => changes.push(SchemaChange::NewTable(table)),
            Some(before) => tables(before, table, &mut changes),
        }
    }
    changes.extend(
        had.tables
            .iter()
            .filter(|table| wanted.table(&table.name).is_none())
            .map(SchemaChange::LostTable),
    );
    changes
}

fn tables<'r>(had: &'r Table, wanted: &'r Table, changes: &mut Vec<SchemaChange<'r>>) {
    changes.extend(
        had.indexes
            .iter()
            .filter(|index| !wanted.indexes.contains(index))
            .map(|index| SchemaChange::LostIndex(had, index)),
    );
    for column in &wanted.columns {
        match had.column(&column.name) {
            None => changes.push(new_column(wanted, column)),
            Some(before) => columns(wanted, before, column, changes),
        }
    }
    let lost = had.columns.iter().filter(|column| wanted.column(&column.name).is_none());
    changes.extend(lost.map(|column| SchemaChange::LostColumn(had, column)));
    changes.extend(
        wanted
            .indexes
            .iter()
            .filter(|index| !had.indexes.contains(index))
            .map(|index| SchemaChange::NewIndex(wanted, index)),
    );
}

const fn new_column<'r>(table: &'r Table, column: &'r Column) -> SchemaChange<'r> {
    match (&column.default, &column.references) {
        (None, _) if column.required => SchemaChange::Unfilled(table, column),
        (Some(_), Some(_)) => SchemaChange::Dangling(table, column),
        _ => SchemaChange::NewColumn(table, column),
    }
}

fn columns<'r>(
    table: &'r Table,
    had: &'r Column,
    wanted: &'r Column,
    changes: &mut Vec<SchemaChange<'r>>,
) {
    if had.kind != wanted.kind {
        changes.push(SchemaChange::OtherKind(table, had, wanted));
    } else if had.default != wanted.default {
        changes.push(SchemaChange::OtherDefault(table, wanted));
    }
    if had.required != wanted.required {
        changes.push(if wanted.required {
            SchemaChange::Tightened(table, wanted, 0)
        } else {
            SchemaChange::Loosened(table, wanted)
        });
    }
    if had.ignore_case != wanted.ignore_case {
        changes.push(SchemaChange::OtherCase(table, wanted));
    }
    if had.references != wanted.references {
        changes.push(SchemaChange::OtherReference(table, wanted));
    }
}

impl<'r> SchemaChange<'r> {
    /// Whether the change loses no data and is valid for all existing rows. A new unique index
    /// counts as valid here: rows with equal values are only found when the index is created.
    pub(super) const fn additive(self) -> bool {
        matches!(
            self,
            Self::NewTable(_)
                | Self::NewColumn(..)
                | Self::Loosened(..)
                | Self::Filled(..)
                | Self::OtherDefault(..)
                | Self::NewIndex(..)
                | Self::LostIndex(..)
        )
    }

    /// Returns the table that the change applies to.
    pub(super) const fn table(self) -> &'r Table {
        match self {
            Self::NewTable(table)
            | Self::NewColumn(table, _)
            | Self::Loosened(table, _)
            | Self::Filled(table, _)
            | Self::OtherDefault(table, _)
            | Self::NewIndex(table, _)
            | Self::LostIndex(table, _)
            | Self::LostTable(table)
            | Self::LostColumn(table, _)
            | Self::Unfilled(table, _)
            | Self::Dangling(table, _)
            | Self::OtherKind(table, ..)
            | Self::Tightened(table, ..)
            | Self::OtherCase(table, _)
            | Self::OtherReference(table, _) => table,
        }
    }

    /// Returns the sentences that describe the change to an operator.
    pub(super) fn difference(self) -> Difference {
        Difference { description: self.what(), reason: self.reason(), repair: self.repair() }
    }
}
