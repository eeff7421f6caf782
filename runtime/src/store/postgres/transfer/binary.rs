//! Batches of rows in the binary form of COPY.

use std::{error::Error, fmt, pin::pin};

use bytes::BytesMut;
use tokio_postgres::{
    binary_copy::BinaryCopyInWriter,
    types::{IsNull, ToSql, Type, to_sql_checked},
};

use crate::{
    base::secret::Secret,
    model::value::Value,
    store::{
        failure::Failure,
        postgres::{numeric, parameter::BinaryParameter, wire::Wire, wire::WireError},
        sql::{quoted, record::ColumnKind},
        transfer::{CopiedKind, CopiedTable},
    },
};

/// A value with its column, in the form that COPY stores.
struct CopiedCell<'v> {
    value: &'v Value,
    kind: CopiedKind,
}

impl ToSql for CopiedCell<'_> {
    fn to_sql(
        &self,
        wanted: &Type,
        to: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self.value, self.kind) {
            (Value::Integer(value), CopiedKind::Declared(ColumnKind::Decimal { scale })) => {
                numeric::write_decimal(*value, scale, to);
                Ok(IsNull::No)
            }
            (Value::Text(text), CopiedKind::Bytes) => {
                to.extend_from_slice(&bytes(text).ok_or("it is not hexadecimal")?);
                Ok(IsNull::No)
            }
            (Value::Text(text), _) if text.contains('\0') => {
                Err("it has the character U+0000, which PostgreSQL cannot store".into())
            }
            (value, _) => BinaryParameter(value).to_sql(wanted, to),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Values are not printed, as some are secret.
impl fmt::Debug for CopiedCell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Secret::HIDDEN)
    }
}

/// The bytes of a hexadecimal text.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    pairs.iter().map(byte).collect()
}

fn cells<'v>(table: &CopiedTable, row: &'v [Value]) -> Vec<CopiedCell<'v>> {
    let cell = |(value, column): (&'v Value, &crate::store::transfer::CopiedColumn)| CopiedCell {
        value,
        kind: column.kind,
    };
    row.iter().zip(&table.columns).map(cell).collect()
}

/// The statement that stores rows.
fn statement(table: &CopiedTable) -> String {
    let names: Vec<_> = table.columns.iter().map(|column| quoted(&column.name)).collect();
    format!("COPY {} ({}) FROM STDIN (FORMAT binary)", quoted(&table.name), names.join(", "))
}

/// Stores rows in the open transaction.
pub(super) fn store(
    wire: &mut Wire,
    table: &CopiedTable,
    types: &[Type],
    rows: &[Vec<Value>],
) -> Result<(), Failure> {
    let stored = wire.wait(async |client| {
        let sink = client.copy_in(&statement(table)).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, types));
        for row in rows {
            let cells = cells(table, row);
            let cells: Vec<_> = cells.iter().map(|cell| cell as &(dyn ToSql + Sync)).collect();
            writer.as_mut().write(&cells).await?;
        }
        writer.finish().await?;
        Ok(())
    });
    stored.map_err(|error| match error {
        WireError::Server(error) => error.into(),
        WireError::Interrupted | WireError::Abandoned => {
            Failure::internal("a batch was interrupted")
        }
    })
}

/// Finds the first value that has no form in its column. Returns its name, and the reason.
pub(super) fn misfit(table: &CopiedTable, types: &[Type], rows: &[Vec<Value>]) -> Option<String> {
    let mut buffer = BytesMut::new();
    for row in rows {
        for (at, cell) in cells(table, row).iter().enumerate() {
            buffer.clear();
            if let Err(reason) = cell.to_sql(&types[at], &mut buffer) {
                let (column, row) = (&table.columns[at].name, table.row_name(row));
                return Some(format!("the column `{column}` of {row}: {reason}"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::transfer::CopiedColumn;

    #[test]
    fn bytes_are_read_from_their_digits() {
        assert_eq!(bytes("00ff7f"), Some(vec![0, 255, 127]));
        assert_eq!((bytes("0"), bytes("zz"), bytes("")), (None, None, Some(vec![])));
    }

    #[test]
    fn the_row_and_the_column_of_a_misfit_are_named() {
        let table = CopiedTable {
            name: "zoos".into(),
            columns: vec![
                CopiedColumn { name: "id".into(), kind: CopiedKind::Declared(ColumnKind::Integer) },
                CopiedColumn { name: "born".into(), kind: CopiedKind::Declared(ColumnKind::Date) },
            ],
            condition: None,
        };
        let row = |text: &str| vec![Value::Integer(7), Value::Text(text.into())];
        let find = |rows: &[Vec<Value>]| misfit(&table, &[Type::INT8, Type::DATE], rows);
        assert_eq!(find(&[row("2026-11-26")]), None);
        let found = find(&[row("2026-11-26"), row("soon")]).unwrap();
        assert!(
            found.starts_with("the column `born` of the row `7` of the table `zoos`: "),
            "{found}"
        );
        assert!(find(&[row("2026\0")]).unwrap().contains("U+0000"));
    }
}
