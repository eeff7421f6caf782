//! The SQL text of every shape of statement, for SQLite and for PostgreSQL.

use std::fmt::Write as _;

use nouns_runtime::{
    Model,
    identify::Caller,
    model::{
        Chain, FieldIx, RelatedSelection, RelatedSelections, RelationIx, ResourceIx, ResourceModel,
        RuleSet, SortKey,
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
    },
    plan::{Filter, Op, Part, Place, Shape, View},
    sql::{self, Dialect},
    value::Value,
};

pub(crate) fn model() -> Model {
    Model::link(&crate::twin::API).unwrap()
}

fn resource<'m>(model: &'m Model, name: &str) -> &'m ResourceModel {
    model.resources().iter().find(|resource| resource.def.name == name).unwrap()
}

/// The SQL text of a shape, and the value of each parameter: its position among the values of the
/// step, or a dash if the store brings it. Each position has one parameter.
fn bound(shape: &Shape, model: &Model, dialect: Dialect) -> (String, String) {
    let text = sql::text(shape, model, dialect);
    let positions = sql::positions(shape, model, dialect);
    let mark = if dialect == Dialect::Sqlite { '?' } else { '$' };
    let mut numbers: Vec<usize> = text
        .split(mark)
        .skip(1)
        .filter_map(|part| part.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, (1..=positions.len()).collect::<Vec<_>>(), "{text}");
    let mut of_step: Vec<_> = positions.iter().copied().flatten().collect();
    of_step.sort_unstable();
    assert_eq!(of_step, (0..of_step.len()).collect::<Vec<_>>(), "{text}");
    let value = |at: &Option<usize>| at.map_or_else(|| "-".to_owned(), |at| at.to_string());
    (text, positions.iter().map(value).collect::<Vec<_>>().join(" "))
}

/// The SQL text of each shape with its name, for SQLite and for PostgreSQL, and its values: those
/// of PostgreSQL, too, if they differ.
pub(crate) fn spelled(model: &Model, shapes: &[(String, Shape)]) -> String {
    shapes.iter().fold(String::new(), |mut all, (name, shape)| {
        let [(sqlite, values), (postgres, others)] =
            [Dialect::Sqlite, Dialect::Postgres].map(|dialect| bound(shape, model, dialect));
        let others = if others == values { String::new() } else { format!("\n   {others}") };
        writeln!(all, "-- {name}\n{sqlite}\n{postgres}\n   {values}{others}\n").unwrap();
        all
    })
}

fn test(resource: &ResourceModel, field: &str, op: Op) -> Filter {
    Filter::test(resource.field(field).unwrap(), op)
}

/// The look-ups of web pages that have no ancestors in their URL.
#[test]
fn choices_and_labelled_values() {
    let model = model();
    let pupil = resource(&model, "pupil");
    let (place, name) = (Place::new(pupil.ix, 0), pupil.field("name").unwrap());
    let (parent, field) = pupil.parent.unwrap();
    let label = model[parent].field("name").unwrap();
    let label = RelatedSelection {
        relation: RelationIx(0),
        fields: [label].into(),
        length_max: Some(121),
        related: RelatedSelections::default(),
    };
    let label = RelatedSelections { members: vec![label], lists: vec![] };
    let labelled = tally(place, Filter::EVERY, field, label);
    let shapes = [
        ("choices", Shape::Choices { place, label: name }),
        ("choices by id", Shape::Choices { place, label: FieldIx::ID }),
        ("labelled values", labelled),
    ];
    let shapes: Vec<_> = shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
    insta::assert_snapshot!(spelled(&model, &shapes));
}

fn tally(place: Place, filter: Filter, field: FieldIx, related: RelatedSelections) -> Shape {
    Shape::Tally { place, filter, field, related }
}

fn taken(resource: ResourceIx, fields: Vec<FieldIx>) -> Shape {
    Shape::Taken { place: Place::new(resource, 0), fields }
}

#[test]
fn every_shape_at_every_depth() {
    let model = model();
    let pupil = resource(&model, "pupil");
    let field = |name: &str| pupil.field(name).unwrap();
    let filter = test(pupil, "born", Op::Gte);
    let shapes: Vec<_> = [0, 1, 3]
        .into_iter()
        .flat_map(|depth| {
            let (place, view) = (Place::new(pupil.ix, depth), View::Shown);
            let columns = vec![field("name"), field("born")];
            let list = |filter, part| {
                let sort = pupil.sort.to_vec();
                let beyond = vec![true; if part == Part::First { 0 } else { sort.len() }];
                Shape::List { place, filter, sort, selection: view.into(), part, beyond }
            };
            [
                ("list", list(filter.clone(), Part::Later)),
                ("list earlier", list(filter.clone(), Part::Earlier)),
                ("list all", list(Filter::EVERY, Part::First)),
                ("count", Shape::Count { place, filter: filter.clone() }),
                ("count all", Shape::Count { place, filter: Filter::EVERY }),
                ("count most", Shape::CountMost { place, filter: filter.clone() }),
                ("count all most", Shape::CountMost { place, filter: Filter::EVERY }),
                (
                    "tally",
                    tally(place, filter.clone(), field("born"), RelatedSelections::default()),
                ),
                ("get", Shape::Get { place, selection: view.into() }),
                ("look", Shape::Look { place, fields: vec![field("born"), FieldIx::ID] }),
                ("insert", Shape::Insert { place, columns: columns.clone(), view }),
                ("update", Shape::Update { place, columns, merged: vec![], view }),
                (
                    "update by merging",
                    Shape::Update {
                        place,
                        columns: vec![field("name")],
                        merged: vec![field("name")],
                        view,
                    },
                ),
                ("update nothing", Shape::Update { place, columns: vec![], merged: vec![], view }),
                ("delete", Shape::Delete { place }),
                ("delete many", Shape::DeleteMany { place, filter: filter.clone(), listed: false }),
                (
                    "delete listed",
                    Shape::DeleteMany { place, filter: filter.clone(), listed: true },
                ),
                ("ids", Shape::Ids { place, filter: filter.clone(), listed: false }),
                ("ids listed", Shape::Ids { place, filter: filter.clone(), listed: true }),
            ]
            .map(|(name, shape)| (format!("{name}, depth {depth}"), shape))
        })
        .chain([
            ("update by merging a json column".into(), {
                let teacher = resource(&model, "teacher");
                let notes = vec![teacher.field("notes").unwrap()];
                let (place, view) = (Place::new(teacher.ix, 0), View::Shown);
                Shape::Update { place, columns: notes.clone(), merged: notes, view }
            }),
            ("links, depth 3".into(), Shape::Links { place: Place::new(pupil.ix, 3) }),
            ("exists".into(), Shape::Exists { place: Place::new(pupil.ix, 0) }),
            ("taken".into(), taken(pupil.ix, vec![field("class_id"), field("name")])),
            (
                "taken, ignoring case".into(),
                taken(resource(&model, "district").ix, vec![FieldIx(1)]),
            ),
        ])
        .collect();
    insta::assert_snapshot!(spelled(&model, &shapes));
}

/// A write that may change the parent of a member also returns the ids of the member's ancestors,
/// as many as the URL contains.
#[test]
fn another_parent_is_returned_with_the_ids_above_it() {
    let model = model();
    let pupil = resource(&model, "pupil");
    let columns = vec![pupil.field("class_id").unwrap()];
    let text = |depth: u8, dialect: Dialect| {
        let place = Place::new(pupil.ix, depth);
        let shape =
            Shape::Update { place, columns: columns.clone(), merged: vec![], view: View::Shown };
        sql::text(&shape, &model, dialect)
    };
    let first =
        r#", (SELECT p1."school_id" FROM "classes" AS p1 WHERE p1."id" = "pupils"."class_id")"#;
    let second = r#", (SELECT p2."district_id" FROM "classes" AS p1 JOIN "schools" AS p2 ON p2."id" = p1."school_id" WHERE p1."id" = "pupils"."class_id")"#;
    let in_postgres = |text: &str| text.replace("\"pupils\".", "t.");
    for depth in [0, 1] {
        assert!(
            !text(depth, Dialect::Sqlite).contains("(SELECT p1."),
            "a write at this depth needs no subquery, as the row has the id of its parent"
        );
    }
    assert!(text(2, Dialect::Sqlite).ends_with(first), "{}", text(2, Dialect::Sqlite));
    assert!(
        text(3, Dialect::Sqlite).ends_with(&[first, second].concat()),
        "{}",
        text(3, Dialect::Sqlite)
    );
    let both = in_postgres(&[first, second].concat());
    assert!(text(3, Dialect::Postgres).ends_with(&both), "{}", text(3, Dialect::Postgres));
}

#[test]
fn every_test_with_and_without_case() {
    let model = model();
    let teacher = resource(&model, "teacher");
    let place = Place::new(teacher.ix, 0);
    let ops = [
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Lte,
        Op::Gt,
        Op::Gte,
        Op::In(0),
        Op::In(2),
        Op::NotIn(0),
        Op::NotIn(2),
        Op::Contains,
        Op::StartsWith,
        Op::EndsWith,
        Op::Between,
        Op::Null,
        Op::NotNull,
    ];
    let shapes: Vec<_> = ["name", "email"]
        .into_iter()
        .flat_map(|field| {
            ops.map(|op| {
                (
                    format!("{field} {op:?}"),
                    Shape::Count { place, filter: test(teacher, field, op) },
                )
            })
        })
        .collect();
    insta::assert_snapshot!(spelled(&model, &shapes));
}

#[test]
fn trees_of_tests() {
    let model = model();
    let pupil = resource(&model, "pupil");
    let leaf = |field: &str| test(pupil, field, Op::Eq);
    let not = |filter: Filter| Filter::Not(Box::new(filter));
    let trees = [
        ("none of none", not(Filter::EVERY)),
        ("any of none", Filter::Any(vec![])),
        (
            "all within any",
            Filter::Any(vec![Filter::All(vec![leaf("name"), leaf("born")]), leaf("nickname")]),
        ),
        (
            "any within all",
            Filter::All(vec![Filter::Any(vec![leaf("name"), leaf("born")]), leaf("nickname")]),
        ),
        ("not within not", not(not(Filter::Any(vec![leaf("name"), Filter::EVERY])))),
        ("one alone", Filter::All(vec![Filter::Any(vec![leaf("name")])])),
    ];
    let shapes: Vec<_> = trees
        .into_iter()
        .map(|(name, filter)| {
            (
                name.to_owned(),
                Shape::DeleteMany { place: Place::new(pupil.ix, 1), filter, listed: false },
            )
        })
        .collect();
    insta::assert_snapshot!(spelled(&model, &shapes));
}

fn reading(rule: Rule) -> ResourceRules {
    ResourceRules { read: Some(rule), ..ResourceRules::default() }
}

/// The access rules of a caller are part of every statement. They apply to each member of the
/// chain, to the member itself, and to the written rows.
#[test]
fn every_shape_under_rules() {
    let model = model();
    let rule = |name: &str, path: &str, value: &str| {
        let of = resource(&model, name).ix;
        let subject = model.seen(RuleSet::NONE).path(of, path).unwrap().into();
        let values = vec![RuleValue::Fixed(Value::Text(value.into()))];
        let test = RuleTest::Test { subject, op: Op::Eq, values };
        Rule::new(&model, of, RuleTest::Not(Box::new(test)))
    };
    let rules = model.resources().iter().map(|resource| match resource.def.name {
        "district" => reading(rule("district", "name", "secret")),
        "class" => reading(rule("class", "school.district.name", "secret")),
        "pupil" => ResourceRules {
            read: Some(rule("pupil", "class.name", "secret")),
            create: Some(rule("pupil", "name", "nobody")),
            update: Some(rule("pupil", "name", "nobody")),
            delete: Some(rule("pupil", "class.name", "kept")),
        },
        _ => ResourceRules::default(),
    });
    let rules = rules.collect();
    let model = model.with_rules(rules);
    let pupil = resource(&model, "pupil");
    let field = |name: &str| pupil.field(name).unwrap();
    let filter = test(pupil, "born", Op::Gte);
    let shapes = [0_u8, 3].into_iter().flat_map(|depth| {
        let ids = vec![Value::Integer(1); depth.into()];
        let place = Chain { resource: pupil.ix, ids }.place(Caller::Anonymous.rules(&model));
        let list = |part, beyond| {
            let (sort, view) = (pupil.sort.to_vec(), View::Shown);
            Shape::List {
                place,
                filter: filter.clone(),
                sort,
                selection: view.into(),
                part,
                beyond,
            }
        };
        let update = |columns, merged| Shape::Update { place, columns, merged, view: View::Shown };
        [
            ("list", list(Part::First, vec![])),
            ("list later", list(Part::Later, vec![true; pupil.sort.len()])),
            ("list earlier", list(Part::Earlier, vec![true; pupil.sort.len()])),
            ("count all", Shape::Count { place, filter: Filter::EVERY }),
            ("get", Shape::Get { place, selection: View::Shown.into() }),
            ("look", Shape::Look { place, fields: vec![field("born")] }),
            ("insert", Shape::Insert { place, columns: vec![field("name")], view: View::Shown }),
            ("update", update(vec![field("name")], vec![])),
            ("update by merging", update(vec![field("name")], vec![field("name")])),
            ("move", update(vec![field("class_id")], vec![])),
            ("delete", Shape::Delete { place }),
            ("delete listed", Shape::DeleteMany { place, filter: filter.clone(), listed: true }),
            ("ids", Shape::Ids { place, filter: filter.clone(), listed: false }),
        ]
        .map(|(name, shape)| (format!("{name}, depth {depth}"), shape))
    });
    let flat = Chain { resource: pupil.ix, ids: vec![] }.place(Caller::Anonymous.rules(&model));
    let nested = Chain { resource: pupil.ix, ids: vec![Value::Integer(1); 3] };
    let links = Shape::Links { place: nested.place(Caller::Anonymous.rules(&model)) };
    let all: Vec<_> = shapes
        .chain([
            ("links, depth 3".into(), links),
            ("exists".into(), Shape::Exists { place: flat }),
            ("taken".into(), Shape::Taken { place: flat, fields: vec![field("name")] }),
        ])
        .collect();
    insta::assert_snapshot!(spelled(&model, &all));
}

#[test]
fn every_kind_of_order() {
    let model = model();
    let teacher = resource(&model, "teacher");
    let shapes: Vec<_> = ["name", "email"]
        .into_iter()
        .flat_map(|name| [false, true].map(|descending| (name, descending)))
        .flat_map(|(name, descending)| PLACES.map(|place| (name, descending, place)))
        .map(|(name, descending, (part, beyond))| {
            let sort = vec![
                SortKey { field: teacher.field(name).unwrap(), descending },
                SortKey { field: FieldIx::ID, descending: false },
            ];
            let place = Place::new(teacher.ix, 0);
            let (filter, beyond) = (Filter::EVERY, beyond.to_vec());
            (
                format!("{name}, descending {descending}, {part:?} {beyond:?}"),
                Shape::List { place, filter, sort, selection: View::Shown.into(), part, beyond },
            )
        })
        .collect();
    insta::assert_snapshot!(spelled(&model, &shapes));
}

/// The parts of a collection to read, in an order by one key and the id. The two booleans say
/// whether the cursor has a value for the key, and for the id. Without a cursor, there are no
/// booleans.
const PLACES: [(Part, &[bool]); 6] = [
    (Part::First, &[]),
    (Part::Later, &[true, true]),
    (Part::Later, &[false, true]),
    (Part::Earlier, &[]),
    (Part::Earlier, &[true, true]),
    (Part::Earlier, &[false, true]),
];

#[test]
fn the_tables_in_sqlite() {
    insta::assert_snapshot!(sql::schema(&model(), Dialect::Sqlite));
}

#[test]
fn the_tables_in_postgres() {
    insta::assert_snapshot!(sql::schema(&model(), Dialect::Postgres));
}
