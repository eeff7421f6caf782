//! The rows of a PostgreSQL statement that writes several members. They come from
//! `unnest(…) AS _v(…)`, whose arguments are arrays with one value for each member.

use super::{parameters::Origin, text::SqlText};

/// The rows of a batch. They take the place of those parameters that differ between its members.
pub(super) struct BatchRows<'w> {
    /// The types of the parameters of the statement that writes one member.
    pub(super) types: &'w [&'w str],
}

impl BatchRows<'_> {
    /// Whether a parameter with this origin has a value for each member.
    pub(super) const fn is_per_member(origin: &Origin) -> bool {
        match origin {
            Origin::Rule(_) | Origin::Account(_) => false,
            #[cfg(feature = "postgres")]
            Origin::Slot | Origin::CounterTime => false,
            _ => true,
        }
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
        let numbered = (1..).zip(self.parameters()).zip(batch.types);
        let each = numbered
            .filter(|((_, parameter), _)| BatchRows::is_per_member(&parameter.origin))
            .map(|((number, _), kind)| {
                (format!("CAST(${number} AS {kind}[])"), format!("_p{number}"))
            });
        let (arrays, columns): (Vec<_>, Vec<_>) = each.unzip();
        let rows = format!("unnest({}) AS _v({})", arrays.join(", "), columns.join(", "));
        self.push(before);
        self.push(&rows);
    }
}
