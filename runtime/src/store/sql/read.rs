//! The statements that read.

use super::{
    Dialect, REVISION,
    beyond::{self, Range},
    ddl,
    order::OrderKey,
    text::SqlText,
};
use crate::{
    model::{FieldIx, FieldModel, Role, SortKey, View},
    plan::{Filter, Part, RuleRow},
};

/// What a list asks for.
pub(super) struct ListClauses<'s> {
    pub(super) filter: &'s Filter,
    pub(super) sort: &'s [SortKey],
    pub(super) view: View,
    pub(super) part: Part,
    pub(super) beyond: &'s [bool],
}

impl<'m> SqlText<'m> {
    /// A page. Nested, the ancestors are single rows that the leaf is joined to from the left, so
    /// that one statement proves the chain and lists.
    ///
    /// The last page is the first one of the order turned round, turned round again. The extra row
    /// comes first, so each row says how many there are.
    pub(super) fn list(&mut self, list: &ListClauses<'_>) {
        let keys = self.keys(list.sort, list.filter, list.beyond);
        if list.part != Part::Earlier {
            return self.page(list, &keys, false);
        }
        self.push("SELECT ");
        self.member(list.view);
        self.push(", count(*) OVER () FROM (");
        self.page(list, &keys, true);
        self.push(") AS t");
        self.order(&keys, false);
    }

    /// The first of those that are meant, in their order or in that turned round.
    fn page(&mut self, list: &ListClauses<'_>, keys: &[OrderKey], turned: bool) {
        let ranges = if list.beyond.is_empty() { vec![] } else { beyond::ranges(keys, turned) };
        self.push("SELECT ");
        self.member(list.view);
        self.push(" FROM ");
        match ranges.as_slice() {
            [] => self.members(list, None),
            [only] => self.members(list, Some(only)),
            several => self.united(list, several, turned),
        }
        self.order(if let [only] = ranges.as_slice() { &only.keys } else { keys }, turned);
        self.push(" LIMIT ");
        self.bind();
        self.push(" OFFSET ");
        self.bind();
    }

    /// `… WHERE`: what a filter finds at the end of the chain, within a range.
    fn members(&mut self, list: &ListClauses<'_>, range: Option<&Range>) {
        if self.nested() {
            self.ancestors();
            self.push(" LEFT JOIN ");
            self.table();
            self.push(" ON ");
            self.below();
            if let Some(range) = range {
                self.push(" AND ");
                self.within(list, range);
            }
            self.and_filter(list.filter);
            self.and_visible();
            self.push(" WHERE ");
            self.outermost();
        } else if let Some(range) = range {
            self.table();
            self.push(" WHERE ");
            self.within(list, range);
            self.and_filter(list.filter);
            self.and_visible();
        } else {
            self.table();
            self.matching(list.filter);
        }
    }

    /// The first of each of several ranges, beside a whole chain.
    fn united(&mut self, list: &ListClauses<'_>, ranges: &[Range], turned: bool) {
        if self.nested() {
            self.ancestors();
            self.push(" LEFT JOIN ");
        }
        self.push("(");
        let bound = self.values();
        self.separated(" UNION ALL ", ranges, |text, range| {
            text.rebind(bound);
            text.first_of(list, range, turned);
        });
        self.push(") AS t");
        if self.nested() {
            self.push(" ON TRUE WHERE ");
            self.outermost();
        }
    }

    /// As many of a range as a page could need.
    fn first_of(&mut self, list: &ListClauses<'_>, range: &Range, turned: bool) {
        self.push("SELECT * FROM (SELECT ");
        self.member(list.view);
        self.push(" FROM ");
        self.table();
        self.push(" WHERE ");
        if self.nested() {
            self.below();
            self.push(" AND ");
        }
        self.within(list, range);
        self.and_filter(list.filter);
        self.and_visible();
        self.order(&range.keys, turned);
        let limit = self.values() + 1;
        self.push(" LIMIT ");
        self.whole_number(limit);
        self.push(" + ");
        self.whole_number(limit + 1);
        self.push(") AS p");
    }

    /// A parameter that is a whole number, which PostgreSQL cannot tell from a sum of two.
    fn whole_number(&mut self, number: usize) {
        let postgres = self.dialect == Dialect::Postgres;
        self.push(if postgres { "CAST(" } else { "" });
        self.parameter(number);
        self.push(if postgres { " AS bigint)" } else { "" });
    }

    /// The bounds of a range. They stand before the filter, since SQLite begins in an index at the
    /// first bound that it finds.
    fn within(&mut self, list: &ListClauses<'_>, range: &Range) {
        let before = self.values();
        self.range(range, before);
        self.rebind(before + list.beyond.iter().filter(|known| **known).count());
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

    pub(super) fn ids(&mut self, filter: &Filter, listed: bool) {
        self.matching_ids(filter, listed);
        self.push(" LIMIT ");
        self.bind();
    }

    /// The ids of the members that match, among those of a list or all.
    pub(super) fn matching_ids(&mut self, filter: &Filter, listed: bool) {
        if listed {
            return self.listed_ids(filter);
        }
        self.push("SELECT ");
        self.id();
        self.push(" FROM ");
        self.table();
        self.matching(filter);
    }

    /// The same among those whose ids the next value lists. Each is looked up by its id, whatever
    /// indexes the filter has: SQLite reads the tables of a CROSS JOIN in their order.
    pub(super) fn listed_ids(&mut self, filter: &Filter) {
        let list = self.next();
        self.push("SELECT ");
        self.id();
        self.push(match self.dialect {
            Dialect::Sqlite => " FROM json_each(",
            Dialect::Postgres => " FROM json_array_elements_text(",
        });
        self.parameter(list);
        self.push(match self.dialect {
            Dialect::Sqlite => ") AS e CROSS JOIN ",
            Dialect::Postgres => ") AS e(\"value\") JOIN ",
        });
        self.table();
        self.push(" ON ");
        self.id();
        self.push(" = ");
        match self.dialect {
            Dialect::Sqlite => self.push("e.\"value\""),
            Dialect::Postgres => {
                let kind = ddl::kind(self.resource()[FieldIx::ID].kind.into(), self.dialect);
                self.push(&format!("CAST(e.\"value\" AS {kind})"));
            }
        }
        self.matching(filter);
    }

    pub(super) fn exists(&mut self) {
        self.push("SELECT 1 FROM ");
        self.table();
        self.by_id();
    }

    pub(super) fn other_with(&mut self, fields: &[FieldIx]) {
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

    /// The field with the time of the last change, where a view leaves it out: one member is
    /// returned with it.
    pub(super) fn unseen_change(&self, view: View) -> Option<&'m FieldModel> {
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
        self.and_visible();
    }

    /// ` AND` the rule of the member, where there is one.
    pub(super) fn and_visible(&mut self) {
        self.and_rule(RuleRow::Member, "t".into());
    }

    /// ` WHERE` the filter holds, at the end of a whole chain; nothing where every member is meant.
    pub(super) fn matching(&mut self, filter: &Filter) {
        if self.nested() {
            self.push(" WHERE ");
            self.below();
            self.push(" AND ");
            self.whole();
            self.and_filter(filter);
            self.and_visible();
        } else if !filter.is_every() {
            self.push(" WHERE ");
            self.filter(filter);
            self.and_visible();
        } else if self.has_rule(RuleRow::Member) {
            self.push(" WHERE ");
            self.rule(RuleRow::Member, "t".into());
        }
    }
}
