//! Tests of the advice. They compare SQLite's query plans before and after the advised line is
//! added.

use rusqlite::Connection;

use super::*;
use crate::{
    model::{
        Chain, RuleSet, View,
        def::{
            ApiDef, FieldDef, FieldKind, IdKind, OnDelete, ParentDef, ResourceDef, Routes, SortDef,
        },
        value::Value,
    },
    plan::{Caller, Plan},
    request::action::{Action, ActionKind, CollectionQuery},
    store::sql::{self, Dialect},
};

static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
static ANIMAL: ResourceDef = ResourceDef {
    parent: Some(ParentDef {
        resource: "zoo",
        field: "zoo_id",
        on_delete: OnDelete::Restrict,
        movable: false,
        required: true,
    }),
    routes: Routes::Both,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef { index: true, ..FieldDef::new("status", FieldKind::String) },
        FieldDef { column: "birthday", ..FieldDef::new("born", FieldKind::Date) },
        FieldDef { unique: true, ..FieldDef::new("chip", FieldKind::Integer) },
    ],
    sort: &[SortDef { field: "name", descending: false }],
    ..ResourceDef::new("animal", "animals", "Animal")
};
static KEEPER: ResourceDef = ResourceDef {
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef::new("shift", FieldKind::String),
    ],
    indexes: &[&["shift", "name"]],
    ..ResourceDef::new("keeper", "keepers", "Keeper")
};
static TICKET: ResourceDef = ResourceDef {
    id: IdKind::Uuid,
    fields: &[
        FieldDef::new("day", FieldKind::Date),
        FieldDef::new("gate", FieldKind::String),
        FieldDef { unique: true, ..FieldDef::new("number", FieldKind::Integer) },
    ],
    indexes: &[&["gate"]],
    ..ResourceDef::new("ticket", "tickets", "Ticket")
};

const SERVED: &str = "an index already serves it; a large page, an `offset`, a count, or many members with one value take the time";
const AS_DEFAULT: &str = "an index serves this order only if it is the default order (`sort`)";

/// Links a model of all resources. `other`, if given, replaces the declaration with the same name.
fn link(other: Option<&'static ResourceDef>) -> Model {
    let all = [&ZOO, &ANIMAL, &KEEPER, &TICKET];
    let resources =
        all.map(|one| other.filter(|other| other.name == one.name).unwrap_or(one)).to_vec().leak();
    Model::link(Box::leak(Box::new(ApiDef { resources, ..ApiDef::new("Zoos") }))).unwrap()
}

fn find<'m>(model: &'m Model, resource: &str) -> &'m ResourceModel {
    model.resources().iter().find(|one| one.def.name == resource).unwrap()
}

fn advice(resource: &str, depth: u8, query: &str) -> Advice {
    let model = link(None);
    let resource = find(&model, resource);
    let chain = Chain { resource: resource.ix, ids: vec![] };
    let query = CollectionQuery::parse(model.seen(RuleSet::NONE), &chain, Some(query)).unwrap();
    Advice::on(&model, Place::new(resource.ix, depth), &query.predicate.split().0, &query.sort)
}

/// Returns SQLite's query plan for a list.
fn plan(model: &Model, resource: &str, depth: u8, query: &str) -> String {
    let connection = Connection::open_in_memory().unwrap();
    let system = "CREATE TABLE _nouns_state (revision INTEGER, stamped_at TEXT); CREATE TABLE _nouns_tables (name, revision, changed_at);";
    let schema = sql::schema(model, Dialect::Sqlite);
    connection.execute_batch(&format!("{system}{schema}")).unwrap();
    let resource = find(model, resource);
    let chain = Chain { resource: resource.ix, ids: vec![Value::Integer(7); depth.into()] };
    let query = CollectionQuery::parse(model.seen(RuleSet::NONE), &chain, Some(query)).unwrap();
    let action = Action::of(Caller::Anonymous, ActionKind::List { chain, query });
    let shape = Plan::of(model, &action, View::Shown).steps.remove(0).shape;
    let text = sql::text(&shape, model, Dialect::Sqlite);
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    lines.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
}

/// Returns the declaration of a resource with an advised line added.
fn with(resource: &str, line: &str) -> &'static ResourceDef {
    let mut def = *find(&link(None), resource).def;
    let word = |text: &str| -> &'static str { text.to_owned().leak() };
    if let Some(field) = line.strip_prefix("add `index: true` to `") {
        let mut fields = def.fields.to_vec();
        let name = field.trim_end_matches('`');
        fields.iter_mut().find(|field| field.name == name).unwrap().index = true;
        def.fields = fields.leak();
    } else {
        let set = line
            .strip_prefix("add `indexes: [[")
            .and_then(|rest| rest.strip_suffix("]]`"))
            .unwrap();
        let set: &[&str] = set.split(", ").map(word).collect::<Vec<_>>().leak();
        def.indexes = [def.indexes, &[set]].concat().leak();
    }
    Box::leak(Box::new(def))
}

/// Asserts the advice on a list request. If the advice is a line for the declaration, SQLite's plan
/// with that line must contain no sort, and must use a different index than without the line.
fn check(resource: &str, depth: u8, query: &str, expected: &str) {
    let at = format!("{resource} at {depth}: {query}");
    assert_eq!(advice(resource, depth, query).advice, expected, "{at}");
    let is_line = expected.starts_with("add ");
    if expected != SERVED && !is_line {
        return;
    }
    let before = plan(&link(None), resource, depth, query);
    let after = match is_line {
        true => plan(&link(Some(with(resource, expected))), resource, depth, query),
        false => before.clone(),
    };
    assert!(!after.contains("TEMP B-TREE") && !after.contains("SCAN t\n"), "{at}:\n{after}");
    assert_eq!(before != after, is_line, "{at}:\n{before}\n{after}");
}

#[test]
fn each_question_has_the_line_that_makes_it_fast() {
    for (depth, query, expected) in [
        (1, "", SERVED),
        (0, "", SERVED),
        (1, "status=ill", SERVED),
        (0, "status=ill&sortby=-name", SERVED),
        (1, "sortby=-status", SERVED),
        (1, "chip=7&sortby=born", SERVED),
        (1, "id=7&sortby=born", SERVED),
        (0, "sortby=id,born", SERVED),
        (1, "name[gte]=m", SERVED),
        (1, "born=2026-01-01", "add `index: true` to `born`"),
        (0, "born[null]=true", "add `index: true` to `born`"),
        (1, "sortby=-born", "add `index: true` to `born`"),
        (1, "sortby=chip", "add `index: true` to `chip`"),
        (1, "status=ill&sortby=born", "add `indexes: [[zoo_id, status, born]]`"),
        (0, "status=ill&sortby=-born", "add `indexes: [[status, born]]`"),
        (1, "status=ill&born=2026-01-01", "add `indexes: [[zoo_id, status, born, name]]`"),
        (1, "sortby=status,name", SERVED),
        (1, "sortby=chip,name", "add `index: true` to `chip`"),
        (1, "status=ill&sortby=chip,name", "add `indexes: [[zoo_id, status, chip, name]]`"),
        (1, "sortby=name,born", AS_DEFAULT),
        (1, "sortby=-born,name", AS_DEFAULT),
        (1, "name[contains]=x", "no index serves `name[contains]`"),
        (1, "status[in]=ill,well", "no index serves `status[in]`"),
        (
            1,
            "born[gt]=2026-01-01",
            "no index serves a range of `born` in another order than `sortby=born`",
        ),
        (1, "born[gt]=2026-01-01&sortby=born", "add `index: true` to `born`"),
    ] {
        check("animal", depth, query, expected);
    }
}

/// A unique column may be NULL in many rows, so `[null]=true` does not select a single member.
#[test]
fn null_is_not_unique() {
    check("animal", 1, "chip[null]=true&sortby=born", "add `indexes: [[zoo_id, chip, born]]`");
    check("ticket", 0, "number=7&sortby=gate", SERVED);
}

/// An index is advised only if Nouns would create it. Nouns creates no index whose columns are the
/// first columns of another index.
#[test]
fn an_index_that_others_cover_helps_nobody() {
    check("keeper", 0, "shift=late&sortby=name", SERVED);
    check("keeper", 0, "sortby=shift", "add `index: true` to `shift`");
    check("keeper", 0, "shift=late&sortby=id", "add `index: true` to `shift`");
    check("keeper", 0, "shift=late&sortby=id,name", "add `index: true` to `shift`");
}

/// SQLite ends index entries with the id only if the id is an integer.
#[test]
fn other_ids_are_keys_of_the_index() {
    check("ticket", 0, "", SERVED);
    check("ticket", 0, "gate=north", "add `index: true` to `gate`");
    check("ticket", 0, "sortby=gate", "add `index: true` to `gate`");
    check("ticket", 0, "gate=north&sortby=-day", "add `indexes: [[gate, day, id]]`");
    check("ticket", 0, "gate=north&day=2026-01-01", "add `indexes: [[day, gate, id]]`");
}

/// SQLite sorts members with equal values by id if the id has another direction than the index.
#[test]
fn an_order_that_no_line_serves_to_its_end_is_served_but_for_the_id() {
    let model = link(None);
    for (query, expected) in [
        ("status=ill&sortby=-name,id", SERVED),
        ("sortby=-status,id", SERVED),
        ("sortby=-born,id", "add `index: true` to `born`"),
        ("status=ill&sortby=born,-id", "add `indexes: [[zoo_id, status, born]]`"),
    ] {
        assert_eq!(advice("animal", 1, query).advice, expected, "{query}");
        let model = if expected == SERVED { &model } else { &link(Some(with("animal", expected))) };
        let plan = plan(model, "animal", 1, query);
        assert!(plan.contains("USE TEMP B-TREE FOR LAST TERM OF ORDER BY"), "{query}:\n{plan}");
    }
}

#[test]
fn a_question_is_told_in_the_words_of_a_query() {
    let advised = advice("animal", 1, "born[gte]=2026-01-01&status=ill&sortby=-born");
    assert_eq!((&*advised.filter, &*advised.order), ("zoo_id,status,born[gte]", "-born,-id"));
}
