//! The members after (or before) a cursor, as disjoint ranges. Each range is contiguous in an index
//! on the sort keys, so no row before the cursor is read.

use super::{
    Dialect,
    order::{NullPlacement, OrderKey},
    parameters::Origin,
    text::SqlText,
};
use crate::model::FieldIx;

/// A range of members. All of its bounds must hold.
pub(super) struct Range {
    bounds: Vec<Bound>,
    /// The sort keys that are not the same for all members in the range.
    pub(super) keys: Vec<OrderKey>,
}

/// One condition of a range.
#[derive(Clone)]
enum Bound {
    /// The field equals the cursor's value.
    Tied(OrderKey),
    /// The field is NULL.
    Absent(OrderKey),
    /// The field is not NULL.
    Present(OrderKey),
    /// The values of these keys come after those of the cursor; the first key that differs decides.
    /// If the flag is true, the values come before those of the cursor.
    Beyond(Vec<OrderKey>, bool),
}

/// Returns the ranges beyond a cursor, the nearest range last. For the sort order `a, -b` and a
/// cursor at (1, 2), the ranges are `a > 1`, then `a = 1 AND b < 2`.
pub(super) fn ranges(keys: &[OrderKey], earlier: bool) -> Vec<Range> {
    let mut ranges = vec![];
    let mut tied: Vec<Bound> = vec![];
    let mut rest = keys;
    while let [first, others @ ..] = rest {
        let mut add = |bound: Bound, keys: Vec<OrderKey>| {
            ranges.push(Range { bounds: tied.iter().cloned().chain([bound]).collect(), keys });
        };
        let present = || {
            std::iter::once(OrderKey { absent: NullPlacement::None, ..*first })
                .chain(others.iter().copied())
        };
        let is_optional = first.absent != NullPlacement::None;
        if is_optional && first.value.is_some() != earlier {
            match earlier {
                true => add(Bound::Present(*first), present().collect()),
                false => add(Bound::Absent(*first), others.to_vec()),
            }
        }
        if first.value.is_none() {
            tied.push(Bound::Absent(*first));
            rest = others;
            continue;
        }
        let is_same_row_value = |key: &&OrderKey| {
            key.absent == NullPlacement::None && key.descending == first.descending
        };
        let length = 1 + others.iter().take_while(is_same_row_value).count();
        add(Bound::Beyond(rest[..length].to_vec(), earlier), present().collect());
        tied.extend(rest[..length].iter().copied().map(Bound::Tied));
        rest = &rest[length..];
    }
    ranges
}

/// Returns the origin of a value of the cursor.
pub(super) fn cursor(at: usize) -> Origin {
    Origin::Cursor(u8::try_from(at).expect("a sort order has less than 256 keys"))
}

impl SqlText<'_> {
    /// Writes the bounds of a range. They come before the filter, because SQLite uses the first
    /// bound that it finds to seek in an index.
    pub(super) fn range(&mut self, range: &Range) {
        self.separated(" AND ", &range.bounds, Self::bound);
    }

    fn bound(&mut self, bound: &Bound) {
        match bound {
            Bound::Tied(key) => {
                self.apart(*key, " = 0 AND ");
                self.operand(*key);
                self.push(" = ");
                self.position_value(*key);
            }
            Bound::Absent(key) => {
                self.apart(*key, " = 1 AND ");
                self.column(&self.resource()[key.field]);
                self.push(" IS NULL");
            }
            Bound::Present(key) if key.absent == NullPlacement::Apart => self.apart(*key, " = 0"),
            Bound::Present(key) => {
                self.column(&self.resource()[key.field]);
                self.push(" IS NOT NULL");
            }
            Bound::Beyond(keys, earlier) => {
                self.apart(keys[0], " = 0 AND ");
                self.row(keys, Self::operand);
                self.push(if keys[0].descending == *earlier { " > " } else { " < " });
                self.row(keys, |text, key| {
                    text.position_value(key);
                    text.collation(key, keys.len() > 1);
                });
            }
        }
    }

    /// Writes `(column IS NULL)` and `is`, for an index with the separate key `column IS NULL`,
    /// which sorts NULL last. Writes nothing if the index has no such key.
    fn apart(&mut self, key: OrderKey, is: &str) {
        if key.absent == NullPlacement::Apart {
            self.push("(");
            self.column(&self.resource()[key.field]);
            self.push(" IS NULL)");
            self.push(is);
        }
    }

    /// Writes one operand, or several operands as a row value such as `(a, b)` (SQL:2023 §7.1).
    fn row(&mut self, keys: &[OrderKey], each: impl Fn(&mut Self, OrderKey)) {
        self.push(if keys.len() > 1 { "(" } else { "" });
        self.separated(", ", keys, |text, key| each(text, *key));
        self.push(if keys.len() > 1 { ")" } else { "" });
    }

    fn operand(&mut self, key: OrderKey) {
        self.comparable(&self.resource()[key.field]);
    }

    /// Writes the parameter for the cursor's value of a key. Writes `NULL` if the cursor has no
    /// value for the key.
    fn position_value(&mut self, key: OrderKey) {
        let Some(value) = key.value else { return self.push("NULL") };
        let number = self.number(cursor(value));
        self.comparable_value(&self.resource()[key.field], number);
    }

    /// Writes the collation of a key in a row value. If the id is the rowid, SQLite uses an index
    /// for the row value only if the collation of the id is explicit. If one key has an explicit
    /// collation, each key must have one.
    fn collation(&mut self, key: OrderKey, in_row: bool) {
        let field = &self.resource()[key.field];
        match self.dialect {
            Dialect::Sqlite if in_row && field.ignore_case => self.push(" COLLATE NOCASE"),
            Dialect::Sqlite if in_row && key.field == FieldIx::ID => self.push(" COLLATE BINARY"),
            _ => {}
        }
    }
}
