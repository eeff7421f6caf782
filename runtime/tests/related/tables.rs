//! A model of tables without SQL: the rows that match a condition, and those that a caller may
//! read.

use std::{cmp::Ordering, collections::BTreeMap};

use nouns_runtime::{
    Model,
    model::{
        ComparedSubjects, ComparisonOp, ConditionTree, FieldIx, RelatedRows, RelationIx,
        ResourceIx, TestSubject,
    },
    plan::Op,
    value::Value,
};

use crate::store::bed::{int, text};

pub(super) type Condition = ConditionTree<Vec<Value>>;
pub(super) type Row = BTreeMap<FieldIx, Value>;

/// The tables, and the rule for the rows that the caller may read, if there is one.
pub(super) struct Tables<'m> {
    pub(super) model: &'m Model,
    pub(super) rows: BTreeMap<ResourceIx, Vec<Row>>,
    /// For each resource with a rule, the name that hides its rows.
    pub(super) hidden: BTreeMap<ResourceIx, &'static str>,
}

impl Tables<'_> {
    /// Whether the caller may read a row: no rule hides it, nor a row above it.
    pub(super) fn shows(&self, of: ResourceIx, row: &Row) -> bool {
        let name = self.model[of].field("name").and_then(|name| row.get(&name));
        let own = self.hidden.get(&of).is_none_or(|hidden| name != Some(&text(hidden)));
        let above = self.model[of].parent.is_none_or(|(parent, field)| {
            self.with_id(parent, &row[&field]).is_some_and(|row| self.shows(parent, row))
        });
        own && above
    }

    pub(super) fn with_id(&self, of: ResourceIx, id: &Value) -> Option<&Row> {
        self.rows[&of].iter().find(|row| row[&FieldIx::ID] == *id)
    }

    /// The ids in the URL of a row, the outermost first.
    pub(super) fn chain(&self, of: ResourceIx, row: &Row) -> Vec<Value> {
        let above = self.model[of].parent.and_then(|(parent, field)| {
            Some(self.chain(parent, self.with_id(parent, &row[&field])?))
        });
        above.unwrap_or_default().into_iter().chain([row[&FieldIx::ID].clone()]).collect()
    }

    /// The row that steps lead to, if all references lead to rows that are shown.
    pub(super) fn follow<'t>(
        &'t self,
        of: ResourceIx,
        row: &'t Row,
        steps: &[RelationIx],
    ) -> Option<(ResourceIx, &'t Row)> {
        let (mut at, mut row) = (of, row);
        for step in steps {
            let relation = &self.model[at][*step];
            row = self.with_id(relation.target, &row[&relation.field()])?;
            at = relation.target;
            if !self.shows(at, row) {
                return None;
            }
        }
        Some((at, row))
    }

    /// The related rows that match.
    fn related(&self, of: ResourceIx, row: &Row, rows: &RelatedRows<Vec<Value>>) -> usize {
        let Some((at, member)) = self.follow(of, row, &rows.steps) else { return 0 };
        let relation = &self.model[at][rows.relation];
        let belongs = |row: &&Row| row[&relation.field()] == member[&FieldIx::ID];
        let shown = |row: &&Row| self.shows(rows.target, row);
        let matches = |row: &&Row| self.matches(rows.target, row, &rows.test);
        self.rows[&rows.target].iter().filter(belongs).filter(shown).filter(matches).count()
    }

    fn value(&self, of: ResourceIx, row: &Row, subject: &TestSubject<Vec<Value>>) -> Value {
        match subject {
            TestSubject::Field(field) => row[field].clone(),
            TestSubject::Path(path) => {
                let found = self.follow(of, row, &path.steps);
                found.map_or(Value::Null, |(_, row)| row[&path.field].clone())
            }
            TestSubject::Count(rows) => int(self.related(of, row, rows).try_into().unwrap()),
        }
    }

    fn ignores_case(&self, of: ResourceIx, subject: &TestSubject<Vec<Value>>) -> bool {
        match subject {
            TestSubject::Field(field) => self.model[of][*field].ignore_case,
            TestSubject::Path(path) => self.model[path.end][path.field].ignore_case,
            TestSubject::Count(_) => false,
        }
    }

    pub(super) fn matches(&self, of: ResourceIx, row: &Row, condition: &Condition) -> bool {
        match condition {
            Condition::All(parts) => parts.iter().all(|part| self.matches(of, row, part)),
            Condition::Any(parts) => parts.iter().any(|part| self.matches(of, row, part)),
            Condition::Not(part) => !self.matches(of, row, part),
            Condition::Given(_) => panic!("only rules have such a test"),
            Condition::Related(rows) => self.related(of, row, rows) > 0,
            Condition::Compared(compared) => {
                let ComparedSubjects { left, comparison, right } = compared.as_ref();
                let fold = self.ignores_case(of, left) || self.ignores_case(of, right);
                let [left, right] = [left, right].map(|side| self.value(of, row, side));
                order(&left, &right, fold).is_some_and(|order| match comparison {
                    ComparisonOp::Equal => order.is_eq(),
                    ComparisonOp::Less => order.is_lt(),
                    ComparisonOp::LessOrEqual => order.is_le(),
                })
            }
            Condition::Test { subject, op, values } => {
                let fold = self.ignores_case(of, subject);
                holds(&self.value(of, row, subject), *op, values, fold)
            }
        }
    }
}

/// The order of two values. `None` if one of them is null.
pub(super) fn order(one: &Value, other: &Value, fold: bool) -> Option<Ordering> {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => Some(one.cmp(other)),
        (Value::Text(one), Value::Text(other)) if fold => {
            Some(one.to_ascii_lowercase().cmp(&other.to_ascii_lowercase()))
        }
        (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

fn holds(value: &Value, op: Op, values: &[Value], fold: bool) -> bool {
    let is =
        |at: usize, fits: fn(Ordering) -> bool| order(value, &values[at], fold).is_some_and(fits);
    let has = |test: fn(&str, &str) -> bool| match (value, values.first()) {
        (Value::Text(one), Some(Value::Text(other))) if fold => {
            test(&one.to_ascii_lowercase(), &other.to_ascii_lowercase())
        }
        (Value::Text(one), Some(Value::Text(other))) => test(one, other),
        _ => false,
    };
    match op {
        Op::Eq | Op::In(_) => (0..values.len()).any(|at| is(at, Ordering::is_eq)),
        Op::Ne | Op::NotIn(_) => !(0..values.len()).any(|at| is(at, Ordering::is_eq)),
        Op::Lt => is(0, Ordering::is_lt),
        Op::Lte => is(0, Ordering::is_le),
        Op::Gt => is(0, Ordering::is_gt),
        Op::Gte => is(0, Ordering::is_ge),
        Op::Between => is(0, Ordering::is_ge) && is(1, Ordering::is_le),
        Op::Null => *value == Value::Null,
        Op::NotNull => *value != Value::Null,
        Op::Contains => has(|text, part| text.contains(part)),
        Op::StartsWith => has(|text, part| text.starts_with(part)),
        Op::EndsWith => has(|text, part| text.ends_with(part)),
    }
}
