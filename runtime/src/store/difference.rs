//! The differences between the tables of a database and those of a declaration.

mod words;

use std::fmt;

use crate::store::sql::record::{Column, Index, Record, Table};

/// One difference between a database and a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub description: String,
    /// The reason why it matters.
    pub reason: String,
    /// The advice for the operator.
    pub repair: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.description, self.reason, self.repair)
    }
}

/// One change from the tables of a database to those of a declaration.
#[derive(Clone, Copy, Debug)]
pub(super) enum SchemaChange<'r> {
    /// Additive.
    NewTable(&'r Table),
    /// Additive.
    NewColumn(&'r Table, &'r Column),
    /// Additive: null becomes allowed.
    Loosened(&'r Table, &'r Column),
    /// Additive: new rows get another value, and no existing row changes.
    OtherDefault(&'r Table, &'r Column),
    /// Additive; a unique one only if no rows share a value.
    NewIndex(&'r Table, &'r Index),
    /// Additive: what it forbade becomes allowed, and nothing else changes.
    LostIndex(&'r Table, &'r Index),
    LostTable(&'r Table),
    LostColumn(&'r Table, &'r Column),
    /// A required column without a value for the existing rows.
    Unfilled(&'r Table, &'r Column),
    /// A new reference whose default may not exist.
    Dangling(&'r Table, &'r Column),
    OtherKind(&'r Table, &'r Column, &'r Column),
    Tightened(&'r Table, &'r Column),
    OtherCase(&'r Table, &'r Column),
    OtherReference(&'r Table, &'r Column),
}

/// Returns all changes, tables in the order of the declaration and removed ones last.
pub(super) fn compare<'r>(had: &'r Record, wanted: &'r Record) -> Vec<SchemaChange<'r>> {
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
            SchemaChange::Tightened(table, wanted)
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
    /// Whether it loses nothing and is valid for every existing row.
    pub(super) const fn additive(self) -> bool {
        matches!(
            self,
            Self::NewTable(_)
                | Self::NewColumn(..)
                | Self::Loosened(..)
                | Self::OtherDefault(..)
                | Self::NewIndex(..)
                | Self::LostIndex(..)
        )
    }

    /// Returns the table that it changes.
    pub(super) const fn table(self) -> &'r Table {
        match self {
            Self::NewTable(table)
            | Self::NewColumn(table, _)
            | Self::Loosened(table, _)
            | Self::OtherDefault(table, _)
            | Self::NewIndex(table, _)
            | Self::LostIndex(table, _)
            | Self::LostTable(table)
            | Self::LostColumn(table, _)
            | Self::Unfilled(table, _)
            | Self::Dangling(table, _)
            | Self::OtherKind(table, ..)
            | Self::Tightened(table, _)
            | Self::OtherCase(table, _)
            | Self::OtherReference(table, _) => table,
        }
    }

    /// Describes the change for people.
    pub(super) fn difference(self) -> Difference {
        Difference { description: self.what(), reason: self.reason().into(), repair: self.repair() }
    }

    /// Describes why a unique index cannot be made over the existing rows.
    pub(super) fn duplicates(self) -> Difference {
        Difference {
            description: self.what(),
            reason: "Several rows share a value.".into(),
            repair: "Change those rows first, or declare it without `unique`.".into(),
        }
    }
}
