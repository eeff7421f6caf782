//! The rows of a PostgreSQL statement that writes several members. They come from
//! `unnest(…) AS _v(…)`, whose arguments are arrays with one value for each member.

use std::ops::Range;

use super::text::SqlText;

/// The rows of a batch. They take the place of those parameters that differ between its members.
pub(super) struct BatchRows<'w> {
    /// The types of the parameters of the statement that writes one member.
    pub(super) types: &'w [&'w str],
    /// The numbers of the parameters that all members share: the values of access rules.
    pub(super) shared: Range<usize>,
    /// The number of the last parameter that differs.
    pub(super) last: usize,
}

impl BatchRows<'_> {
    /// Whether a parameter has a value for each member.
    pub(super) fn has(&self, number: usize) -> bool {
        number <= self.last && !self.shared.contains(&number)
    }

    /// Returns the column with the values of a parameter.
    pub(super) fn column(number: usize) -> String {
        format!("_v._p{number}")
    }
}

impl SqlText<'_> {
    /// Writes a condition that must be true for a row of a batch, or for the only member.
    #[cfg(feature = "postgres")]
    pub(super) fn in_any_row(&mut self, condition: impl FnOnce(&mut Self)) {
        if self.batch.is_none() {
            return condition(self);
        }
        self.batch_rows("EXISTS (SELECT 1 FROM ");
        self.push(" WHERE ");
        condition(self);
        self.push(")");
    }

    /// Writes the rows of a batch after this text. Writes nothing if the statement writes one
    /// member.
    pub(super) fn batch_rows(&mut self, before: &str) {
        let Some(batch) = &self.batch else { return };
        let numbers = (1..=batch.types.len()).filter(|number| batch.has(*number));
        let each = numbers.map(|number| {
            let array = format!("CAST(${number} AS {}[])", batch.types[number - 1]);
            (array, format!("_p{number}"))
        });
        let (arrays, columns): (Vec<_>, Vec<_>) = each.unzip();
        let rows = format!("unnest({}) AS _v({})", arrays.join(", "), columns.join(", "));
        self.push(before);
        self.push(&rows);
    }
}
