//! The SQL text of statements that read.

use super::{
    Dialect, REVISION,
    beyond::{self, Range, cursor},
    ddl,
    order::OrderKey,
    parameters::Origin,
    text::{SqlText, subquery_name},
};
use crate::{
    model::{FieldIx, FieldModel, RelatedSelections, Role, Selection, SortKey, View},
    plan::{Filter, Op, Part, RuleRow},
};

/// The parts of a statement that selects a page.
pub(super) struct ListClauses<'s> {
    pub(super) filter: &'s Filter,
    pub(super) sort: &'s [SortKey],
    pub(super) selection: &'s Selection,
    pub(super) part: Part,
    pub(super) beyond: &'s [bool],
}

impl<'m> SqlText<'m> {
    /// Writes the statement of a page. For a nested collection, the statement joins the ancestors,
    /// and left-joins the members to them. So one statement tests that the ancestors exist, and
    /// lists the members.
    ///
    /// For [`Part::Earlier`], the page is read in reverse order, and the result is reversed again.
    /// If more members precede the page, the first row is an extra row that is not part of the
    /// page. To detect the extra row, each row also contains the total number of rows.
    ///
    /// Related rows are added to the rows of such a page. In PostgreSQL they are added to the rows
    /// of any page, so that its planner does not read those of rows that the page leaves out.
    pub(super) fn list(&mut self, list: &ListClauses<'_>) {
        let keys = self.keys(list.sort, list.filter, list.beyond);
        for at in 0..list.beyond.iter().filter(|has_value| **has_value).count() {
            self.number(cursor(at));
        }
        let (related, is_earlier) = (list.selection.related(), list.part == Part::Earlier);
        let is_whole = related.is_empty() || self.dialect == Dialect::Sqlite;
        if !is_earlier && is_whole {
            return self.page(list, related, &keys, false);
        }
        self.push("SELECT ");
        self.of_subquery(true, |text| text.selected_cells(list.selection.view, related));
        self.push(if is_earlier { ", count(*) OVER () FROM (" } else { " FROM (" });
        self.page(list, &RelatedSelections::default(), &keys, is_earlier);
        self.push(") AS t");
        self.of_subquery(true, |text| {
            text.joins(related);
            text.order(&keys, false);
        });
    }

    /// Writes the statement of a page with these related rows, in the sort order or in the
    /// reverse order.
    fn page(
        &mut self,
        list: &ListClauses<'_>,
        related: &RelatedSelections,
        keys: &[OrderKey],
        turned: bool,
    ) {
        let ranges = if list.beyond.is_empty() { vec![] } else { beyond::ranges(keys, turned) };
        let is_united = ranges.len() > 1;
        self.push("SELECT ");
        self.of_subquery(is_united, |text| text.selected_cells(list.selection.view, related));
        self.push(" FROM ");
        match ranges.as_slice() {
            [] => self.members(list, related, None),
            [only] => self.members(list, related, Some(only)),
            several => self.united(list, related, several, turned),
        }
        let keys = if let [only] = ranges.as_slice() { &only.keys } else { keys };
        self.of_subquery(is_united, |text| text.order(keys, turned));
        self.push(" LIMIT ");
        self.bind(Origin::Limit);
        self.push(" OFFSET ");
        self.bind(Origin::Offset);
    }

    /// Writes the tables and conditions of a page. The members belong to the ancestors in the URL,
    /// match the filter, and lie in the range if `range` is given.
    fn members(
        &mut self,
        list: &ListClauses<'_>,
        related: &RelatedSelections,
        range: Option<&Range>,
    ) {
        if self.nested() {
            self.ancestors();
            self.push(" LEFT JOIN ");
            self.table();
            self.push(" ON ");
            self.below();
            if let Some(range) = range {
                self.push(" AND ");
                self.range(range);
            }
            self.and_filter(list.filter);
            self.and_visible();
            self.joins(related);
            self.push(" WHERE ");
            self.outermost();
        } else if let Some(range) = range {
            self.table();
            self.joins(related);
            self.push(" WHERE ");
            self.range(range);
            self.and_filter(list.filter);
            self.and_visible();
        } else {
            self.table();
            self.joins(related);
            self.matching(list.filter);
        }
    }

    /// Writes the union of several ranges, with the first members of each. Joins the ancestors if
    /// the collection is nested.
    fn united(
        &mut self,
        list: &ListClauses<'_>,
        related: &RelatedSelections,
        ranges: &[Range],
        turned: bool,
    ) {
        if self.nested() {
            self.ancestors();
            self.push(" LEFT JOIN ");
        }
        self.push("(");
        self.separated(" UNION ALL ", ranges, |text, range| text.first_of(list, range, turned));
        self.push(") AS t");
        self.push(if self.nested() { " ON TRUE" } else { "" });
        self.of_subquery(true, |text| text.joins(related));
        if self.nested() {
            self.push(" WHERE ");
            self.outermost();
        }
    }

    /// Writes a query for the first members of a range, as many as a page can contain.
    fn first_of(&mut self, list: &ListClauses<'_>, range: &Range, turned: bool) {
        self.push("SELECT * FROM (SELECT ");
        self.member(list.selection.view);
        self.push(" FROM ");
        self.table();
        self.push(" WHERE ");
        if self.nested() {
            self.below();
            self.push(" AND ");
        }
        self.range(range);
        self.and_filter(list.filter);
        self.and_visible();
        self.order(&range.keys, turned);
        self.push(" LIMIT ");
        self.whole_number(Origin::Limit);
        self.push(" + ");
        self.whole_number(Origin::Offset);
        self.push(") AS p");
    }

    /// Writes a parameter that is an integer. In PostgreSQL it is cast, since PostgreSQL cannot
    /// infer the type of a parameter in a sum.
    pub(super) fn whole_number(&mut self, origin: Origin) {
        let postgres = self.dialect == Dialect::Postgres;
        self.push(if postgres { "CAST(" } else { "" });
        self.bind(origin);
        self.push(if postgres { " AS bigint)" } else { "" });
    }

    pub(super) fn count(&mut self, filter: &Filter) {
        self.push("SELECT count(*) FROM ");
        self.table();
        self.matching(filter);
    }

    pub(super) fn get(&mut self, selection: &Selection) {
        self.push("SELECT ");
        self.selected_cells(selection.view, selection.related());
        if let Some(field) = self.unseen_change(selection.view) {
            self.push(", ");
            self.column(field);
        }
        self.push(" FROM ");
        self.table();
        self.joins(selection.related());
        self.by_id();
        self.and_rule(RuleRow::Changed, "t".into());
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
        self.and_rule(RuleRow::Changed, "t".into());
    }

    pub(super) fn ids(&mut self, filter: &Filter, listed: bool) {
        self.matching_ids(filter, listed);
        self.and_changed(filter);
        self.push(" LIMIT ");
        self.bind(Origin::Limit);
    }

    /// Writes a query for the ids of the members that match a filter. If `listed` is set, only
    /// members whose ids are in a list are considered.
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

    /// Writes a query for the ids of matching members among a list of ids. SQLite reads the tables
    /// of a CROSS JOIN in their order, so it looks up each member by its id and not by an index of
    /// the filter.
    pub(super) fn listed_ids(&mut self, filter: &Filter) {
        self.push("SELECT ");
        self.id();
        let list = self.number(Origin::Ids);
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
            self.test(&resource[*field], Op::Eq);
            self.push(" AND ");
        }
        self.column(&resource[FieldIx::ID]);
        self.push(match self.dialect {
            Dialect::Sqlite => " IS NOT ",
            Dialect::Postgres => " IS DISTINCT FROM ",
        });
        self.bind(Origin::Id);
        self.push(" LIMIT 1");
    }

    /// Returns the field with the time of the last change, if the view (the selection of fields)
    /// does not contain it. Statements that return a single member add this field.
    pub(super) fn unseen_change(&self, view: View) -> Option<&'m FieldModel> {
        let resource = self.resource();
        let unseen = view == View::Shown && !resource.shows_times();
        unseen.then(|| &resource[resource.system(Role::UpdatedAt)])
    }

    /// Writes the cells of a selection.
    fn selected_cells(&mut self, view: View, related: &RelatedSelections) {
        self.member(view);
        self.related_cells(related);
    }

    /// Writes the revision, and the fields that the view selects.
    fn member(&mut self, view: View) {
        let resource = self.resource();
        self.push("t.");
        self.name(REVISION);
        for (_, field) in resource.viewed(view) {
            self.push(", ");
            self.column(field);
            if let Some(name) = subquery_name(field.column) {
                self.push(" AS ");
                self.name(&name);
            }
        }
    }

    /// Writes ` WHERE` and the condition on the id of the member. Adds the conditions for the
    /// ancestors in the URL and the access rule of the member.
    pub(super) fn by_id(&mut self) {
        self.push(" WHERE ");
        self.id();
        self.push(" = ");
        self.bind(Origin::Id);
        self.and_chain();
        self.and_visible();
    }

    /// Writes ` AND` and the access rule of the member, if there is one.
    pub(super) fn and_visible(&mut self) {
        self.and_rule(RuleRow::Member, "t".into());
    }

    /// Writes ` WHERE` and the conditions for the ancestors in the URL, the filter and the access
    /// rule. Writes nothing if there are no conditions.
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

    /// Writes the access rule of the members that match and are changed, behind the conditions that
    /// [`matching`](Self::matching) writes. Writes nothing if there is no such rule.
    pub(super) fn and_changed(&mut self, filter: &Filter) {
        let is_open = !self.nested() && filter.is_every() && !self.has_rule(RuleRow::Member);
        if is_open && self.has_rule(RuleRow::Changed) {
            self.push(" WHERE TRUE");
        }
        self.and_rule(RuleRow::Changed, "t".into());
    }
}
