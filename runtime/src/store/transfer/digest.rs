//! The digest of a table: the sum of the hashes of its rows.
//!
//! A sum does not depend on the order of the rows, and can go on after an interruption. It finds
//! damage and loss; it is no protection against somebody who makes up rows.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::rows::{CopiedKind, CopiedTable};
use crate::{
    model::{def::FieldKind, value::Value},
    store::sql::record::ColumnKind,
};

/// The sum of the SHA-256 hashes of rows modulo 2²⁵⁶, the least significant part first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct TableDigest([u64; 4]);

impl TableDigest {
    /// Adds a row.
    pub(in crate::store) fn add(&mut self, table: &CopiedTable, row: &[Value]) {
        let mut hash = Sha256::new();
        for (column, value) in table.columns.iter().zip(row) {
            match value {
                Value::Null | Value::Password(_) => hash.update([0]),
                Value::Integer(value) => {
                    hash.update([1]);
                    hash.update(value.to_be_bytes());
                }
                Value::Number(value) => {
                    hash.update([2]);
                    hash.update(value.to_bits().to_be_bytes());
                }
                Value::Text(text) => {
                    let text = canonical(column.kind, text);
                    hash.update([3]);
                    hash.update((text.len() as u64).to_be_bytes());
                    hash.update(text.as_bytes());
                }
            }
        }
        let (hash, mut carry) = (hash.finalize(), false);
        let (parts, _) = hash.as_chunks::<8>();
        for (sum, part) in self.0.iter_mut().zip(parts) {
            let (added, over) = sum.overflowing_add(u64::from_be_bytes(*part));
            let (added, again) = added.overflowing_add(carry.into());
            (*sum, carry) = (added, over || again);
        }
    }

    /// Parses the text of a digest.
    pub(in crate::store) fn parse(text: &str) -> Option<Self> {
        let part = |at: usize| u64::from_str_radix(text.get(48 - 16 * at..64 - 16 * at)?, 16).ok();
        Some(Self([part(0)?, part(1)?, part(2)?, part(3)?]))
    }
}

/// Returns the spelling of a text on which both engines agree. Another program may have stored a
/// time in SQLite without its fraction, for example.
fn canonical(kind: CopiedKind, text: &str) -> std::borrow::Cow<'_, str> {
    let kind = match kind {
        CopiedKind::Declared(ColumnKind::Date) => FieldKind::Date,
        CopiedKind::Declared(ColumnKind::Time) => FieldKind::Time,
        CopiedKind::Declared(ColumnKind::DateTime) => FieldKind::DateTime,
        CopiedKind::Declared(ColumnKind::Uuid) => FieldKind::Uuid,
        _ => return text.into(),
    };
    match Value::parse(kind, text) {
        Ok(Value::Text(spelled)) => spelled.into(),
        _ => text.into(),
    }
}

impl fmt::Display for TableDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().rev().try_for_each(|part| write!(f, "{part:016x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::transfer::CopiedColumn;

    fn table(kinds: &[ColumnKind]) -> CopiedTable {
        let column = |kind: &ColumnKind| CopiedColumn {
            name: "x".into(),
            kind: CopiedKind::Declared(*kind),
        };
        CopiedTable {
            name: "t".into(),
            columns: kinds.iter().map(column).collect(),
            condition: None,
        }
    }

    fn digest(table: &CopiedTable, rows: &[Vec<Value>]) -> TableDigest {
        let mut digest = TableDigest::default();
        rows.iter().for_each(|row| digest.add(table, row));
        digest
    }

    #[test]
    fn rows_count_in_any_order_and_each_value_counts() {
        let table = table(&[ColumnKind::Integer, ColumnKind::String]);
        let row = |id, text: &str| vec![Value::Integer(id), Value::Text(text.into())];
        let both = digest(&table, &[row(1, "a"), row(2, "b")]);
        assert_eq!(both, digest(&table, &[row(2, "b"), row(1, "a")]));
        for other in [
            vec![row(1, "b"), row(2, "a")],
            vec![row(1, "a")],
            vec![row(1, "a"), row(2, "b"), row(2, "b")],
            vec![row(1, "a"), vec![Value::Integer(2), Value::Null]],
        ] {
            assert_ne!(both, digest(&table, &other), "{other:?}");
        }
        assert_eq!(TableDigest::parse(&both.to_string()), Some(both));
    }

    #[test]
    fn the_sum_carries() {
        let mut sum = TableDigest([u64::MAX, u64::MAX, u64::MAX, 0]);
        sum.add(&table(&[]), &[]);
        assert!(sum.0[3] > 0 && sum.0 != [u64::MAX, u64::MAX, u64::MAX, 0]);
        assert_eq!(TableDigest::parse("12"), None);
    }

    #[test]
    fn a_time_counts_and_not_its_spelling() {
        let table = table(&[ColumnKind::DateTime]);
        let of = |text: &str| digest(&table, &[vec![Value::Text(text.into())]]);
        assert_eq!(of("2026-11-26T10:00:00Z"), of("2026-11-26T10:00:00.000000Z"));
        assert_ne!(of("2026-11-26T10:00:00Z"), of("2026-11-26T10:00:01Z"));
    }
}
