//! The SQL conditions of filters and access rules. A condition tests a row of a statement, or a row
//! that this row refers to, directly or through other rows. A comparison with NULL counts as false,
//! so its negation by `Not` is true.

use std::{borrow::Cow, mem};

use super::{
    Dialect,
    text::{SqlText, ValueSource},
};
use crate::{
    model::{ConditionTree, FieldModel, Path, ResourceIx, TestSubject, rule::Rule},
    plan::{Filter, Op, RuleRow},
};

impl SqlText<'_> {
    /// Writes ` AND` and the condition of a filter. Writes nothing if every member matches.
    pub(super) fn and_filter(&mut self, filter: &Filter) {
        if !filter.is_every() {
            self.push(" AND ");
            self.filter(filter);
        }
    }

    /// Writes the condition of a filter. The condition needs no parentheses beside `AND`. A text
    /// may contain the same filter several times.
    pub(super) fn filter(&mut self, filter: &Filter) {
        self.source = ValueSource::Condition(0);
        self.condition(self.place.resource, filter);
    }

    /// Writes a condition on the current row, which is one of this resource.
    fn condition<V>(&mut self, of: ResourceIx, tree: &ConditionTree<V>) {
        match tree {
            ConditionTree::All(parts) => {
                self.joined(parts, " AND ", "TRUE", |text, part| text.condition(of, part));
            }
            ConditionTree::Any(parts) => {
                self.joined(parts, " OR ", "FALSE", |text, part| text.condition(of, part));
            }
            ConditionTree::Not(part) => {
                self.push("((");
                self.condition(of, part);
                self.push(") IS NOT TRUE)");
            }
            ConditionTree::Given(_) => {
                let number = self.next_value();
                self.push("(");
                self.untyped(number);
                self.push(" IS NOT NULL)");
            }
            ConditionTree::Test { subject: TestSubject::Field(field), op, .. } => {
                let model = self.model;
                self.test(&model[of][*field], *op);
            }
            ConditionTree::Test { subject: TestSubject::Path(path), op, .. } => {
                self.follow(of, path);
                let model = self.model;
                self.test(&model[path.end][path.field], *op);
                self.path.clear();
            }
        }
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

    /// Sets the path that `column` follows from the current row.
    fn follow(&mut self, of: ResourceIx, path: &Path) {
        let (model, mut at) = (self.model, of);
        for (reference, target) in path.references(model.resources(), of) {
            self.path.push((model[at][reference].column, &model[target]));
            at = target;
        }
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

    /// Writes the condition that tests a field of the current row.
    pub(super) fn test(&mut self, field: &FieldModel, op: Op) {
        match op {
            Op::Eq => self.compared(field, " = "),
            Op::Ne => self.compared(field, self.distinct()),
            Op::Lt => self.compared(field, " < "),
            Op::Lte => self.compared(field, " <= "),
            Op::Gt => self.compared(field, " > "),
            Op::Gte => self.compared(field, " >= "),
            Op::In(0) => self.push("FALSE"),
            Op::In(count) => self.one_of(field, " IN (", count),
            Op::NotIn(0) => self.push("TRUE"),
            Op::NotIn(count) => self.none_of(field, count),
            Op::Contains => self.contains(field),
            Op::StartsWith => self.starts_with(field),
            Op::EndsWith => self.ends_with(field),
            Op::Between => self.between(field),
            Op::Null => self.null(field, " IS NULL"),
            Op::NotNull => self.null(field, " IS NOT NULL"),
        }
    }

    const fn distinct(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => " IS NOT ",
            Dialect::Postgres => " IS DISTINCT FROM ",
        }
    }

    fn compared(&mut self, field: &FieldModel, operator: &str) {
        self.comparable(field);
        self.push(operator);
        self.value(field);
    }

    fn one_of(&mut self, field: &FieldModel, operator: &str, count: u16) {
        self.comparable(field);
        self.push(operator);
        self.separated(", ", 0..count, |text, _| text.value(field));
        self.push(")");
    }

    fn none_of(&mut self, field: &FieldModel, count: u16) {
        self.push("(");
        self.null(field, " IS NULL OR ");
        self.one_of(field, " NOT IN (", count);
        self.push(")");
    }

    /// Writes `BETWEEN` as two comparisons, so that an index can serve either of them.
    fn between(&mut self, field: &FieldModel) {
        self.push("(");
        self.compared(field, " >= ");
        self.push(" AND ");
        self.compared(field, " <= ");
        self.push(")");
    }

    fn null(&mut self, field: &FieldModel, test: &str) {
        self.column(field);
        self.push(test);
    }

    /// Writes a column so that it compares as declared: SQLite uses the column's collation,
    /// PostgreSQL uses `lower(…)` if case is ignored.
    pub(super) fn comparable(&mut self, field: &FieldModel) {
        match self.dialect {
            Dialect::Sqlite => {
                self.column(field);
                // The result of a subquery does not have the collation of its column.
                let is_lost = field.ignore_case && !self.path.is_empty();
                self.push(if is_lost { " COLLATE NOCASE" } else { "" });
            }
            Dialect::Postgres => self.folded(field),
        }
    }

    /// Writes the next parameter, so that it can be compared with this column.
    fn value(&mut self, field: &FieldModel) {
        let number = self.next_value();
        self.comparable_value(field, number);
    }

    /// Writes the parameter with this number, so that it can be compared with this column.
    pub(super) fn comparable_value(&mut self, field: &FieldModel, number: usize) {
        match self.dialect {
            Dialect::Sqlite => self.parameter(number),
            Dialect::Postgres => self.folded_value(field, number),
        }
    }

    /// Writes a column, inside `lower(…)` if its case is ignored. In either dialect `lower` changes
    /// only ASCII letters.
    fn folded(&mut self, field: &FieldModel) {
        if !field.ignore_case {
            return self.column(field);
        }
        self.push("lower(");
        self.column(field);
        self.push(match self.dialect {
            Dialect::Sqlite => ")",
            Dialect::Postgres => " COLLATE \"C\")",
        });
    }

    fn folded_value(&mut self, field: &FieldModel, number: usize) {
        if !field.ignore_case {
            return self.field_value(field.kind, number);
        }
        self.push("lower(");
        self.parameter(number);
        self.push(match self.dialect {
            Dialect::Sqlite => ")",
            Dialect::Postgres => " COLLATE \"C\")",
        });
    }

    /// Writes a substring test. In either dialect every text contains the empty text.
    fn contains(&mut self, field: &FieldModel) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("instr(");
                self.folded(field);
                self.push(", ");
                self.folded_value(field, number);
            }
            Dialect::Postgres => {
                self.push("position(");
                self.folded_value(field, number);
                self.push(" IN ");
                self.folded(field);
            }
        }
        self.push(") > 0");
    }

    fn starts_with(&mut self, field: &FieldModel) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("substr(");
                self.folded(field);
                self.push(", 1, length(");
                self.parameter(number);
                self.push(")) = ");
            }
            Dialect::Postgres => {
                self.push("left(");
                self.folded(field);
                self.push(", char_length(");
                self.parameter(number);
                self.push(")) = ");
            }
        }
        self.folded_value(field, number);
    }

    /// Writes a suffix test. In SQLite, `substr` gets a start that is counted from the beginning of
    /// the text. A start counted from the end would fail for an empty suffix: `substr(text, -0)`
    /// returns the whole text.
    fn ends_with(&mut self, field: &FieldModel) {
        let number = self.next_value();
        match self.dialect {
            Dialect::Sqlite => {
                self.push("substr(");
                self.folded(field);
                self.push(", length(");
                self.column(field);
                self.push(") - length(");
                self.parameter(number);
                self.push(") + 1) = ");
            }
            Dialect::Postgres => {
                self.push("right(");
                self.folded(field);
                self.push(", char_length(");
                self.parameter(number);
                self.push(")) = ");
            }
        }
        self.folded_value(field, number);
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
