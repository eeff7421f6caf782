//! The indexes that SQLite uses for frequent statements.

use nouns_runtime::{
    Model,
    action::{Action, ActionKind, CollectionQuery, OrderPosition, Window},
    identify::Caller,
    model::{ResourceIx, RuleSet},
    plan::{Filter, Part, Place, Plan, Shape, View},
    route::Chain,
    sql::{self, Dialect},
    value::Value,
};
use rusqlite::Connection;

fn plan(resource: &str, shape: impl FnOnce(Place, &Model) -> Shape, depth: u8) -> String {
    let model = Model::link(&crate::twin::API).unwrap();
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("CREATE TABLE _nouns_state (revision INTEGER, stamped_at TEXT); CREATE TABLE _nouns_tables (name, revision, changed_at)")
        .unwrap();
    connection.execute_batch(&sql::schema(&model, Dialect::Sqlite)).unwrap();
    let resource: ResourceIx =
        model.resources().iter().find(|one| one.def.name == resource).unwrap().ix;
    let text = sql::text(&shape(Place::new(resource, depth), &model), &model, Dialect::Sqlite);
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let (mut rows, mut lines) = (statement.raw_query(), vec![]);
    while let Some(row) = rows.next().unwrap() {
        lines.push(row.get::<_, String>(3).unwrap());
    }
    lines.join("\n")
}

fn list(place: Place, model: &Model) -> Shape {
    Shape::List {
        place,
        filter: Filter::EVERY,
        sort: model[place.resource].sort.to_vec(),
        selection: View::Shown.into(),
        part: Part::Counted,
        beyond: vec![],
    }
}

#[test]
fn the_default_order_comes_from_an_index_at_any_depth() {
    for (resource, depth, index) in [
        ("district", 0, "districts__name__key"),
        ("school", 1, "schools__district_id__name__key"),
        ("class", 1, "classes__school_id__year__desc__name__id__idx"),
        ("class", 2, "classes__school_id__year__desc__name__id__idx"),
        ("pupil", 1, "pupils__class_id__name__id__idx"),
        ("pupil", 3, "pupils__class_id__name__id__idx"),
    ] {
        let plan = plan(resource, list, depth);
        assert!(plan.contains(index), "{resource} at {depth}:\n{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{resource} at {depth}:\n{plan}");
        assert_eq!(
            plan.matches("SCAN").count(),
            usize::from(depth == 0),
            "{resource} at {depth}:\n{plan}"
        );
    }
}

/// The shape (statement without values) of a page in the default order. The page begins after a
/// position or ends before it, as `window` says.
fn beyond(place: Place, model: &Model, window: fn(OrderPosition) -> Window) -> Shape {
    let chain =
        Chain { resource: place.resource, ids: vec![Value::Integer(1); place.depth.into()] };
    let mut query = CollectionQuery::parse(model.seen(RuleSet::NONE), &chain, None).unwrap();
    let values = vec![Value::Integer(1); query.sort.len()];
    query.page.window = window(OrderPosition { values, skip: 0 });
    let action = Action::of(Caller::Anonymous, ActionKind::List { chain, query });
    Plan::of(model, &action, View::Shown).steps.remove(0).shape
}

#[test]
fn a_page_beyond_a_place_begins_in_the_index() {
    for (resource, depth, ranges, [later, earlier]) in [
        ("district", 0, 1, ["(name,rowid)>(?,?)", "(name,rowid)<(?,?)"]),
        (
            "school",
            1,
            1,
            ["district_id=? AND (name,rowid)>(?,?)", "district_id=? AND (name,rowid)<(?,?)"],
        ),
        ("class", 1, 2, ["school_id=? AND year<?", "school_id=? AND year>?"]),
        ("class", 1, 2, ["year=? AND (name,rowid)>(?,?)", "year=? AND (name,rowid)<(?,?)"]),
        ("pupil", 1, 1, ["class_id=? AND (name,rowid)>(?,?)", "class_id=? AND (name,rowid)<(?,?)"]),
        ("pupil", 3, 1, ["class_id=? AND (name,rowid)>(?,?)", "class_id=? AND (name,rowid)<(?,?)"]),
    ] {
        // Only the rows of a page that is read from several ranges, or backwards, are sorted.
        let united = usize::from(ranges > 1);
        let after = plan(resource, |place, model| beyond(place, model, Window::After), depth);
        assert!(after.contains(later), "{resource} at {depth}:\n{after}");
        assert_eq!(after.matches("TEMP B-TREE").count(), united, "{resource} at {depth}:\n{after}");
        let before = plan(resource, |place, model| beyond(place, model, Window::Before), depth);
        assert!(before.contains(earlier), "{resource} at {depth}:\n{before}");
        assert_eq!(
            before.matches("TEMP B-TREE").count(),
            1 + united,
            "{resource} at {depth}:\n{before}"
        );
    }
}

#[test]
fn members_are_found_by_their_keys() {
    for shape in [
        |place, _: &Model| Shape::Get { place, selection: View::Shown.into() },
        |place, _: &Model| Shape::Delete { place },
    ] {
        for depth in [0, 1, 3] {
            let plan = plan("pupil", shape, depth);
            assert!(
                !plan.contains("SCAN t") && plan.contains("USING INTEGER PRIMARY KEY"),
                "at {depth}:\n{plan}"
            );
        }
    }
}
