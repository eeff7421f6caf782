//! What separates the tables that a database has from those that a declaration wants.

use std::fmt;

use crate::sql::record::{Column, Index, Record, Table};

/// One difference between a database and a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// Why it matters.
    pub reason: String,
    /// What to do.
    pub repair: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.what, self.reason, self.repair)
    }
}

/// One change that leads from the tables there are to those that are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change<'r> {
    /// Additive.
    NewTable(&'r Table),
    /// Additive.
    NewColumn(&'r Table, &'r Column),
    /// Additive: null becomes allowed.
    Loosened(&'r Table, &'r Column),
    /// Additive: what new rows get changes, and no row does.
    OtherDefault(&'r Table, &'r Column),
    /// Additive; a unique one only where the rows agree.
    NewIndex(&'r Table, &'r Index),
    /// Additive: what it forbade becomes allowed, and nothing else changes.
    LostIndex(&'r Table, &'r Index),
    LostTable(&'r Table),
    LostColumn(&'r Table, &'r Column),
    /// A required column without a value for the rows there are.
    Unfilled(&'r Table, &'r Column),
    /// A new reference whose default may point at nothing.
    Dangling(&'r Table, &'r Column),
    OtherKind(&'r Table, &'r Column, &'r Column),
    Tightened(&'r Table, &'r Column),
    OtherCase(&'r Table, &'r Column),
    OtherReference(&'r Table, &'r Column),
}

/// All changes, tables in the order of the declaration and lost ones last.
pub(super) fn compare<'r>(had: &'r Record, wanted: &'r Record) -> Vec<Change<'r>> {
    let mut changes = vec![];
    for table in &wanted.tables {
        match had.table(&table.name) {
            None => changes.push(Change::NewTable(table)),
            Some(before) => tables(before, table, &mut changes),
        }
    }
    changes
        .extend(had.tables.iter().filter(|table| wanted.table(&table.name).is_none()).map(Change::LostTable));
    changes
}

fn tables<'r>(had: &'r Table, wanted: &'r Table, changes: &mut Vec<Change<'r>>) {
    changes.extend(
        had.indexes
            .iter()
            .filter(|index| !wanted.indexes.contains(index))
            .map(|index| Change::LostIndex(had, index)),
    );
    for column in &wanted.columns {
        match had.column(&column.name) {
            None => changes.push(new_column(wanted, column)),
            Some(before) => columns(wanted, before, column, changes),
        }
    }
    let lost = had.columns.iter().filter(|column| wanted.column(&column.name).is_none());
    changes.extend(lost.map(|column| Change::LostColumn(had, column)));
    changes.extend(
        wanted
            .indexes
            .iter()
            .filter(|index| !had.indexes.contains(index))
            .map(|index| Change::NewIndex(wanted, index)),
    );
}

const fn new_column<'r>(table: &'r Table, column: &'r Column) -> Change<'r> {
    match (&column.default, &column.references) {
        (None, _) if column.required => Change::Unfilled(table, column),
        (Some(_), Some(_)) => Change::Dangling(table, column),
        _ => Change::NewColumn(table, column),
    }
}

fn columns<'r>(table: &'r Table, had: &'r Column, wanted: &'r Column, changes: &mut Vec<Change<'r>>) {
    if had.kind != wanted.kind {
        changes.push(Change::OtherKind(table, had, wanted));
    } else if had.default != wanted.default {
        changes.push(Change::OtherDefault(table, wanted));
    }
    if had.required != wanted.required {
        changes.push(if wanted.required {
            Change::Tightened(table, wanted)
        } else {
            Change::Loosened(table, wanted)
        });
    }
    if had.ignore_case != wanted.ignore_case {
        changes.push(Change::OtherCase(table, wanted));
    }
    if had.references != wanted.references {
        changes.push(Change::OtherReference(table, wanted));
    }
}

impl<'r> Change<'r> {
    /// Whether it loses nothing and holds for every row there is.
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

    /// The table it changes.
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

    /// The same for people.
    pub(super) fn difference(self) -> Difference {
        let [reason, repair] = self.advice();
        Difference { what: self.what(), reason: reason.into(), repair: repair.into() }
    }

    /// Why a unique index cannot be made over the rows there are.
    pub(super) fn duplicates(self) -> Difference {
        Difference {
            what: self.what(),
            reason: "Several rows share a value.".into(),
            repair: "Change those rows first, or declare it without `unique`.".into(),
        }
    }

    fn what(self) -> String {
        let table = &self.table().name;
        match self {
            Self::NewTable(_) => format!("The table `{table}` is new."),
            Self::LostTable(_) => format!("The table `{table}` is no longer declared."),
            Self::NewColumn(_, column) => format!("The column `{table}.{}` is new.", column.name),
            Self::Unfilled(_, column) => format!("The column `{table}.{}` is new and required.", column.name),
            Self::Dangling(_, column) => {
                format!("The reference `{table}.{}` is new and has a default.", column.name)
            }
            Self::LostColumn(_, column) => {
                format!("The column `{table}.{}` is no longer declared.", column.name)
            }
            Self::Loosened(_, column) => {
                format!("The column `{table}.{}` is no longer required.", column.name)
            }
            Self::Tightened(_, column) => format!("The column `{table}.{}` is now required.", column.name),
            Self::OtherDefault(_, column) => format!("The default of `{table}.{}` has changed.", column.name),
            Self::OtherCase(_, column) => format!("`ignore_case` of `{table}.{}` has changed.", column.name),
            Self::OtherKind(_, had, column) => {
                format!("The type of `{table}.{}` was {} and is {}.", column.name, had.kind, column.kind)
            }
            Self::OtherReference(_, column) => {
                format!(
                    "What `{table}.{}` refers to, or what a deletion there does, has changed.",
                    column.name
                )
            }
            Self::NewIndex(_, index) if index.unique => {
                format!("In `{table}`, {} must be unique.", listed(index))
            }
            Self::NewIndex(_, index) => format!("In `{table}`, {} gets an index.", listed(index)),
            Self::LostIndex(_, index) if index.unique => {
                format!("In `{table}`, {} need no longer be unique.", listed(index))
            }
            Self::LostIndex(_, index) => format!("In `{table}`, {} loses an index.", listed(index)),
        }
    }

    /// The reason and the repair.
    const fn advice(self) -> [&'static str; 2] {
        match self {
            Self::NewTable(_) | Self::Loosened(..) | Self::OtherDefault(..) | Self::LostIndex(..) => {
                ["No row changes.", APPLY]
            }
            Self::NewColumn(..) => ["Rows get its default, or null.", APPLY],
            Self::NewIndex(_, Index { unique: true, .. }) => {
                ["It is refused where rows share a value.", APPLY]
            }
            Self::NewIndex(..) => ["No row changes.", APPLY],
            Self::LostTable(_) => [
                "Its rows would be lost.",
                "Declare it again, or give --database another file and move what is to stay.",
            ],
            Self::LostColumn(..) => [
                "Its values would be lost.",
                "Declare it again, with `hidden: true` if it is not to be seen.",
            ],
            Self::Unfilled(..) => {
                ["The rows there are have no value for it.", "Give it a default, or make it optional."]
            }
            Self::Dangling(..) => [
                "Every row would refer to a member that may not exist.",
                "Declare it without the default, and set the rows that need it.",
            ],
            Self::OtherKind(..) => [
                "The values there are may not be of the new type.",
                "Keep the type, or declare a new field beside it.",
            ],
            Self::Tightened(..) => {
                ["Rows may have no value for it.", "Keep it optional, or declare a new field with a default."]
            }
            Self::OtherCase(..) => [
                "Values that differed may now be equal, or the reverse.",
                "Keep it as it was, or declare a new field beside it.",
            ],
            Self::OtherReference(..) => [
                "The rows there are were made under the old rule.",
                "Keep the reference as it was, or declare a new field beside it.",
            ],
        }
    }
}

const APPLY: &str = "Start with --apply.";

/// The columns of an index for people.
fn listed(index: &Index) -> String {
    let names: Vec<_> = index.keys.iter().map(|key| format!("`{}`", key.column)).collect();
    names.join(" with ")
}
