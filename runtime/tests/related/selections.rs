//! Members and lists that come with a row: random selections are compared with those of a model
//! without SQL, on whole pages, by cursors in both directions, below members, and of one member.

use std::{collections::BTreeMap, sync::Arc};

use nouns_runtime::{
    identify::Caller,
    model::{
        Chain, FieldIx, Layout, ListSelection, Path, RelatedSelection, RelatedSelections,
        ResourceIx, RuleSet, Selection,
    },
    plan::{Ends, Filter, Outcome, Part, Shape, Step, View},
    sink::{CsvSink, JsonSink, MemberValues, NdjsonSink, Sink, ValueSink},
    value::Value,
};
use serde_json::{Map, Value as Json};

use super::{
    conditions::Names,
    dice::{Dice, USED, fill},
    rows::hiding,
    tables::{Row, Tables},
    trees::{Tree, json_of},
};
use crate::{
    random::{Random, env_number, seed},
    store::bed::{Bed, int, json, letters, options, text, wait},
};

impl Tables<'_> {
    /// The rows that the caller may read, as they are rendered with their ids.
    fn members(&self, of: ResourceIx, tree: &Tree, belongs: impl Fn(&Row) -> bool) -> Vec<Json> {
        let rows = self.rows[&of].iter().filter(|row| belongs(row) && self.shows(of, row));
        let member = |row: &Row| {
            let mut member = Map::new();
            member.insert("id".into(), json_of(&row[&FieldIx::ID]));
            self.render(of, row, tree, &mut member);
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
    /// The values of the lists.
    lists: Vec<Value>,
    tree: Tree,
}

impl Reads<'_> {
    fn layout(&self) -> Layout {
        let id = Some([FieldIx::ID].as_slice());
        Layout::of(&self.bed.model, self.of, id).with_related(
            &self.bed.model,
            self.selection.related(),
            &self.lists,
        )
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
        let values = above.iter().chain(bound).cloned().chain([int(limit), int(0)]);
        let values = values.chain(self.lists.iter().cloned()).collect();
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
        self.read(shape, [std::slice::from_ref(id), &self.lists].concat()).0
    }

    /// The members of a page as values, rendered as the model does.
    fn values(&self, limit: i64) -> Vec<Json> {
        let place = Chain { resource: self.of, ids: vec![] }.place(self.set);
        let selection = Selection::new(View::Whole, self.selection.related().clone());
        let (filter, part, beyond) = (Filter::EVERY, Part::First, vec![]);
        let sort = self.bed.model[self.of].sort.to_vec();
        let shape = Shape::List { place, filter, sort, selection, part, beyond };
        let values = [int(limit), int(0)].into_iter().chain(self.lists.iter().cloned()).collect();
        let plan = self.bed.plan(vec![Step { shape, values }]);
        let sink = ValueSink::new(self.of);
        let sink = sink.with_related(&self.bed.model, self.selection.related(), &self.lists);
        let Sink::Values(found) =
            wait(self.bed.store.read(&plan, Sink::Values(sink))).unwrap().sink
        else {
            panic!("the sink keeps its format")
        };
        let member = |member: MemberValues| {
            let mut to = Map::new();
            to.insert("id".into(), json_of(&member.values[0]));
            self.tree.render_values(&self.bed.model, self.of, &member.related, &mut to);
            Json::Object(to)
        };
        found.into_rows().into_iter().map(member).collect()
    }
}

fn sorted(mut rows: Vec<Json>) -> Vec<String> {
    rows.sort_by_key(|row| row["id"].to_string());
    rows.iter().map(Json::to_string).collect()
}

#[test]
fn rows_that_come_with_rows_are_those_of_a_model() {
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
            let (tree, mut lists) = (dice.tree(of, 0), vec![]);
            let set = Caller::Anonymous.rules(&model);
            let selection = Selection::new(View::Shown, tree.selections(&mut lists));
            let reads = Reads { bed: &bed, set, of, selection, lists, tree };
            compare(&reads, &tables);
        }
    }
}

fn compare(reads: &Reads<'_>, tables: &Tables<'_>) {
    let Reads { of, selection, tree, .. } = reads;
    let all = tables.members(*of, tree, |_| true);
    let (page, _) = reads.page(&[], Part::First, &[], 100);
    assert_eq!(sorted(page.clone()), sorted(all.clone()), "{selection:?}");
    assert_eq!(reads.walk(&[], Part::Later), page, "{selection:?}");
    assert_eq!(reads.walk(&[], Part::Earlier), page, "{selection:?}");
    assert_eq!(reads.values(100), page, "{selection:?}");
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
        let below = tables.members(*of, tree, |row| Some(&row[&field]) == ids.last());
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
            related: RelatedSelections::default(),
        },
        RelatedSelection {
            relation: head,
            fields: name("teacher"),
            length_max: None,
            related: RelatedSelections::default(),
        },
    ];
    let lists = list_of(&bed, "school", "classes", &["name"]).related().lists.clone();
    let related = RelatedSelections { members: related, lists };
    let selection = Selection::new(View::Shown, related);
    let fields = [bed.field("school", "name")];
    let layout = Layout::of(&bed.model, school, Some(&fields)).with_related(
        &bed.model,
        selection.related(),
        &[int(5)],
    );
    let place = bed.place("school", 0);
    let shape = Shape::Get { place, selection };
    let plan = bed.plan(vec![Step { shape, values: vec![int(1), int(5)] }]);
    let rendered = |sink: Sink| wait(bed.store.read(&plan, sink)).unwrap().sink;
    let Sink::Ndjson(ndjson) = rendered(Sink::Ndjson(NdjsonSink::new(layout.clone()))) else {
        panic!("the sink keeps its format")
    };
    let line = "{\"name\":\"Hill\",\"district\":{\"name\":\"North\"},\"head_teacher\":null,\
                \"classes\":{\"items\":[{\"name\":\"a\"}]}}\n";
    assert_eq!(str::from_utf8(ndjson.bytes()).unwrap(), line);
    let Sink::Csv(csv) = rendered(Sink::Csv(CsvSink::new(&bed.model, layout))) else {
        panic!("the sink keeps its format")
    };
    let table = "name,district.name,head_teacher.name\r\nHill,North,\r\n";
    assert_eq!(str::from_utf8(csv.bytes()).unwrap(), table);
}

/// A selection of one list of all rows of a relation, with these fields.
fn list_of(bed: &Bed, of: &str, relation: &str, fields: &[&str]) -> Selection {
    let of = bed.resource(of);
    let relation = bed.model.seen(RuleSet::NONE).relation(of, relation).unwrap();
    let target = &bed.model[bed.model[of][relation].target];
    let fields = fields.iter().map(|name| target.field(name).unwrap()).collect();
    let (filter, sort) = (Filter::EVERY, target.sort.to_vec());
    let list = ListSelection { relation, fields, filter, sort, related: Default::default() };
    let related = RelatedSelections { members: vec![], lists: vec![list] };
    Selection::new(View::Shown, related)
}

fn reads_of<'b>(bed: &'b Bed, selection: Selection, of: &str, limit: i64) -> Reads<'b> {
    let (set, of, lists) = (RuleSet::NONE, bed.resource(of), vec![int(limit)]);
    Reads { bed, set, of, selection, lists, tree: Tree::default() }
}

/// Doubles the number of pupils.
const COPIES: &str = "INSERT INTO pupils (class_id, name, created_at, updated_at) \
                      SELECT class_id, name, created_at, updated_at FROM pupils;";

/// A list ends early when its member is large, whatever its limit. In PostgreSQL the server leaves
/// out the rest, and it does not count texts as small because it has compressed them.
#[test]
fn a_list_ends_when_its_member_is_large() {
    let bed = Bed::filled();
    bed.database.run("UPDATE teachers SET name = 'x', school_id = 1;");
    bed.database.run(&format!("UPDATE pupils SET name = {};", letters(1500)));
    bed.database.run(&COPIES.repeat(10));
    // A name of 1,500 letters has 1,511 bytes, and a comma. The member has 24 bytes beside them.
    let selection = list_of(&bed, "class", "pupils", &["name"]);
    for (limit, shown, has_more) in [(100, 100, true), (693, 693, true), (1000, 694, true)] {
        let reads = reads_of(&bed, selection.clone(), "class", limit);
        let members = reads.get(&int(1));
        let pupils = &members[0]["pupils"];
        assert_eq!(pupils["items"].as_array().unwrap().len(), shown);
        assert_eq!(pupils["has_more"], has_more);
        assert_eq!(reads.page(&[], Part::First, &[], 100).0, members);
    }
    bed.database.run("DELETE FROM pupils WHERE id > 6;");
    // 512 KiB each.
    bed.database.run("UPDATE classes SET name = 'x';");
    bed.database.run(&"UPDATE teachers SET name = name || name;".repeat(19));
    let selection = list_of(&bed, "school", "teachers", &["name"]);
    let reads = reads_of(&bed, selection, "school", 1);
    let members = reads.get(&int(1));
    assert_eq!(members[0]["teachers"]["items"].as_array().unwrap().len(), 1);
    assert_eq!(members[0]["teachers"]["has_more"], Json::Null);
}

/// One large record leaves nothing out, and several do so only from where they are too large
/// together. In PostgreSQL, the sum of the sizes is made for such lists alone.
#[test]
fn a_large_record_takes_no_room_from_others() {
    let bed = Bed::filled();
    bed.database.run("UPDATE pupils SET class_id = 1, name = 'x';");
    bed.database.run(&COPIES.repeat(3));
    let selection = list_of(&bed, "class", "pupils", &["name"]);
    let pupils = |limit| {
        let members = reads_of(&bed, selection.clone(), "class", limit).get(&int(1));
        let pupils = &members[0]["pupils"];
        let length = |one: &Json| one["name"].as_str().unwrap().len();
        let lengths: Vec<_> = pupils["items"].as_array().unwrap().iter().map(length).collect();
        (lengths, pupils["has_more"].clone())
    };
    let (small, _) = pupils(100);
    assert!(small.len() > 2 && small.iter().all(|length| *length == 1));
    bed.database.run(&format!("UPDATE pupils SET name = {} WHERE id = 2;", letters(100_000)));
    let (lengths, has_more) = pupils(100);
    assert!(lengths.contains(&100_000), "{lengths:?}");
    assert_eq!((lengths.len(), has_more), (small.len(), Json::Null));
    bed.database.run(&format!("UPDATE pupils SET name = {};", letters(200_000)));
    assert_eq!(pupils(100), (vec![200_000; 6], true.into()));
}

/// Values of each kind are in a list as they are in a page.
#[test]
fn a_list_has_values_of_every_kind() {
    let bed = Bed::filled();
    bed.database.run("UPDATE schools SET founded = '1950-06-01';");
    let notes = "UPDATE teachers SET notes = '{\"a\": [1, null]}', full_time = true;";
    bed.database.run(notes);
    for (of, relation, target, id) in
        [("district", "schools", "school", int(1)), ("school", "teachers", "teacher", int(1))]
    {
        let names: Vec<_> = bed.model[bed.resource(target)].visible().collect();
        let names: Vec<_> = names.iter().map(|(_, field)| field.name.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let listed = reads_of(&bed, list_of(&bed, of, relation, &names), of, 10).get(&id);
        let sink = JsonSink::new(Layout::of(&bed.model, bed.resource(target), None), "");
        let shape = Shape::List {
            place: Chain { resource: bed.resource(target), ids: vec![] }.place(RuleSet::NONE),
            filter: Filter::EVERY,
            sort: bed.model[bed.resource(target)].sort.to_vec(),
            selection: View::Shown.into(),
            part: Part::First,
            beyond: vec![],
        };
        let plan = bed.plan(vec![Step { shape, values: vec![int(10), int(0)] }]);
        let page = json(wait(bed.store.read(&plan, Sink::Json(sink))).unwrap().sink);
        assert_eq!(listed[0][relation]["items"], page);
        assert!(page[0].to_string().contains(if target == "school" { "1950-06-01" } else { "[1" }));
    }
}
