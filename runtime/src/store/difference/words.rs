//! The sentences that describe a schema change to an operator.

use super::{COUNTED_ROWS_MAX, SchemaChange};
use crate::store::sql::record::Index;

const APPLY: &str = "It can be applied when the database is opened.";

impl SchemaChange<'_> {
    /// Returns a sentence that says what differs.
    pub(super) fn what(self) -> String {
        let table = &self.table().name;
        match self {
            Self::NewTable(_) => format!("The table `{table}` is new."),
            Self::LostTable(_) => format!("The table `{table}` is no longer declared."),
            Self::NewColumn(_, column) => format!("The column `{table}.{}` is new.", column.name),
            Self::Unfilled(_, column) => {
                format!("The column `{table}.{}` is new and required.", column.name)
            }
            Self::Dangling(_, column) => {
                format!("The reference `{table}.{}` is new and has a default.", column.name)
            }
            Self::LostColumn(_, column) => {
                format!("The column `{table}.{}` is no longer declared.", column.name)
            }
            Self::Loosened(_, column) => {
                format!("The column `{table}.{}` is no longer required.", column.name)
            }
            Self::Filled(_, column) | Self::Tightened(_, column, _) => {
                format!("The column `{table}.{}` is now required.", column.name)
            }
            Self::OtherDefault(_, column) => {
                format!("The default of `{table}.{}` has changed.", column.name)
            }
            Self::OtherCase(_, column) => {
                format!("`ignore_case` of `{table}.{}` has changed.", column.name)
            }
            Self::OtherKind(_, had, column) => {
                format!(
                    "The type of `{table}.{}` has changed from {} to {}.",
                    column.name, had.kind, column.kind
                )
            }
            Self::OtherReference(_, column) => {
                format!(
                    "The target or the `on_delete` action of `{table}.{}` has changed.",
                    column.name
                )
            }
            Self::NewIndex(_, index) if index.unique => {
                format!("In `{table}`, {} must be unique.", column_list(index))
            }
            Self::NewIndex(_, index) => {
                format!("In `{table}`, {} gets an index.", column_list(index))
            }
            Self::LostIndex(_, index) if index.unique => {
                format!("In `{table}`, {} need no longer be unique.", column_list(index))
            }
            Self::LostIndex(_, index) => {
                format!("In `{table}`, {} loses an index.", column_list(index))
            }
        }
    }

    /// Returns a sentence that says why the difference matters.
    pub(super) fn reason(self) -> String {
        let fixed = match self {
            Self::NewTable(_)
            | Self::Loosened(..)
            | Self::OtherDefault(..)
            | Self::LostIndex(..) => "No row changes.",
            Self::NewColumn(_, column) if column.required && column.default.is_none() => {
                "The table has no rows."
            }
            Self::NewColumn(..) => "Rows get its default, or null.",
            Self::Filled(..) => "Every row has a value for it.",
            Self::NewIndex(_, Index { unique: true, .. }) => {
                "The unique index cannot be created if rows have equal values."
            }
            Self::NewIndex(..) => "No row changes.",
            Self::LostTable(_) => "Its rows would be lost.",
            Self::LostColumn(..) => "Its values would be lost.",
            Self::Unfilled(..) => "Existing rows have no value for it.",
            Self::Dangling(..) => "Every row would refer to a member that may not exist.",
            Self::OtherKind(..) => "Existing values might not be of the new type.",
            Self::Tightened(_, _, 1) => "1 row has no value for it.",
            Self::Tightened(_, _, count) if count > COUNTED_ROWS_MAX => {
                return format!("More than {COUNTED_ROWS_MAX} rows have no value for it.");
            }
            Self::Tightened(_, _, count) => return format!("{count} rows have no value for it."),
            Self::OtherCase(..) => {
                "Values that were different may now be equal, or equal values different."
            }
            Self::OtherReference(..) => "Existing rows were made under the old rule.",
        };
        fixed.into()
    }

    /// Returns a sentence that advises the operator how to resolve the difference.
    pub(super) fn repair(self) -> String {
        let fixed = match self {
            Self::NewTable(_)
            | Self::NewColumn(..)
            | Self::Loosened(..)
            | Self::Filled(..)
            | Self::OtherDefault(..)
            | Self::NewIndex(..)
            | Self::LostIndex(..) => APPLY,
            Self::LostTable(table) => {
                return format!(
                    "If it was renamed, write `table: {}` beside the new name; otherwise keep it in the schema, or use \
                     another file and copy the data to keep.",
                    table.name
                );
            }
            Self::LostColumn(_, column) => {
                return format!(
                    "If it was renamed, write `column: {}` beside the new name; otherwise keep it in the schema, with \
                     `hidden: true` to hide it.",
                    column.name
                );
            }
            Self::Unfilled(_, column) if column.references.is_some() => {
                "Declare it without `required` first (a parent with `required: false` and \
                 `routes: both`), give every row a value, and require it then."
            }
            Self::Unfilled(..) => {
                "Give it a fixed default. Or declare it without `required` first, give every row a \
                 value, and require it then."
            }
            Self::Dangling(..) => {
                "Declare it without the default first, set the rows that need it, and add the \
                 default then."
            }
            Self::OtherKind(..) => "Keep the type, or declare a new field beside it.",
            Self::Tightened(..) => "Give those rows a value first, or keep it optional.",
            Self::OtherCase(..) => "Keep it as it was, or declare a new field beside it.",
            Self::OtherReference(..) => {
                "Keep the reference as it was, or declare a new field beside it."
            }
        };
        fixed.into()
    }
}

/// Formats the column names of an index: `` `a` with `b` ``.
fn column_list(index: &Index) -> String {
    let names: Vec<_> = index.keys.iter().map(|key| format!("`{}`", key.column)).collect();
    names.join(" with ")
}
