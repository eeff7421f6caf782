//! The values that several rows share, although an index would allow each of them once.

use nouns_declaration::problem::excerpt;

use super::{
    Dialect, quoted,
    record::{Column, ColumnKind, Index, Table},
};
use crate::model::value::spell_decimal;

/// Returns the statement that finds values which several rows share in the columns of an index, as
/// texts. `most` is the number of rows of the result.
pub(crate) fn text(table: &Table, index: &Index, most: usize, dialect: Dialect) -> String {
    let columns = || index.keys.iter().filter_map(|key| table.column(&key.column));
    // Values may be equal and differ in the case of letters: the least of them stands for all.
    let shown = columns().map(|column| format!("min(CAST({} AS text))", quoted(&column.name)));
    let present = columns().map(|column| format!("{} IS NOT NULL", quoted(&column.name)));
    let keys = columns().map(|column| key(column, dialect));
    format!(
        "SELECT {} FROM {} WHERE {} GROUP BY {} HAVING count(*) > 1 ORDER BY 1 LIMIT {most}",
        shown.collect::<Vec<_>>().join(", "),
        quoted(&table.name),
        present.collect::<Vec<_>>().join(" AND "),
        keys.collect::<Vec<_>>().join(", ")
    )
}

/// Returns what is equal in rows with equal values. In SQLite the column says how values compare.
fn key(column: &Column, dialect: Dialect) -> String {
    let name = quoted(&column.name);
    match column.ignore_case && dialect == Dialect::Postgres {
        true => format!("lower({name} COLLATE \"C\")"),
        false => name,
    }
}

/// Returns the values of a row of the result for a message: `` `Ada` with `1815-12-10` ``.
pub(crate) fn spell(
    table: &Table,
    index: &Index,
    row: impl IntoIterator<Item = String>,
    dialect: Dialect,
) -> String {
    let kinds = index.keys.iter().map(|key| table.column(&key.column).map(|column| column.kind));
    let spelled = kinds.zip(row).map(|(kind, text)| match (dialect, kind) {
        (Dialect::Sqlite, Some(ColumnKind::Boolean)) => (text == "1").to_string(),
        (Dialect::Sqlite, Some(ColumnKind::Decimal { scale })) => {
            text.parse().map_or(text, |value| spell_decimal(value, scale))
        }
        _ => text,
    });
    let quoted: Vec<_> = spelled.map(|text| format!("`{}`", excerpt(&text))).collect();
    quoted.join(" with ")
}
