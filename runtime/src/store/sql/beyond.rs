//! What lies beyond a place in an order, in ranges without a member in common: each is one range of
//! an index that has the keys of the order, so that nothing is read that lies before the place.

use super::{
    Dialect,
    order::{NullPlacement, OrderKey},
    text::SqlText,
};
use crate::model::FieldIx;

/// A range: all of its bounds hold.
pub(super) struct Range {
    bounds: Vec<Bound>,
    /// The keys that its members differ by.
    pub(super) keys: Vec<OrderKey>,
}

/// A bound of a range.
#[derive(Clone)]
enum Bound {
    /// The same value as the place.
    Tied(OrderKey),
    /// No value.
    Absent(OrderKey),
    /// Any value.
    Present(OrderKey),
    /// Values that come beyond those of the place, the first that differs decides; `true` where
    /// they come earlier.
    Beyond(Vec<OrderKey>, bool),
}

/// The ranges beyond a place, the nearest last: those with another value of the first key, then
/// those with the same of it and another of the second …
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
        let goes_on = |key: &&OrderKey| {
            key.absent == NullPlacement::None && key.descending == first.descending
        };
        let length = 1 + others.iter().take_while(goes_on).count();
        add(Bound::Beyond(rest[..length].to_vec(), earlier), present().collect());
        tied.extend(rest[..length].iter().copied().map(Bound::Tied));
        rest = &rest[length..];
    }
    ranges
}

impl SqlText<'_> {
    /// The bounds of a range, with the parameters of the place after this many others.
    pub(super) fn range(&mut self, range: &Range, before: usize) {
        self.separated(" AND ", &range.bounds, |text, bound| text.bound(bound, before));
    }

    fn bound(&mut self, bound: &Bound, before: usize) {
        match bound {
            Bound::Tied(key) => {
                self.apart(*key, " = 0 AND ");
                self.operand(*key);
                self.push(" = ");
                self.position_value(*key, before);
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
                    text.position_value(key, before);
                    text.collation(key, keys.len() > 1);
                });
            }
        }
    }

    /// What the key says that tells members without a value apart, where the index has one.
    fn apart(&mut self, key: OrderKey, is: &str) {
        if key.absent == NullPlacement::Apart {
            self.push("(");
            self.column(&self.resource()[key.field]);
            self.push(" IS NULL)");
            self.push(is);
        }
    }

    /// One operand, or several as a row value (SQL:2023 §7.1).
    fn row(&mut self, keys: &[OrderKey], each: impl Fn(&mut Self, OrderKey)) {
        self.push(if keys.len() > 1 { "(" } else { "" });
        self.separated(", ", keys, |text, key| each(text, *key));
        self.push(if keys.len() > 1 { ")" } else { "" });
    }

    fn operand(&mut self, key: OrderKey) {
        self.comparable(&self.resource()[key.field]);
    }

    /// The value that the place has.
    fn position_value(&mut self, key: OrderKey, before: usize) {
        let Some(value) = key.value else { return self.push("NULL") };
        self.comparable_value(&self.resource()[key.field], before + value + 1);
    }

    /// In a row value, SQLite begins in an index at an id that is a row's number only where its
    /// collation is said; and where that of one is, that of each must be.
    fn collation(&mut self, key: OrderKey, in_row: bool) {
        let field = &self.resource()[key.field];
        match self.dialect {
            Dialect::Sqlite if in_row && field.ignore_case => self.push(" COLLATE NOCASE"),
            Dialect::Sqlite if in_row && key.field == FieldIx::ID => self.push(" COLLATE BINARY"),
            _ => {}
        }
    }
}
