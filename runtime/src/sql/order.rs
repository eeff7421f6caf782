//! Orders, in which members without a value come last in both directions.

use super::{Dialect, text::Text};
use crate::model::{Field, SortKey};

impl Text<'_> {
    /// ` ORDER BY …`, with a clause for nulls only where they would not come last by themselves, so that
    /// indexes serve the order.
    pub(super) fn order(&mut self, sort: &[SortKey]) {
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
            if text.nulls_first(field, key.descending) {
                text.push(" NULLS LAST");
            }
        });
    }

    /// SQLite takes null for the smallest value, PostgreSQL for the largest.
    const fn nulls_first(&self, field: &Field, descending: bool) -> bool {
        !field.required
            && match self.dialect {
                Dialect::Sqlite => !descending,
                Dialect::Postgres => descending,
            }
    }
}
