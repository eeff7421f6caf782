//! The SQL text of statements that add to a web page: labels, choices and counts.

use super::{parameters::Origin, text::SqlText};
use crate::{
    model::{FieldIx, SortKey},
    plan::Filter,
};

impl SqlText<'_> {
    pub(super) fn labels(&mut self, label: FieldIx) {
        self.id_and(label);
        self.of_list();
        self.matching(&Filter::EVERY);
    }

    pub(super) fn choices(&mut self, label: FieldIx) {
        self.id_and(label);
        self.push(" FROM ");
        self.table();
        self.matching(&Filter::EVERY);
        let sort = [label, FieldIx::ID].map(|field| SortKey { field, descending: false });
        let keys = self.keys(&sort, &Filter::EVERY, &[]);
        self.order(&keys, false);
        self.limit();
    }

    fn id_and(&mut self, label: FieldIx) {
        let resource = self.resource();
        self.push("SELECT ");
        self.id();
        self.push(", ");
        self.column(&resource[label]);
    }

    pub(super) fn count_most(&mut self, filter: &Filter) {
        self.push("SELECT count(*) FROM (SELECT 1 FROM ");
        self.table();
        self.matching(filter);
        self.limit();
        self.push(") AS m");
    }

    pub(super) fn tally(&mut self, filter: &Filter, field: FieldIx) {
        let resource = self.resource();
        self.push("SELECT v, count(*), sum(count(*)) OVER () FROM (SELECT ");
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
