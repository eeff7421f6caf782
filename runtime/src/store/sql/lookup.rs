//! The SQL text of statements that add to a web page: choices and counts.

use super::{
    parameters::Origin,
    quoted,
    text::{SqlText, subquery_name},
};
use crate::{
    model::{FieldIx, RelatedSelections, SortKey},
    plan::Filter,
};

impl SqlText<'_> {
    pub(super) fn choices(&mut self, label: FieldIx) {
        let resource = self.resource();
        self.push("SELECT ");
        self.id();
        self.push(", ");
        self.column(&resource[label]);
        self.push(" FROM ");
        self.table();
        self.matching(&Filter::EVERY);
        let sort = [label, FieldIx::ID].map(|field| SortKey { field, descending: false });
        let keys = self.keys(&sort, &Filter::EVERY, &[]);
        self.order(&keys, false);
        self.limit();
    }

    pub(super) fn count_most(&mut self, filter: &Filter) {
        self.push("SELECT count(*) FROM (SELECT 1 FROM ");
        self.table();
        self.matching(filter);
        self.limit();
        self.push(") AS m");
    }

    /// Writes the statement that counts the values of a field. Related members are joined to the
    /// values that remain, which stand in the place of the field.
    pub(super) fn tally(&mut self, filter: &Filter, field: FieldIx, related: &RelatedSelections) {
        if related.is_empty() {
            self.push("SELECT v, count(*), sum(count(*)) OVER ()");
            return self.counted_values(filter, field);
        }
        // No column has a name with an equals sign.
        let column = self.resource()[field].column;
        let value = quoted(&subquery_name(column).unwrap_or_else(|| column.to_owned()));
        self.push(&format!(r#"SELECT t.{value}, t."=n", t."=s""#));
        self.related_cells(related);
        self.push(&format!(
            r#" FROM (SELECT v AS {value}, count(*) AS "=n", sum(count(*)) OVER () AS "=s""#
        ));
        self.counted_values(filter, field);
        self.push(") AS t");
        self.of_subquery(true, |text| text.joins(related));
        self.push(" ORDER BY 2 DESC, 1 NULLS LAST");
    }

    fn counted_values(&mut self, filter: &Filter, field: FieldIx) {
        let resource = self.resource();
        self.push(" FROM (SELECT ");
        self.column(&resource[field]);
        self.push(" AS v FROM ");
        self.table();
        self.matching(filter);
        self.limit();
        self.push(") AS m GROUP BY v ORDER BY 2 DESC, 1 NULLS LAST LIMIT ");
        self.bind(Origin::ValuesMax);
    }

    fn limit(&mut self) {
        self.push(" LIMIT ");
        self.bind(Origin::Limit);
    }
}
