//! The SQL of sort orders. NULL comes last in ascending and in descending order.

use nouns_declaration::index::is_apart;

use super::{Dialect, text::SqlText};
use crate::{
    model::{FieldIx, FieldModel, SortKey},
    plan::{Filter, Op},
};

/// One sort key of an SQL statement.
#[derive(Clone, Copy)]
pub(super) struct OrderKey {
    pub(super) field: FieldIx,
    pub(super) descending: bool,
    pub(super) absent: NullPlacement,
    /// The index of the key's value among the values of the cursor. `None` if the cursor has NULL
    /// for this key, or if there is no cursor.
    pub(super) value: Option<usize>,
}

/// The placement of NULL in the order of a sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NullPlacement {
    /// The column is never NULL.
    None,
    /// NULL comes last (`NULLS LAST`).
    Last,
    /// A separate sort key `column IS NULL` before this key puts NULL last. The index that serves
    /// the order also has this separate key.
    Apart,
}

impl NullPlacement {
    /// Returns the placement of NULL for the sort key at this position. The index that serves the
    /// order has the same placement.
    const fn of(position: usize, field: &FieldModel, descending: bool) -> Self {
        match field.required {
            true => Self::None,
            false if is_apart(position, field.required, descending) => Self::Apart,
            false => Self::Last,
        }
    }
}

/// Whether a field is not NULL in all members that match a filter.
fn has_value(filter: &Filter, field: FieldIx) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().any(|part| has_value(part, field)),
        one => one.own_test().is_some_and(|(tested, op)| {
            tested == field && !matches!(op, Op::Ne | Op::NotIn(_) | Op::Null)
        }),
    }
}

impl SqlText<'_> {
    /// Returns the sort keys of the statement. A key that does not decide is left out. `place` says
    /// for each sort key whether the cursor has a value for it.
    pub(super) fn keys(&self, sort: &[SortKey], filter: &Filter, place: &[bool]) -> Vec<OrderKey> {
        let resource = self.resource();
        let key = |(at, key): (usize, &SortKey)| {
            let SortKey { field, descending } = *key;
            let in_cursor = place.get(at).copied().unwrap_or_default();
            let value =
                in_cursor.then(|| place[..at].iter().filter(|in_cursor| **in_cursor).count());
            let absent = match NullPlacement::of(at, &resource[field], descending) {
                NullPlacement::Apart if self.dialect == Dialect::Sqlite => NullPlacement::Apart,
                NullPlacement::Last | NullPlacement::Apart if has_value(filter, field) => {
                    NullPlacement::None
                }
                NullPlacement::Apart => NullPlacement::Last,
                absent => absent,
            };
            filter.leaves_open(sort, at).then_some(OrderKey { field, descending, absent, value })
        };
        sort.iter().enumerate().filter_map(key).collect()
    }

    /// Writes ` ORDER BY …`, in the reverse order if `turned` is set.
    pub(super) fn order(&mut self, keys: &[OrderKey], turned: bool) {
        self.push(" ORDER BY ");
        self.separated(", ", keys, |text, key| text.key(*key, turned));
    }

    /// Writes a sort key. It writes `NULLS …` only if the default of the dialect differs, so that
    /// indexes can serve the order.
    fn key(&mut self, key: OrderKey, turned: bool) {
        let field = &self.resource()[key.field];
        let descending = key.descending != turned;
        let direction = if descending { " DESC" } else { "" };
        if key.absent == NullPlacement::Apart {
            self.column(field);
            self.push(" IS NULL");
            self.push(direction);
            self.push(", ");
        }
        self.comparable(field);
        self.push(direction);
        if key.absent == NullPlacement::Last && self.nulls_last(descending) == turned {
            self.push(if turned { " NULLS FIRST" } else { " NULLS LAST" });
        }
    }

    /// Whether NULL comes last by default. For SQLite, NULL is less than all values; for
    /// PostgreSQL, it is greater.
    const fn nulls_last(&self, descending: bool) -> bool {
        match self.dialect {
            Dialect::Sqlite => descending,
            Dialect::Postgres => !descending,
        }
    }
}
