//! The statements that read.

use super::{Dialect, REVISION, order::Nulls, text::Text};
use crate::{
    model::{Field, FieldIx, Role, SortKey},
    plan::{Filter, Part, View},
};

impl<'m> Text<'m> {
    /// A page. Nested, the ancestors are single rows that the leaf is joined to from the left, so that
    /// one statement proves the chain and lists.
    pub(super) fn list(&mut self, filter: &Filter, sort: &[SortKey], view: View, part: Part) {
        if part == Part::Earlier {
            return self.list_earlier(filter, sort, view);
        }
        self.members(filter, view);
        self.order(sort, Nulls::Last);
        self.window();
    }

    /// The last page: the first one of the order turned round, turned round again. The extra row comes first, so each
    /// row says how many there are.
    fn list_earlier(&mut self, filter: &Filter, sort: &[SortKey], view: View) {
        self.push("SELECT ");
        self.member(view);
        self.push(", count(*) OVER () FROM (");
        self.members(filter, view);
        let turned = |key: &SortKey| SortKey { descending: !key.descending, ..*key };
        self.order(&sort.iter().map(turned).collect::<Vec<_>>(), Nulls::First);
        self.window();
        self.push(") AS t");
        self.order(sort, Nulls::Last);
    }

    fn window(&mut self) {
        self.push(" LIMIT ");
        self.bind();
        self.push(" OFFSET ");
        self.bind();
    }

    /// `SELECT … FROM … WHERE`: what a filter finds at the end of the chain.
    fn members(&mut self, filter: &Filter, view: View) {
        self.push("SELECT ");
        self.member(view);
        self.push(" FROM ");
        if self.nested() {
            self.ancestors();
            self.push(" LEFT JOIN ");
            self.table();
            self.push(" ON ");
            self.below();
            self.and_filter(filter);
            self.push(" WHERE ");
            self.outermost();
        } else {
            self.table();
            self.matching(filter);
        }
    }

    pub(super) fn count(&mut self, filter: &Filter) {
        self.push("SELECT count(*) FROM ");
        self.table();
        self.matching(filter);
    }

    pub(super) fn get(&mut self, view: View) {
        self.push("SELECT ");
        self.member(view);
        if let Some(field) = self.unseen_change(view) {
            self.push(", ");
            self.column(field);
        }
        self.push(" FROM ");
        self.table();
        self.by_id();
    }

    pub(super) fn look(&mut self, fields: &[FieldIx]) {
        let resource = self.resource();
        self.push("SELECT t.");
        self.name(REVISION);
        for field in fields.iter().copied().chain([resource.system(Role::UpdatedAt)]) {
            self.push(", ");
            self.column(&resource[field]);
        }
        self.push(" FROM ");
        self.table();
        self.by_id();
    }

    pub(super) fn exists(&mut self) {
        self.push("SELECT 1 FROM ");
        self.table();
        self.by_id();
    }

    pub(super) fn taken(&mut self, fields: &[FieldIx]) {
        let resource = self.resource();
        self.push("SELECT 1 FROM ");
        self.table();
        self.push(" WHERE ");
        for field in fields {
            self.filter(&Filter::Test { field: *field, op: crate::plan::Op::Eq });
            self.push(" AND ");
        }
        self.column(&resource[FieldIx::ID]);
        self.push(match self.dialect {
            Dialect::Sqlite => " IS NOT ",
            Dialect::Postgres => " IS DISTINCT FROM ",
        });
        self.bind();
        self.push(" LIMIT 1");
    }

    /// The field with the time of the last change, where a view leaves it out: one member is returned with it.
    pub(super) fn unseen_change(&self, view: View) -> Option<&'m Field> {
        let resource = self.resource();
        let unseen = view == View::Shown && !resource.shows_times();
        unseen.then(|| &resource[resource.system(Role::UpdatedAt)])
    }

    /// The revision and the fields of a view.
    fn member(&mut self, view: View) {
        let resource = self.resource();
        self.push("t.");
        self.name(REVISION);
        for (_, field) in resource.viewed(view) {
            self.push(", ");
            self.column(field);
        }
    }

    /// ` WHERE` the id is the next value, at the end of a whole chain.
    pub(super) fn by_id(&mut self) {
        self.push(" WHERE ");
        self.id();
        self.push(" = ");
        self.bind();
        self.and_chain();
    }

    /// ` WHERE` the filter holds, at the end of a whole chain; nothing where every member is meant.
    pub(super) fn matching(&mut self, filter: &Filter) {
        if self.nested() {
            self.push(" WHERE ");
            self.below();
            self.push(" AND ");
            self.whole();
            self.and_filter(filter);
        } else if !filter.is_every() {
            self.push(" WHERE ");
            self.filter(filter);
        }
    }
}
