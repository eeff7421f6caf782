//! Random conditions over relations find the rows of a model without SQL.

use std::{collections::BTreeMap, sync::Arc};

use nouns_runtime::{
    Model, Store,
    identify::Caller,
    model::{
        Chain, FieldIx, ResourceIx, RuleSet, TestSubject,
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
    },
    plan::{Ends, Filter, Op, Outcome, Part, Shape, Step, View},
    value::Value,
};

use super::{
    conditions::Names,
    dice::{Dice, USED, fill, literal},
    tables::{Condition, Row, Tables},
};
use crate::{
    random::{Random, env_number, seed},
    store::bed::{Bed, int, json, options, text},
};

/// Reads of the rows that a condition matches.
struct Reads<'b> {
    bed: &'b Bed,
    set: RuleSet,
    of: ResourceIx,
    condition: &'b Condition,
}

impl Reads<'_> {
    /// The ids of the rows that match below members, as one page.
    fn found(&self, above: &[Value]) -> Vec<String> {
        let (mut ids, _) = self.page(above, Part::First, &[], 100);
        let (first, ends) = self.page(above, Part::First, &[], 1);
        if let Some(place) = ends.last {
            let (rest, _) = self.page(above, Part::Later, &place, 100);
            assert_eq!([first, rest].concat(), ids, "{:#?}", self.condition);
        }
        ids.sort();
        ids
    }

    fn page(&self, above: &[Value], part: Part, from: &[Value], limit: i64) -> (Vec<String>, Ends) {
        let place = Chain { resource: self.of, ids: above.to_vec() }.place(self.set);
        let (filter, tested) = self.condition.split();
        let sort = self.bed.model[self.of].sort.to_vec();
        let decides =
            |at: usize| sort[at].field == FieldIx::ID || !is_fixed(&filter, sort[at].field);
        let bound: Vec<_> =
            from.iter().enumerate().map(|(at, value)| !value.is_null() && decides(at)).collect();
        let cursor = from.iter().zip(&bound).filter(|(_, bound)| **bound).map(|(value, _)| value);
        let values = above.iter().chain(cursor).chain(&tested).cloned();
        let values = values.chain([int(limit), int(0)]).collect();
        let shape =
            Shape::List { place, filter, sort, selection: View::Shown.into(), part, beyond: bound };
        let result = self.bed.read(&self.bed.plan(vec![Step { shape, values }]));
        let Outcome::Page { ends, .. } = result.outcome else {
            panic!("a list must return a page, not {:?}", result.outcome)
        };
        let rows = json(result.sink);
        (rows.as_array().unwrap().iter().map(|row| row["id"].to_string()).collect(), ends)
    }
}

/// Whether all rows that match a filter have the same value in a field.
fn is_fixed(filter: &Filter, field: FieldIx) -> bool {
    match filter {
        Filter::All(parts) => parts.iter().any(|part| is_fixed(part, field)),
        Filter::Test { subject: TestSubject::Field(tested), op: Op::Eq | Op::Null, .. } => {
            *tested == field
        }
        _ => false,
    }
}

/// The ids of the rows that match, as the model says.
fn expected(tables: &Tables<'_>, of: ResourceIx, matches: impl Fn(&Row) -> bool) -> Vec<String> {
    let rows = tables.rows[&of].iter().filter(|row| matches(row));
    let id = |row: &Row| match &row[&FieldIx::ID] {
        Value::Text(text) => format!("\"{text}\""),
        value => literal(value),
    };
    let mut ids: Vec<_> = rows.map(id).collect();
    ids.sort();
    ids
}

/// A model in which rules hide the rows of these names.
pub(super) fn hiding(hidden: &BTreeMap<ResourceIx, &'static str>) -> Arc<Model> {
    let model = crate::sql::text::model();
    let rules = model.resources().iter().map(|resource| {
        let Some(name) = hidden.get(&resource.ix) else { return ResourceRules::default() };
        let values = vec![RuleValue::Fixed(text(name))];
        let subject = resource.field("name").unwrap().into();
        let test = RuleTest::Not(Box::new(RuleTest::Test { subject, op: Op::Eq, values }));
        let read = Some(Rule::new(&model, resource.ix, test));
        ResourceRules { read, ..ResourceRules::default() }
    });
    let rules = rules.collect();
    Arc::new(model.with_rules(rules))
}

/// A bed for another model of the same database.
fn bed_of(bed: &Bed, model: &Arc<Model>) -> Store {
    Store::open(model, &options(bed.database.location())).unwrap().0
}

#[test]
fn filters_over_relations_find_the_rows_of_a_model() {
    let mut bed = Bed::new();
    let mut random = Random::new(seed("NOUNS_CONDITION_SEED"));
    let rounds = env_number("NOUNS_CONDITION_ROUNDS", 150);
    let open = Arc::clone(&bed.model);
    let mut dice = Dice { names: Names(&open), random: random.clone() };
    let rows = fill(&mut dice, &bed.database);
    let hidden: BTreeMap<_, _> = [("teacher", "a"), ("class", "b"), ("district", "ab")]
        .map(|(name, hidden)| (dice.names.resource(name), hidden))
        .into();
    for hidden in [BTreeMap::new(), hidden] {
        let model = hiding(&hidden);
        bed.store = bed_of(&bed, &model);
        bed.model = Arc::clone(&model);
        let tables = Tables { model: &model, rows: rows.clone(), hidden };
        let mut dice = Dice { names: Names(&model), random: random.clone() };
        for _ in 0..rounds {
            let of = dice.names.resource(dice.random.of(&USED).unwrap());
            let condition = dice.condition(of, 0);
            let matches = |row: &Row| tables.shows(of, row) && tables.matches(of, row, &condition);
            let set = Caller::Anonymous.rules(&model);
            let reads = Reads { bed: &bed, set, of, condition: &condition };
            let right = expected(&tables, of, matches);
            assert_eq!(reads.found(&[]), right, "{condition:#?}");
            let Some((parent, field)) = model[of].parent else { continue };
            for above in rows[&parent].iter().filter(|above| tables.shows(parent, above)).take(2) {
                let ids = tables.chain(parent, above);
                let is_below = |row: &Row| Some(&row[&field]) == ids.last() && matches(row);
                let right = expected(&tables, of, is_below);
                assert_eq!(reads.found(&ids), right, "{condition:#?}");
            }
        }
        random.next();
    }
}

/// A rule passes rows that its caller may not read, and members below inherit it.
#[test]
fn rules_over_relations_hide_the_rows_of_a_model() {
    let mut bed = Bed::new();
    let random = Random::new(seed("NOUNS_CONDITION_SEED"));
    let open = Arc::clone(&bed.model);
    let mut dice = Dice { names: Names(&open), random };
    let rows = fill(&mut dice, &bed.database);
    let tables = Tables { model: &open, rows, hidden: BTreeMap::new() };
    for _ in 0..env_number("NOUNS_CONDITION_ROUNDS", 150) / 10 {
        let [school, teacher] = ["school", "teacher"].map(|name| dice.names.resource(name));
        let condition = dice.condition(school, 0);
        let test = condition.map(&|values: &Vec<Value>| {
            values.iter().cloned().map(RuleValue::Fixed).collect::<Vec<_>>()
        });
        let model = crate::sql::text::model();
        // The rule of classes hides them all, which must not matter to a rule that passes them.
        let rules = model.resources().iter().map(|one| {
            let read = match one.def.name {
                "school" => Some(Rule::new(&model, school, test.clone())),
                "class" => Some(Rule::new(&model, one.ix, RuleTest::NONE)),
                _ => None,
            };
            ResourceRules { read, ..ResourceRules::default() }
        });
        let rules = rules.collect();
        let model = Arc::new(model.with_rules(rules));
        (bed.store, bed.model) = (bed_of(&bed, &model), Arc::clone(&model));
        let set = Caller::Anonymous.rules(&model);
        let matches = |row: &Row| tables.matches(school, row, &condition);
        let right = expected(&tables, school, matches);
        let every = Condition::EVERY;
        let reads = |of| Reads { bed: &bed, set, of, condition: &every };
        assert_eq!(reads(school).found(&[]), right, "{condition:#?}");
        let field = open[teacher].parent.unwrap().1;
        let below = |row: &Row| matches(tables.with_id(school, &row[&field]).unwrap());
        let right = expected(&tables, teacher, below);
        assert_eq!(reads(teacher).found(&[]), right, "{condition:#?}");
    }
}
