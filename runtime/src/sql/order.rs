//! Orders, in which members without a value come last in both directions.

use super::{Dialect, text::Text};
use crate::model::SortKey;

/// Where members without a value come: last in both directions, and first where an order is turned round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nulls {
    First,
    Last,
}

impl Text<'_> {
    /// ` ORDER BY …`, with a clause for nulls only where they would not come there by themselves, so that
    /// indexes serve the order.
    pub(super) fn order(&mut self, sort: &[SortKey], nulls: Nulls) {
        let resource = self.resource();
        if sort.is_empty() {
            return;
        }
        self.push(" ORDER BY ");
        self.separated(", ", sort, |text, key| {
            let field = &resource[key.field];
            text.comparable(field);
            if key.descending {
                text.push(" DESC");
            }
            if !field.required && text.nulls(key.descending) != nulls {
                text.push(match nulls {
                    Nulls::First => " NULLS FIRST",
                    Nulls::Last => " NULLS LAST",
                });
            }
        });
    }

    /// SQLite takes null for the smallest value, PostgreSQL for the largest.
    const fn nulls(&self, descending: bool) -> Nulls {
        match (self.dialect, descending) {
            (Dialect::Sqlite, false) | (Dialect::Postgres, true) => Nulls::First,
            (Dialect::Sqlite, true) | (Dialect::Postgres, false) => Nulls::Last,
        }
    }
}
