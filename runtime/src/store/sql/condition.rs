//! The SQL conditions of filters and access rules. A condition tests a row of a statement, and rows
//! that are related to it, directly or through other rows. A comparison with NULL counts as false,
//! so its negation by `Not` is true.
//!
//! A rule passes related rows with the rights of the server. A filter passes those that its caller
//! may read; for all others, a reference to them is null.

use std::{borrow::Cow, mem};

use super::{
    operand::Comparing,
    text::{SqlText, ValueSource},
};
use crate::{
    model::{ComparedSubjects, ComparisonOp, ConditionTree, ResourceIx, TestSubject, rule::Rule},
    plan::{Filter, RuleRow},
};

impl SqlText<'_> {
    /// Writes ` AND` and the condition of a filter. Writes nothing if every member matches.
    pub(super) fn and_filter(&mut self, filter: &Filter) {
        self.source = ValueSource::Condition(0);
        self.and_condition(self.place.resource, filter);
    }

    /// Writes the condition of a filter. The condition needs no parentheses beside `AND`. A text
    /// may contain the same filter several times.
    pub(super) fn filter(&mut self, filter: &Filter) {
        self.source = ValueSource::Condition(0);
        self.condition(self.place.resource, filter);
    }

    /// Writes ` AND` and a condition on the current row. Writes nothing if every row matches.
    pub(super) fn and_condition<V>(&mut self, of: ResourceIx, tree: &ConditionTree<V>) {
        if !tree.is_every() {
            self.push(" AND ");
            self.condition(of, tree);
        }
    }

    /// Writes a condition on the current row, which is one of this resource.
    pub(super) fn condition<V>(&mut self, of: ResourceIx, tree: &ConditionTree<V>) {
        let model = self.model;
        match tree {
            ConditionTree::All(parts) => {
                self.joined(parts, " AND ", "TRUE", |text, part| text.condition(of, part));
            }
            ConditionTree::Any(parts) => {
                self.joined(parts, " OR ", "FALSE", |text, part| text.condition(of, part));
            }
            ConditionTree::Not(part) => match part.as_ref() {
                ConditionTree::Related(rows) => {
                    self.push("NOT ");
                    self.has_related(of, rows);
                }
                part => {
                    self.push("((");
                    self.condition(of, part);
                    self.push(") IS NOT TRUE)");
                }
            },
            ConditionTree::Given(_) => {
                let number = self.next_value();
                self.push("(");
                self.untyped(number);
                self.push(" IS NOT NULL)");
            }
            ConditionTree::Test { subject: TestSubject::Field(field), op, .. } => {
                self.test(&model[of][*field], *op);
            }
            ConditionTree::Test { subject: TestSubject::Path(path), op, .. } => {
                self.path_test(of, path, *op);
            }
            ConditionTree::Test { subject: TestSubject::Count(rows), op, .. } => {
                let count = self.part(|text| text.number_of_related(of, rows, Some(*op)));
                self.test(Comparing::COUNTS.expression(&count), *op);
            }
            ConditionTree::Compared(compared) => self.compared_subjects(of, compared),
            ConditionTree::Related(rows) => self.any_related(of, rows),
        }
    }

    /// Writes the comparison of two values of the current row.
    fn compared_subjects<V>(&mut self, of: ResourceIx, compared: &ComparedSubjects<V>) {
        let [left, right] = [&compared.left, &compared.right];
        let comparing = self.comparing(of, left).with(self.comparing(of, right));
        let [left, right] = [left, right].map(|side| self.part(|text| text.subject(of, side)));
        self.push("(");
        self.comparable(comparing.expression(&left));
        self.push(match compared.comparison {
            ComparisonOp::Equal => " = ",
            ComparisonOp::Less => " < ",
            ComparisonOp::LessOrEqual => " <= ",
        });
        self.comparable(comparing.expression(&right));
        self.push(")");
    }

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
            self.rule_of(rule, before, row);
        }
    }

    /// Writes a rule for the row with the alias `row`. `before` is the number of parameters before
    /// the rule's own.
    pub(super) fn rule_of(&mut self, rule: &Rule, before: usize, row: Cow<'static, str>) {
        let outer = mem::replace(&mut self.row, row);
        let source = mem::replace(&mut self.source, ValueSource::Rule(before));
        self.condition(rule.resource, &rule.test);
        (self.row, self.source) = (outer, source);
    }

    /// Writes the parts of a condition with `joint` between them. Writes `none` if there are no
    /// parts.
    pub(super) fn joined<T>(
        &mut self,
        of: &[T],
        joint: &str,
        none: &str,
        mut each: impl FnMut(&mut Self, &T),
    ) {
        match of {
            [] => self.push(none),
            [only] => each(self, only),
            many => {
                self.push("(");
                self.separated(joint, many, each);
                self.push(")");
            }
        }
    }
}
