//! The SQL conditions of access rules. A rule tests a row of a statement, or a row that this row
//! refers to, directly or through other rows.

use std::{borrow::Cow, mem};

use super::text::{SqlText, ValueSource};
use crate::{
    model::{
        FieldIx, FieldModel, ResourceIx,
        rule::{Rule, RuleTest},
    },
    plan::RuleRow,
};

impl SqlText<'_> {
    /// Whether an access rule tests this row.
    pub(super) fn has_rule(&self, tested: RuleRow) -> bool {
        self.rules.iter().any(|(row, ..)| *row == tested)
    }

    /// Writes ` AND` and the rule for a row, under the alias `row`. Writes nothing if there is no
    /// rule.
    pub(super) fn and_rule(&mut self, tested: RuleRow, row: Cow<'static, str>) {
        if self.has_rule(tested) {
            self.push(" AND ");
            self.rule(tested, row);
        }
    }

    /// Writes the rule for a row, under the alias `row`. The values of the rule have fixed
    /// parameter numbers, so the rule can be written several times.
    pub(super) fn rule(&mut self, tested: RuleRow, row: Cow<'static, str>) {
        let found = self.rules.iter().find(|(known_row, ..)| *known_row == tested);
        if let Some((_, rule, before)) = found.copied() {
            self.condition(rule, before, row);
        }
    }

    /// Writes a rule for the row with the alias `row`. `before` is the number of parameters before
    /// the rule's own.
    pub(super) fn condition(&mut self, rule: &Rule, before: usize, row: Cow<'static, str>) {
        let outer = mem::replace(&mut self.row, row);
        let source = mem::replace(&mut self.source, ValueSource::Rule(before));
        self.rule_test(rule.resource, &rule.test);
        (self.row, self.source) = (outer, source);
    }

    fn rule_test(&mut self, of: ResourceIx, test: &RuleTest) {
        match test {
            RuleTest::All(parts) => {
                self.joined(parts, " AND ", "TRUE", |text, part| text.rule_test(of, part));
            }
            RuleTest::Any(parts) => {
                self.joined(parts, " OR ", "FALSE", |text, part| text.rule_test(of, part));
            }
            RuleTest::Not(inner) => {
                self.push("((");
                self.rule_test(of, inner);
                self.push(") IS NOT TRUE)");
            }
            RuleTest::Given(_) => {
                let number = self.next_value();
                self.push("(");
                self.untyped(number);
                self.push(" IS NOT NULL)");
            }
            RuleTest::Field { path, field, op, .. } => {
                let end = self.follow(of, path);
                let model = self.model;
                self.test(&model[end][*field], *op);
                self.path.clear();
            }
        }
    }

    /// Appends references, starting from a resource, to the path that `column` follows. Returns the
    /// resource that the last reference refers to.
    fn follow(&mut self, of: ResourceIx, path: &[FieldIx]) -> ResourceIx {
        let model = self.model;
        path.iter().fold(of, |at, reference| {
            let field = &model[at][*reference];
            let target = field.target.expect("every field in the path of a rule is a reference");
            self.path.push((field.column, &model[target]));
            target
        })
    }

    /// Writes a subquery for a column of the row at the end of the path of references. The subquery
    /// is NULL if a reference on the path is NULL.
    pub(super) fn referred(&mut self, field: &FieldModel) {
        let path = mem::take(&mut self.path);
        self.push(&format!("(SELECT r{}.", path.len()));
        self.name(field.column);
        self.push(" FROM ");
        for (at, (column, resource)) in path.iter().enumerate() {
            if at > 0 {
                self.push(" JOIN ");
            }
            self.name(resource.def.table);
            self.push(&format!(" AS r{}", at + 1));
            if at > 0 {
                self.push(&format!(" ON r{}.\"id\" = r{at}.", at + 1));
                self.name(column);
            }
        }
        self.push(" WHERE r1.\"id\" = ");
        let row = self.row.clone();
        self.push(&row);
        self.push(".");
        if let Some((column, _)) = path.first() {
            self.name(column);
        }
        self.push(")");
        self.path = path;
    }
}
