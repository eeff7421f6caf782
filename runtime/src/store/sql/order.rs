//! Sort orders; members without a value come last in both directions.

use nouns_declaration::index::is_apart;

use super::{Dialect, text::SqlText};
use crate::{
    model::{FieldIx, FieldModel, SortKey},
    plan::{Filter, Op},
};

/// A sort key, as a statement writes it.
#[derive(Clone, Copy)]
pub(super) struct OrderKey {
    pub(super) field: FieldIx,
    pub(super) descending: bool,
    pub(super) absent: NullPlacement,
    /// The index of its value in a cursor; `None` where the cursor has no value for it.
    pub(super) value: Option<usize>,
}

/// The position of members without a value in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NullPlacement {
    /// Every member has a value.
    None,
    /// NULLS LAST: members without a value come last.
    Last,
    /// They come last through a separate key before this one, as in the index of the order.
    Apart,
}

impl NullPlacement {
    /// Returns the placement of a key at this position, as in the index of the order.
    const fn of(position: usize, field: &FieldModel, descending: bool) -> Self {
        match field.required {
            true => Self::None,
            false if is_apart(position, field.required, descending) => Self::Apart,
            false => Self::Last,
        }
    }
}

/// Whether all members that match a filter have the same value.
fn fixes(filter: &Filter, field: FieldIx) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().any(|part| fixes(part, field)),
        Filter::Test { field: tested, op } => *tested == field && matches!(op, Op::Eq | Op::Null),
        Filter::Any(_) | Filter::Not(_) => false,
    }
}

/// Whether all members that match a filter have a value.
fn has_value(filter: &Filter, field: FieldIx) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().any(|part| has_value(part, field)),
        Filter::Test { field: tested, op } => {
            *tested == field && !matches!(op, Op::Ne | Op::NotIn(_) | Op::Null)
        }
        Filter::Any(_) | Filter::Not(_) => false,
    }
}

impl SqlText<'_> {
    /// Returns the sort keys that matter among the members that match a filter, with their values
    /// in a cursor.
    pub(super) fn keys(&self, sort: &[SortKey], filter: &Filter, place: &[bool]) -> Vec<OrderKey> {
        let resource = self.resource();
        let key = |(at, key): (usize, &SortKey)| {
            let SortKey { field, descending } = *key;
            let known = place.get(at).copied().unwrap_or_default();
            let value = known.then(|| place[..at].iter().filter(|known| **known).count());
            let absent = match NullPlacement::of(at, &resource[field], descending) {
                NullPlacement::Apart if self.dialect == Dialect::Sqlite => NullPlacement::Apart,
                NullPlacement::Last | NullPlacement::Apart if has_value(filter, field) => {
                    NullPlacement::None
                }
                NullPlacement::Apart => NullPlacement::Last,
                absent => absent,
            };
            let decides = field == FieldIx::ID || !fixes(filter, field);
            decides.then_some(OrderKey { field, descending, absent, value })
        };
        // Keys after the id have no effect.
        let length =
            sort.iter().position(|key| key.field == FieldIx::ID).map_or(sort.len(), |at| at + 1);
        sort[..length].iter().enumerate().filter_map(key).collect()
    }

    /// Writes ` ORDER BY …`, or the reverse order.
    pub(super) fn order(&mut self, keys: &[OrderKey], turned: bool) {
        self.push(" ORDER BY ");
        self.separated(", ", keys, |text, key| text.key(*key, turned));
    }

    /// Writes a sort key. It has a clause for nulls only where the default differs, so that indexes
    /// serve it.
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

    /// Whether nulls come last by default: for SQLite they are the smallest values, for PostgreSQL
    /// the largest.
    const fn nulls_last(&self, descending: bool) -> bool {
        match self.dialect {
            Dialect::Sqlite => descending,
            Dialect::Postgres => !descending,
        }
    }
}
