//! The SQL of rows that are related to the current row: of a member that references lead to, and of
//! several behind a relation.
//!
//! Which form a test has depends on the shape and the declared indexes alone, so that statements
//! keep their plans.

use super::{Dialect, index, operand::Comparing, text::SqlText};
use crate::{
    model::{ConditionTree, FieldIx, Path, RelatedRows, ResourceIx, TestSubject},
    plan::{Op, RuleRow},
};

/// The maximum number of related rows that a bounded count tells apart. No table has as many, and
/// one more than it fits into the integers of both engines.
const COUNT_MAX: u32 = u32::MAX;

impl SqlText<'_> {
    /// Writes a value of the current row, which is one of this resource.
    pub(super) fn subject<V>(&mut self, of: ResourceIx, subject: &TestSubject<V>) {
        match subject {
            TestSubject::Field(field) => {
                let model = self.model;
                self.column(&model[of][*field]);
            }
            TestSubject::Path(path) => self.end_of(of, path),
            TestSubject::Count(rows) => self.number_of_related(of, rows, None),
        }
    }

    /// Returns how a value of the current row compares.
    pub(super) fn comparing<V>(&self, of: ResourceIx, subject: &TestSubject<V>) -> Comparing {
        match subject {
            TestSubject::Field(field) => (&self.model[of][*field]).into(),
            TestSubject::Path(path) => (&self.model[path.end][path.field]).into(),
            TestSubject::Count(_) => Comparing::COUNTS,
        }
    }

    /// Writes the test of a field at the end of a path.
    ///
    /// If an index finds the members at the end, they are found first. Otherwise, and in rules,
    /// each row finds its own.
    pub(super) fn path_test(&mut self, of: ResourceIx, path: &Path, op: Op) {
        let model = self.model;
        let end = &model[path.end];
        if !self.is_of_rule() && op.has_range() && index::leads(end, path.field) {
            let steps: Vec<_> = path.references(model.resources(), of).collect();
            return self.referred_test(of, &steps, path, op);
        }
        let found = self.part(|text| text.end_of(of, path));
        self.test(Comparing::from(&end[path.field]).expression(&found), op);
    }

    /// Writes the test of a path whose members at the end are found first: the current row refers
    /// to one of them.
    fn referred_test(
        &mut self,
        of: ResourceIx,
        steps: &[(FieldIx, ResourceIx)],
        path: &Path,
        op: Op,
    ) {
        let model = self.model;
        let [(reference, target), rest @ ..] = steps else {
            return self.test(&model[of][path.field], op);
        };
        self.column(&model[of][*reference]);
        let is_one =
            rest.is_empty() && op == Op::Eq && index::is_unique(&model[*target], path.field);
        self.push(if is_one { " = (" } else { " IN (" });
        self.selected(*target, Some(FieldIx::ID), |text| {
            text.referred_test(*target, rest, path, op);
        });
        self.push(")");
    }

    /// Writes a subquery for the field at the end of a path. It is NULL if a reference on the path
    /// is NULL, or leads to a row that the caller may not read.
    fn end_of(&mut self, of: ResourceIx, path: &Path) {
        let model = self.model;
        let steps: Vec<_> = path.references(model.resources(), of).collect();
        let Some(((first, _), _)) = steps.split_first() else {
            return self.column(&model[of][path.field]);
        };
        let member = self.part(|text| text.column(&model[of][*first]));
        let outer = self.related_rows;
        let alias = |nth: usize| format!("r{}", outer + nth + 1);
        self.push(&format!("(SELECT r{}.", outer + steps.len()));
        self.name(model[path.end][path.field].column);
        self.push(" FROM ");
        let mut above = of;
        for (nth, (reference, target)) in steps.iter().enumerate() {
            self.push(if nth > 0 { " JOIN " } else { "" });
            self.name(model[*target].def.table);
            self.push(&format!(" AS {}", alias(nth)));
            if nth > 0 {
                self.push(&format!(" ON {}.\"id\" = {}.", alias(nth), alias(nth - 1)));
                self.name(model[above][*reference].column);
            }
            above = *target;
        }
        self.push(&format!(" WHERE {}.\"id\" = {member}", alias(0)));
        self.related_rows += steps.len();
        for (nth, (_, target)) in steps.iter().enumerate() {
            self.and_readable(*target, alias(nth));
        }
        self.related_rows = outer;
        self.push(")");
    }

    /// Writes the test for a related row that matches.
    ///
    /// If an index finds the rows that match, they are found first. Otherwise, and in rules, each
    /// row looks for its own: a rule often tests one row alone.
    pub(super) fn any_related<V>(&mut self, of: ResourceIx, rows: &RelatedRows<V>) {
        let target = &self.model[rows.target];
        let finds = |(field, op): (FieldIx, Op)| op.has_range() && index::leads(target, field);
        if self.is_of_rule()
            || !rows.test.parts().iter().filter_map(ConditionTree::own_test).any(finds)
        {
            return self.has_related(of, rows);
        }
        let member = self.member_of(of, rows);
        let reference = rows.field(self.model.resources(), of);
        self.push(&member);
        self.push(" IN (");
        self.selected(rows.target, Some(reference), |text| text.condition(rows.target, &rows.test));
        self.push(")");
    }

    /// Writes the test for a related row that matches, by a search for the related rows of each
    /// row.
    pub(super) fn has_related<V>(&mut self, of: ResourceIx, rows: &RelatedRows<V>) {
        self.push("EXISTS (");
        self.related(of, rows);
        self.push(")");
    }

    /// Writes a subquery for the number of related rows that match. With this operator, it is
    /// compared with a value, and ends when it has more rows than that.
    pub(super) fn number_of_related<V>(
        &mut self,
        of: ResourceIx,
        rows: &RelatedRows<V>,
        compared: Option<Op>,
    ) {
        self.push("(SELECT count(*) FROM (");
        self.related(of, rows);
        if let Some(Op::Eq | Op::Ne | Op::Lt | Op::Lte | Op::Gt | Op::Gte) = compared {
            let number = self.coming_value();
            match self.dialect {
                Dialect::Sqlite => {
                    self.push(" LIMIT min(max(ifnull(");
                    self.parameter(number);
                    self.push(", -1), -1), ");
                }
                // `greatest` ignores NULL.
                Dialect::Postgres => {
                    self.push(" LIMIT least(greatest(CAST(");
                    self.parameter(number);
                    self.push(" AS bigint), -1), ");
                }
            }
            self.push(&format!("{COUNT_MAX}) + 1"));
        }
        self.push(") AS \"related\")");
    }

    /// Writes a selection of the related rows that match.
    fn related<V>(&mut self, of: ResourceIx, rows: &RelatedRows<V>) {
        let model = self.model;
        let member = self.member_of(of, rows);
        let reference = rows.field(model.resources(), of);
        self.selected(rows.target, None, |text| {
            text.column(&model[rows.target][reference]);
            text.push(" = ");
            text.push(&member);
            text.and_condition(rows.target, &rows.test);
        });
    }

    /// Returns the text of the id of the member whose related rows are meant.
    fn member_of<V>(&mut self, of: ResourceIx, rows: &RelatedRows<V>) -> String {
        let model = self.model;
        let mut path = rows.member(model.resources(), of);
        if self.is_of_rule() {
            path = path.to_last_reference(model.resources(), of);
        }
        self.part(|text| text.end_of(of, &path))
    }

    /// Writes a selection of one field of the rows of a resource that a condition matches, or of 1.
    /// A filter selects only rows that its caller may read.
    fn selected(
        &mut self,
        of: ResourceIx,
        field: Option<FieldIx>,
        condition: impl FnOnce(&mut Self),
    ) {
        let model = self.model;
        self.related_rows += 1;
        let alias = format!("r{}", self.related_rows);
        let outer = std::mem::replace(&mut self.row, alias.clone().into());
        self.of_subquery(false, |text| {
            text.push("SELECT ");
            match field {
                Some(field) => text.column(&model[of][field]),
                None => text.push("1"),
            }
            text.push(" FROM ");
            text.name(model[of].def.table);
            text.push(&format!(" AS {alias} WHERE "));
            condition(text);
            text.and_readable(of, alias);
        });
        self.row = outer;
        self.related_rows -= 1;
    }

    /// Writes ` AND` and the rule for a related row that a filter or a selection passes.
    pub(super) fn and_readable(&mut self, of: ResourceIx, alias: String) {
        if !self.is_of_rule() {
            self.of_subquery(false, |text| text.and_rule(RuleRow::Passed(of), alias.into()));
        }
    }
}
