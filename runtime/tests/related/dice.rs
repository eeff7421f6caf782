//! Random rows of the tables of schools, and random conditions on them.

use std::collections::BTreeMap;

use nouns_runtime::{
    Model,
    def::FieldKind,
    model::{
        ComparedSubjects, ComparisonOp, FieldIx, Path, RelatedRows, RelationIx, ResourceIx,
        TestSubject,
    },
    plan::Op,
    value::Value,
};

use super::{
    conditions::Names,
    tables::{Condition, Row},
};
use crate::{
    database::TestDatabase,
    random::Random,
    store::bed::{int, text},
};

/// The texts of random rows: few, so that conditions match some.
const TEXTS: [&str; 4] = ["a", "b", "B", "ab"];
/// The names of rows that must differ.
const NAMES: [&str; ROWS] = ["a", "b", "ab", "c", "d", "e"];
/// The number of rows of each table.
const ROWS: usize = 6;

/// Random rows and conditions.
pub(super) struct Dice<'m> {
    pub(super) names: Names<'m>,
    pub(super) random: Random,
}

impl Dice<'_> {
    fn number(&mut self, end: u64) -> i64 {
        self.random.below(end).try_into().unwrap()
    }

    fn text(&mut self) -> Value {
        text(self.random.of(&TEXTS).unwrap())
    }

    fn or_null(&mut self, value: Value) -> Value {
        if self.random.one_in(3) { Value::Null } else { value }
    }

    /// The values with which the rows of a resource are made, but for references.
    fn value(&mut self, of: ResourceIx, field: FieldIx, nth: usize) -> Option<Value> {
        let field = &self.names.0[of][field];
        let is_unique = field.def.is_some_and(|def| def.unique);
        let value = match (&*field.name, field.kind) {
            ("id", FieldKind::Uuid) => text(&format!("01890a5d-ac96-774b-bcce-b302099a{nth:04}")),
            ("id", _) => int(i64::try_from(nth).unwrap() + 1),
            ("name", _) if ["district", "school"].contains(&self.names.0[of].def.name) => {
                text(NAMES[nth])
            }
            _ if is_unique => text(&format!("{}{nth}", TEXTS[nth % TEXTS.len()])),
            ("name" | "nickname" | "email" | "code", _) => self.text(),
            ("year", _) => int(self.number(4) + 1),
            _ => return None,
        };
        Some(if field.required { value } else { self.or_null(value) })
    }

    /// A field with a text or a whole number, at the end of a path or not.
    fn subject(&mut self, of: ResourceIx, depth: u64) -> (TestSubject<Vec<Value>>, bool) {
        if depth < 3
            && self.random.one_in(5)
            && let Some(rows) = self.rows(of, depth)
        {
            return (TestSubject::Count(rows), true);
        }
        let (steps, end) = self.steps(of);
        let resource = &self.names.0[end];
        let fields: Vec<_> = FIELDS.into_iter().filter_map(|name| resource.field(name)).collect();
        let fits = |ix: &&FieldIx| resource[**ix].kind != FieldKind::Uuid;
        let fields: Vec<_> = fields.iter().filter(fits).collect();
        let field = **self.random.of(&fields).unwrap();
        let is_number = resource[field].kind != FieldKind::String;
        (Path { steps: steps.into(), end, field }.into(), is_number)
    }

    /// Up to three relations to one row each.
    pub(super) fn steps(&mut self, of: ResourceIx) -> (Vec<RelationIx>, ResourceIx) {
        let (mut steps, mut at) = (vec![], of);
        while steps.len() < 3 && !self.random.one_in(2) {
            let Some((step, target)) = self.random.of(&self.names.relations(at, false)).copied()
            else {
                break;
            };
            steps.push(step);
            at = target;
        }
        (steps, at)
    }

    fn rows(&mut self, of: ResourceIx, depth: u64) -> Option<Box<RelatedRows<Vec<Value>>>> {
        let (steps, end) = self.steps(of);
        let tables = |target| USED.iter().any(|name| self.names.resource(name) == target);
        let mut relations = self.names.relations(end, true);
        relations.retain(|(_, target)| tables(*target));
        let (relation, target) = self.random.of(&relations).copied()?;
        let test = self.condition(target, depth + 1);
        Some(Box::new(RelatedRows { steps: steps.into(), relation, target, test }))
    }

    pub(super) fn condition(&mut self, of: ResourceIx, depth: u64) -> Condition {
        let count = self.random.below(3);
        let parts = |dice: &mut Self| (0..=count).map(|_| dice.condition(of, depth + 1)).collect();
        match self.random.below(9 + 2 * depth) {
            0 => Condition::All(parts(self)),
            1 => Condition::Any(parts(self)),
            2 => Condition::Not(Box::new(self.condition(of, depth + 1))),
            3 | 4 => match self.rows(of, depth) {
                Some(rows) => Condition::Related(rows),
                None => Condition::EVERY,
            },
            5 => self.compared(of, depth),
            _ => self.test(of, depth),
        }
    }

    fn compared(&mut self, of: ResourceIx, depth: u64) -> Condition {
        let (left, is_number) = self.subject(of, depth);
        let (right, same) = self.subject(of, depth);
        if is_number != same {
            return self.test(of, depth);
        }
        let all = [ComparisonOp::Equal, ComparisonOp::Less, ComparisonOp::LessOrEqual];
        let comparison = *self.random.of(&all).unwrap();
        Condition::Compared(Box::new(ComparedSubjects { left, comparison, right }))
    }

    fn test(&mut self, of: ResourceIx, depth: u64) -> Condition {
        let (subject, is_number) = self.subject(of, depth);
        let numbers = [
            Op::Eq,
            Op::Ne,
            Op::Lt,
            Op::Lte,
            Op::Gt,
            Op::Gte,
            Op::In(2),
            Op::NotIn(2),
            Op::Between,
            Op::Null,
            Op::NotNull,
        ];
        let texts = [Op::Contains, Op::StartsWith, Op::EndsWith];
        let op = match is_number || !self.random.one_in(5) {
            true => *self.random.of(&numbers).unwrap(),
            false => *self.random.of(&texts).unwrap(),
        };
        let count = match op {
            Op::Null | Op::NotNull => 0,
            Op::In(_) | Op::NotIn(_) | Op::Between => 2,
            _ => 1,
        };
        let value = |_| match is_number {
            true => int(self.number(5) - 1),
            false => text(self.random.of(&["a", "b", "B", "ab", "a0", "B2"]).unwrap()),
        };
        Condition::Test { subject, op, values: (0..count).map(value).collect() }
    }
}

/// The tables of the test, parents first.
pub(super) const USED: [&str; 5] = ["district", "school", "teacher", "class", "pupil"];
/// The fields that conditions test.
pub(super) const FIELDS: [&str; 6] = ["name", "year", "nickname", "email", "code", "id"];

/// Fills the tables with random rows. References to rows that come later are set at the end.
pub(super) fn fill(dice: &mut Dice<'_>, database: &TestDatabase) -> BTreeMap<ResourceIx, Vec<Row>> {
    let model = dice.names.0;
    let mut tables: BTreeMap<ResourceIx, Vec<Row>> = BTreeMap::new();
    let used: Vec<_> = USED.iter().map(|name| dice.names.resource(name)).collect();
    for of in used.iter().copied() {
        for nth in 0..ROWS {
            let fields = model[of].indexed();
            let row = fields.filter_map(|(ix, _)| Some((ix, dice.value(of, ix, nth)?))).collect();
            tables.entry(of).or_default().push(row);
        }
    }
    let ids = |tables: &BTreeMap<ResourceIx, Vec<Row>>, of: ResourceIx| -> Vec<Value> {
        tables[&of].iter().map(|row| row[&FieldIx::ID].clone()).collect()
    };
    let mut later = String::new();
    for of in used {
        let mut script = String::new();
        for nth in 0..ROWS {
            let mut late = vec![];
            for (ix, field) in model[of].indexed() {
                let Some(target) = field.target else { continue };
                let target_ids = ids(&tables, target);
                let own = dice.random.of(&target_ids).unwrap().clone();
                let id = if field.required { own } else { dice.or_null(own) };
                // Such a reference may lead to a row that comes later.
                let is_late = !field.required;
                tables.get_mut(&of).unwrap()[nth].insert(ix, id.clone());
                late.extend(is_late.then_some((ix, id)));
            }
            let row = &tables[&of][nth];
            let now = |ix: &FieldIx| late.iter().all(|(late, _)| late != ix);
            script.push_str(&inserted(model, of, row.iter().filter(|(ix, _)| now(ix))));
            for (ix, id) in &late {
                later.push_str(&format!(
                    "UPDATE {} SET {} = {} WHERE id = {};\n",
                    model[of].def.table,
                    model[of][*ix].column,
                    literal(id),
                    literal(&row[&FieldIx::ID]),
                ));
            }
        }
        database.run(&script);
    }
    database.run(&later);
    tables
}

fn inserted<'r>(
    model: &Model,
    of: ResourceIx,
    row: impl Iterator<Item = (&'r FieldIx, &'r Value)>,
) -> String {
    let time = "'2026-01-01T00:00:00.000000Z'".to_owned();
    let mut cells: Vec<_> = row
        .map(|(ix, value)| (model[of][*ix].column.to_owned(), literal(value)))
        .chain(["created_at", "updated_at"].map(|name| (name.to_owned(), time.clone())))
        .collect();
    let extra = match model[of].def.name {
        "school" => Some(("budget", "0")),
        "teacher" => Some(("full_time", "true")),
        _ => None,
    };
    cells.extend(extra.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let (columns, values): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
    let table = model[of].def.table;
    format!("INSERT INTO {table} ({}) VALUES ({});\n", columns.join(", "), values.join(", "))
}

pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => format!("'{text}'"),
        _ => "NULL".into(),
    }
}
