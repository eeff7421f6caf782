//! The SQL statements that create tables and indexes. They depend only on a schema record.

use std::borrow::Cow;

use super::{
    Dialect, literal, quoted,
    record::{
        Column, ColumnDefault, ColumnKind, Index, IndexColumn, Record, Reference,
        ReferentialAction, Table,
    },
    trigger::{self, NOW},
};
use crate::{base::password_hash, model::value};

/// Returns all statements that create the tables, indexes and triggers in an empty database,
/// without semicolons.
pub(crate) fn create(record: &Record, dialect: Dialect) -> Vec<String> {
    let mut statements: Vec<_> =
        record.tables.iter().map(|wanted| table(wanted, &wanted.name, dialect)).collect();
    if dialect == Dialect::Postgres {
        statements.extend(record.tables.iter().flat_map(constraints));
    }
    for wanted in &record.tables {
        statements.extend(wanted.indexes.iter().map(|each| index(wanted, each, dialect)));
        if dialect == Dialect::Sqlite {
            statements.extend(trigger::create(wanted));
        }
    }
    statements
}

/// Returns the statement that creates a table under `name`, which may be a temporary name.
pub(crate) fn table(table: &Table, name: &str, dialect: Dialect) -> String {
    let columns: Vec<_> =
        table.columns.iter().map(|each| format!("  {}", column(table, each, dialect))).collect();
    let strict = if dialect == Dialect::Sqlite { " STRICT" } else { "" };
    format!("CREATE TABLE {} (\n{}\n){strict}", quoted(name), columns.join(",\n"))
}

/// Returns the statement that adds a column to an existing table.
pub(crate) fn add_column(table: &Table, added: &Column, dialect: Dialect) -> String {
    format!("ALTER TABLE {} ADD COLUMN {}", quoted(&table.name), column(table, added, dialect))
}

/// Returns the statement that creates an index.
pub(crate) fn index(table: &Table, index: &Index, dialect: Dialect) -> String {
    named_index("INDEX", &index.name(table), table, index, dialect)
}

/// Returns the statement that creates an index in PostgreSQL while others write, under its
/// temporary name.
#[cfg(feature = "postgres")]
pub(crate) fn index_concurrently(table: &Table, index: &Index) -> String {
    let name = index.temporary_name(table);
    named_index("INDEX CONCURRENTLY", &name, table, index, Dialect::Postgres)
}

fn named_index(kind: &str, name: &str, table: &Table, index: &Index, dialect: Dialect) -> String {
    let unique = if index.unique { "UNIQUE " } else { "" };
    let keys: Vec<_> =
        stored_keys(table, index, dialect).iter().map(|each| key(table, each, dialect)).collect();
    let (name, on) = (quoted(name), quoted(&table.name));
    format!("CREATE {unique}{kind} {name} ON {on} ({})", keys.join(", "))
}

/// Returns the statement that gives an index its name, instead of its temporary one.
#[cfg(feature = "postgres")]
pub(crate) fn rename_index(table: &Table, index: &Index) -> String {
    let (temporary, name) = (index.temporary_name(table), index.name(table));
    format!("ALTER INDEX {} RENAME TO {}", quoted(&temporary), quoted(&name))
}

/// Returns the statement that drops an index.
pub(crate) fn drop_index(table: &Table, index: &Index) -> String {
    format!("DROP INDEX IF EXISTS {}", quoted(&index.name(table)))
}

/// Returns the columns to write into the statement that creates an index. SQLite itself adds an
/// integer primary key to the end of each index entry. So for SQLite a last column that is this key
/// is left out: otherwise the key would be stored twice.
fn stored_keys<'i>(table: &Table, index: &'i Index, dialect: Dialect) -> &'i [IndexColumn] {
    match index.keys.as_slice() {
        [keys @ .., last]
            if dialect == Dialect::Sqlite
                && !keys.is_empty()
                && !index.unique
                && !last.descending
                && last.column == table.key().name
                && table.key().kind == ColumnKind::Integer =>
        {
            keys
        }
        keys => keys,
    }
}

fn key(table: &Table, key: &IndexColumn, dialect: Dialect) -> String {
    let folded = table.column(&key.column).is_some_and(|column| column.ignore_case)
        && dialect == Dialect::Postgres;
    let name = quoted(&key.column);
    let indexed = if folded { format!("lower({name} COLLATE \"C\")") } else { name.clone() };
    match (key.descending, key.apart) {
        // PostgreSQL sorts NULL last without the `IS NULL` key.
        (true, true) if dialect == Dialect::Sqlite => {
            format!("{name} IS NULL DESC, {indexed} DESC")
        }
        (true, _) => format!("{indexed} DESC"),
        (false, true) if dialect == Dialect::Sqlite => format!("{name} IS NULL, {indexed}"),
        (false, _) => indexed,
    }
}

fn column(table: &Table, column: &Column, dialect: Dialect) -> String {
    let mut text = format!("{} {}", quoted(&column.name), kind(column.kind, dialect));
    text.push_str(collation(column, dialect));
    if column.name == table.key().name {
        text.push_str(primary_key(column.kind, dialect));
        return text;
    }
    if column.required {
        text.push_str(" NOT NULL");
    }
    if let Some(given) = &column.default {
        text.push_str(&format!(" DEFAULT {}", default(given, column.kind, dialect)));
    }
    text.push_str(&check(column, dialect));
    if let (Dialect::Sqlite, Some(reference)) = (dialect, &column.references) {
        text.push_str(&format!(" {}", references(reference, dialect)));
    }
    text
}

/// Returns the `COLLATE` clause of a column. Text must compare by code point, which is SQLite's
/// default.
fn collation(column: &Column, dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite if column.ignore_case => " COLLATE NOCASE",
        Dialect::Postgres if column.kind == ColumnKind::String => " COLLATE \"C\"",
        _ => "",
    }
}

const fn primary_key(kind: ColumnKind, dialect: Dialect) -> &'static str {
    match (kind, dialect) {
        (ColumnKind::Integer, Dialect::Sqlite) => " PRIMARY KEY AUTOINCREMENT",
        (ColumnKind::Integer, Dialect::Postgres) => " GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        _ => " NOT NULL PRIMARY KEY",
    }
}

/// Returns the SQL type of a column.
pub(super) fn kind(kind: ColumnKind, dialect: Dialect) -> Cow<'static, str> {
    let name = match (dialect, kind) {
        (
            Dialect::Sqlite,
            ColumnKind::Integer | ColumnKind::Decimal { .. } | ColumnKind::Boolean,
        ) => "INTEGER",
        (Dialect::Sqlite, ColumnKind::Number) => "REAL",
        (Dialect::Sqlite, _) => "TEXT",
        (Dialect::Postgres, ColumnKind::String | ColumnKind::Password) => "text",
        (Dialect::Postgres, ColumnKind::Integer) => "bigint",
        // A decimal has the digits of an integer of 64 bits.
        (Dialect::Postgres, ColumnKind::Decimal { scale }) => {
            return format!("numeric(19, {scale})").into();
        }
        (Dialect::Postgres, ColumnKind::Number) => "double precision",
        (Dialect::Postgres, ColumnKind::Boolean) => "boolean",
        (Dialect::Postgres, ColumnKind::Date) => "date",
        (Dialect::Postgres, ColumnKind::Time) => "time",
        (Dialect::Postgres, ColumnKind::DateTime) => "timestamptz",
        (Dialect::Postgres, ColumnKind::Uuid) => "uuid",
        (Dialect::Postgres, ColumnKind::Json) => "json",
    };
    name.into()
}

fn default(given: &ColumnDefault, kind: ColumnKind, dialect: Dialect) -> String {
    match (given, kind, dialect) {
        (ColumnDefault::Now, kind, dialect) => now(kind, dialect).into(),
        (ColumnDefault::Integer(value), ColumnKind::Boolean, Dialect::Postgres) => {
            (*value != 0).to_string()
        }
        (ColumnDefault::Integer(value), ColumnKind::Decimal { scale }, Dialect::Postgres) => {
            value::spell_decimal(*value, scale)
        }
        (ColumnDefault::Integer(value), ..) => value.to_string(),
        (ColumnDefault::Number(value), ..) => value.clone(),
        (ColumnDefault::Text(value), ..) => literal(value),
    }
}

/// Returns the SQL expression for the current date or time in UTC, as a column of this kind stores
/// it. A time of day has no zeros at the end of its fraction.
const fn now(kind: ColumnKind, dialect: Dialect) -> &'static str {
    match (kind, dialect) {
        (ColumnKind::Date, Dialect::Sqlite) => "(strftime('%Y-%m-%d', 'now'))",
        (ColumnKind::Time, Dialect::Sqlite) => {
            "(rtrim(rtrim(strftime('%H:%M:%f', 'now'), '0'), '.'))"
        }
        (_, Dialect::Sqlite) => NOW,
        (ColumnKind::Date, Dialect::Postgres) => "((now() AT TIME ZONE 'utc')::date)",
        (ColumnKind::Time, Dialect::Postgres) => "((now() AT TIME ZONE 'utc')::time)",
        (_, Dialect::Postgres) => "now()",
    }
}

/// Returns the constraint of a column whose type allows values that the kind does not.
fn check(column: &Column, dialect: Dialect) -> String {
    let name = quoted(&column.name);
    match column.kind {
        // The types of PostgreSQL are exact.
        ColumnKind::Boolean | ColumnKind::Json if dialect == Dialect::Postgres => String::new(),
        ColumnKind::Boolean => format!(" CHECK ({name} IN (0, 1))"),
        // In some versions of SQLite, `json_valid(NULL)` is not true.
        ColumnKind::Json => format!(" CHECK ({name} IS NULL OR json_valid({name}))"),
        // So no program stores a plain password by mistake.
        ColumnKind::Password => {
            format!(" CHECK ({name} IS NULL OR {name} LIKE '{}%')", password_hash::PREFIX)
        }
        _ => String::new(),
    }
}

/// Returns the text of a foreign key. One that restricts a deletion is tested when the statement
/// has done all its work, in any order: SQLite tests `RESTRICT` for each row, and `NO ACTION` at
/// the end. PostgreSQL tests both between its cascades, so there a deletion can defer the test
/// until they are done (`store/postgres/handle/deletion.rs`).
fn references(reference: &Reference, dialect: Dialect) -> String {
    let (action, tested) = match (reference.on_delete, dialect) {
        (ReferentialAction::Restrict, Dialect::Sqlite) => ("NO ACTION", ""),
        (ReferentialAction::Restrict, Dialect::Postgres) => ("NO ACTION", " DEFERRABLE"),
        (ReferentialAction::Cascade, _) => ("CASCADE", ""),
        (ReferentialAction::SetNull, _) => ("SET NULL", ""),
    };
    format!(
        "REFERENCES {} (\"id\") ON DELETE {action} ON UPDATE RESTRICT{tested}",
        quoted(&reference.table)
    )
}

/// Returns the statements that add the foreign keys of a table in PostgreSQL. They run after all
/// tables exist, because a foreign key can only refer to an existing table.
pub(crate) fn constraints(table: &Table) -> impl Iterator<Item = String> {
    table.columns.iter().filter_map(|column| constraint(table, column))
}

/// Returns the statement that adds the foreign key of a column in PostgreSQL.
pub(crate) fn constraint(table: &Table, column: &Column) -> Option<String> {
    let reference = references(column.references.as_ref()?, Dialect::Postgres);
    let (table, column) = (quoted(&table.name), quoted(&column.name));
    Some(format!("ALTER TABLE {table} ADD FOREIGN KEY ({column}) {reference}"))
}

/// Returns the statement that replaces the foreign key of a column in PostgreSQL, under its name.
/// The existing rows are not tested. `None` if the column has no foreign key that restricts a
/// deletion.
#[cfg(feature = "postgres")]
pub(crate) fn replace_constraint(table: &Table, column: &Column, name: &str) -> Option<String> {
    let restricts = |key: &&Reference| key.on_delete == ReferentialAction::Restrict;
    let key = references(column.references.as_ref().filter(restricts)?, Dialect::Postgres);
    let (table, column, name) = (quoted(&table.name), quoted(&column.name), quoted(name));
    Some(format!(
        "ALTER TABLE {table} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} FOREIGN KEY ({column}) {key} NOT VALID"
    ))
}

/// Returns the statement that gives an existing column in PostgreSQL its default, and lets it be
/// NULL if it is optional.
#[cfg(feature = "postgres")]
pub(crate) fn alter_column(table: &Table, column: &Column) -> String {
    let (on, name) = (quoted(&table.name), quoted(&column.name));
    let default = match &column.default {
        Some(given) => format!("SET DEFAULT {}", default(given, column.kind, Dialect::Postgres)),
        None => "DROP DEFAULT".into(),
    };
    let optional = match column.required {
        true => String::new(),
        false => format!(", ALTER COLUMN {name} DROP NOT NULL"),
    };
    format!("ALTER TABLE {on} ALTER COLUMN {name} {default}{optional}")
}

/// Returns the statement that makes an existing column in PostgreSQL required.
#[cfg(feature = "postgres")]
pub(crate) fn require_column(table: &Table, column: &Column) -> String {
    let (on, name) = (quoted(&table.name), quoted(&column.name));
    format!("ALTER TABLE {on} ALTER COLUMN {name} SET NOT NULL")
}
