//! Members that come with a row: random selections are compared with those of a model without SQL,
//! on whole pages, by cursors in both directions, below members, and of one member.

use std::{collections::BTreeMap, sync::Arc};

use nouns_runtime::{
    identify::Caller,
    model::{
        Chain, FieldIx, Layout, Path, RelatedSelection, RelationIx, ResourceIx, RuleSet, Selection,
        def::FieldKind,
    },
    plan::{Ends, Filter, Outcome, Part, Shape, Step, View},
    sink::{CsvSink, JsonSink, NdjsonSink, Sink},
    value::Value,
};
use serde_json::{Map, Value as Json};

use super::{
    conditions::Names,
    dice::{Dice, FIELDS, USED, fill},
    rows::hiding,
    tables::{Row, Tables},
};
use crate::{
    random::{Random, env_number, seed},
    store::bed::{Bed, int, json, options, text, wait},
};

impl Dice<'_> {
    /// Up to two members, each with others.
    fn related(&mut self, of: ResourceIx, depth: u32) -> Vec<RelatedSelection> {
        let mut relations = self.names.relations(of, false);
        let count = if depth < 3 { self.random.below(3) } else { 0 };
        let mut related = vec![];
        for _ in 0..count {
            let Some((relation, target)) = self.random.of(&relations).copied() else { break };
            relations.retain(|(other, _)| *other != relation);
            let resource = &self.names.0[target];
            let known = FIELDS.into_iter().filter_map(|name| resource.field(name));
            let fields = known.filter(|_| !self.random.one_in(3)).collect();
            let related_of = self.related(target, depth + 1);
            related.push(RelatedSelection {
                relation,
                fields,
                length_max: None,
                related: related_of,
            });
        }
        related
    }
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::Integer(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        _ => Json::Null,
    }
}

impl Tables<'_> {
    /// The members that come with a row, as they are rendered.
    fn rendered(
        &self,
        of: ResourceIx,
        row: &Row,
        related: &[RelatedSelection],
        to: &mut Map<String, Json>,
    ) {
        for one in related {
            let relation = &self.model[of][one.relation];
            let steps: [RelationIx; 1] = [one.relation];
            let member = self.follow(of, row, &steps).map(|(target, row)| {
                let mut member = Map::new();
                for field in &one.fields {
                    let name = self.model[target][*field].name.to_string();
                    let is_string = self.model[target][*field].kind == FieldKind::String;
                    let value = match (json_of(&row[field]), one.length_max) {
                        (Json::String(text), Some(length)) if is_string => {
                            text.chars().take(length as usize).collect::<String>().into()
                        }
                        (value, _) => value,
                    };
                    member.insert(name, value);
                }
                self.rendered(target, row, &one.related, &mut member);
                Json::Object(member)
            });
            to.insert(relation.wire.to_string(), member.unwrap_or_default());
        }
    }

    /// The rows that the caller may read, as they are rendered with their ids.
    fn members(
        &self,
        of: ResourceIx,
        related: &[RelatedSelection],
        belongs: impl Fn(&Row) -> bool,
    ) -> Vec<Json> {
        let rows = self.rows[&of].iter().filter(|row| belongs(row) && self.shows(of, row));
        let member = |row: &Row| {
            let mut member = Map::new();
            member.insert("id".into(), json_of(&row[&FieldIx::ID]));
            self.rendered(of, row, related, &mut member);
            Json::Object(member)
        };
        rows.map(member).collect()
    }
}

/// Reads of one resource with one selection.
struct Reads<'b> {
    bed: &'b Bed,
    set: RuleSet,
    of: ResourceIx,
    selection: Selection,
}

impl Reads<'_> {
    fn layout(&self) -> Layout {
        let id = Some([FieldIx::ID].as_slice());
        Layout::of(&self.bed.model, self.of, id)
            .with_related(&self.bed.model, &self.selection.related)
    }

    fn read(&self, shape: Shape, values: Vec<Value>) -> (Vec<Json>, Outcome) {
        let sink = Sink::Json(JsonSink::new(self.layout(), ""));
        let plan = self.bed.plan(vec![Step { shape, values }]);
        let result = wait(self.bed.store.read(&plan, sink)).unwrap();
        (json(result.sink).as_array().unwrap().clone(), result.outcome)
    }

    fn page(&self, above: &[Value], part: Part, from: &[Value], limit: i64) -> (Vec<Json>, Ends) {
        let chain = Chain { resource: self.of, ids: above.to_vec() };
        let shape = Shape::List {
            place: chain.place(self.set),
            filter: Filter::EVERY,
            sort: self.bed.model[self.of].sort.to_vec(),
            selection: self.selection.clone(),
            part,
            beyond: from.iter().map(|value| !value.is_null()).collect(),
        };
        let bound = from.iter().filter(|value| !value.is_null());
        let values = above.iter().chain(bound).cloned().chain([int(limit), int(0)]).collect();
        match self.read(shape, values) {
            (rows, Outcome::Page { ends, .. }) => (rows, ends),
            (_, other) => panic!("a list must return a page, not {other:?}"),
        }
    }

    /// All members, read by pages of two.
    fn walk(&self, above: &[Value], part: Part) -> Vec<Json> {
        let is_back = part == Part::Earlier;
        let mut all: Vec<Json> = vec![];
        let mut next = if is_back { Part::Earlier } else { Part::First };
        let mut from = vec![];
        loop {
            let (rows, ends) = self.page(above, next, &from, 2);
            let count = rows.len();
            if is_back {
                all.splice(0..0, rows);
            } else {
                all.extend(rows);
            }
            let place = if is_back { ends.first } else { ends.last };
            let (2, Some(place)) = (count, place) else { return all };
            (next, from) = (part, place);
        }
    }

    fn get(&self, id: &Value) -> Vec<Json> {
        let place = Chain { resource: self.of, ids: vec![] }.place(self.set);
        let shape = Shape::Get { place, selection: self.selection.clone() };
        self.read(shape, vec![id.clone()]).0
    }
}

fn sorted(mut rows: Vec<Json>) -> Vec<String> {
    rows.sort_by_key(|row| row["id"].to_string());
    rows.iter().map(Json::to_string).collect()
}

#[test]
fn members_that_come_with_rows_are_those_of_a_model() {
    let mut bed = Bed::new();
    let random = Random::new(seed("NOUNS_SELECTION_SEED"));
    let open = Arc::clone(&bed.model);
    let mut dice = Dice { names: Names(&open), random };
    let rows = fill(&mut dice, &bed.database);
    let hidden: BTreeMap<_, _> = [("teacher", "a"), ("school", "b"), ("district", "ab")]
        .map(|(name, hidden)| (dice.names.resource(name), hidden))
        .into();
    for hidden in [BTreeMap::new(), hidden] {
        let model = hiding(&hidden);
        let (store, _) =
            nouns_runtime::Store::open(&model, &options(bed.database.location())).unwrap();
        (bed.store, bed.model) = (store, Arc::clone(&model));
        let tables = Tables { model: &model, rows: rows.clone(), hidden };
        for _ in 0..env_number("NOUNS_SELECTION_ROUNDS", 40) {
            let of = dice.names.resource(dice.random.of(&USED).unwrap());
            let related = dice.related(of, 0);
            let set = Caller::Anonymous.rules(&model);
            let selection = Selection { view: View::Shown, related };
            let reads = Reads { bed: &bed, set, of, selection };
            compare(&reads, &tables);
        }
    }
}

fn compare(reads: &Reads<'_>, tables: &Tables<'_>) {
    let Reads { of, selection, .. } = reads;
    let related = &selection.related;
    let all = tables.members(*of, related, |_| true);
    let (page, _) = reads.page(&[], Part::First, &[], 100);
    assert_eq!(sorted(page.clone()), sorted(all.clone()), "{selection:?}");
    assert_eq!(reads.walk(&[], Part::Later), page, "{selection:?}");
    assert_eq!(reads.walk(&[], Part::Earlier), page, "{selection:?}");
    for member in &all {
        let id = match &member["id"] {
            Json::String(id) => text(id),
            id => int(id.as_i64().unwrap()),
        };
        assert_eq!(reads.get(&id), std::slice::from_ref(member), "{selection:?}");
    }
    let Some((parent, field)) = tables.model[*of].parent else { return };
    for above in tables.rows[&parent].iter().filter(|above| tables.shows(parent, above)) {
        let ids = tables.chain(parent, above);
        let below = tables.members(*of, related, |row| Some(&row[&field]) == ids.last());
        let (page, _) = reads.page(&ids, Part::First, &[], 100);
        assert_eq!(sorted(page.clone()), sorted(below), "{selection:?}");
        assert_eq!(reads.walk(&ids, Part::Later), page, "{selection:?}");
        assert_eq!(reads.walk(&ids, Part::Earlier), page, "{selection:?}");
    }
}

/// NDJSON has the object of JSON, and CSV has a column for each field of a member.
#[test]
fn each_format_has_the_members_that_come_with_a_row() {
    let bed = Bed::filled();
    let names = Names(&bed.model);
    let school = names.resource("school");
    let path: Path = bed.model.seen(RuleSet::NONE).path(school, "district.name").unwrap();
    let head = bed.model.seen(RuleSet::NONE).relation(school, "head_teacher").unwrap();
    let name = |of: &str| [bed.field(of, "name")].into();
    let related = vec![
        RelatedSelection {
            relation: path.steps[0],
            fields: name("district"),
            length_max: None,
            related: vec![],
        },
        RelatedSelection {
            relation: head,
            fields: name("teacher"),
            length_max: None,
            related: vec![],
        },
    ];
    let selection = Selection { view: View::Shown, related };
    let fields = [bed.field("school", "name")];
    let layout =
        Layout::of(&bed.model, school, Some(&fields)).with_related(&bed.model, &selection.related);
    let place = bed.place("school", 0);
    let shape = Shape::Get { place, selection };
    let plan = bed.plan(vec![Step { shape, values: vec![int(1)] }]);
    let rendered = |sink: Sink| wait(bed.store.read(&plan, sink)).unwrap().sink;
    let Sink::Ndjson(ndjson) = rendered(Sink::Ndjson(NdjsonSink::new(layout.clone()))) else {
        panic!("the sink keeps its format")
    };
    let line = "{\"name\":\"Hill\",\"district\":{\"name\":\"North\"},\"head_teacher\":null}\n";
    assert_eq!(str::from_utf8(ndjson.bytes()).unwrap(), line);
    let Sink::Csv(csv) = rendered(Sink::Csv(CsvSink::new(&bed.model, layout))) else {
        panic!("the sink keeps its format")
    };
    let table = "name,district.name,head_teacher.name\r\nHill,North,\r\n";
    assert_eq!(str::from_utf8(csv.bytes()).unwrap(), table);
}
