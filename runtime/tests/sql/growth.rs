//! If an index serves the filter and the order of a page, the cost of the page does not grow with
//! its table. The cost is counted in steps of SQLite's virtual machine. The rows are compared with
//! the rows of the same page by offset.

use nouns_runtime::{
    Model,
    action::{Action, ActionKind, CollectionQuery, OrderPosition, Window},
    def::{ApiDef, FieldDef, FieldKind, OnDelete, ParentDef, ResourceDef, Routes, SortDef},
    identify::Caller,
    model::{ResourceModel, RuleSet},
    plan::{Plan, Step, View},
    route::Chain,
    sql::{self, Dialect},
    value::Value,
};
use rusqlite::{Connection, StatementStatus, types::ValueRef};

static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");

const SHIFT: ResourceDef = ResourceDef {
    parent: Some(ParentDef {
        resource: "zoo",
        field: "zoo_id",
        on_delete: OnDelete::Restrict,
        movable: false,
        required: true,
    }),
    routes: Routes::Both,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("day", FieldKind::Date) },
        FieldDef::new("start", FieldKind::Time),
        FieldDef { index: true, ..FieldDef::new("status", FieldKind::String) },
        FieldDef {
            index: true,
            required: true,
            ignore_case: true,
            ..FieldDef::new("name", FieldKind::String)
        },
        FieldDef::new("weight", FieldKind::Integer),
    ],
    sort: &[
        SortDef { field: "day", descending: false },
        SortDef { field: "start", descending: false },
    ],
    indexes: &[&["zoo_id", "status", "name"]],
    ..ResourceDef::new("shift", "shifts", "Shift")
};

static SHIFTS: ResourceDef = SHIFT;

static API: ApiDef = ApiDef { resources: &[&ZOO, &SHIFTS], ..ApiDef::new("Shifts") };

/// The interface with the resource `shift` in another default order.
fn ordered(sort: &[(&'static str, bool)]) -> &'static ApiDef {
    let sort: Vec<_> =
        sort.iter().map(|(field, descending)| SortDef { field, descending: *descending }).collect();
    let shifts = Box::leak(Box::new(ResourceDef { sort: sort.leak(), ..SHIFT }));
    Box::leak(Box::new(ApiDef { resources: vec![&ZOO, &*shifts].leak(), ..ApiDef::new("Shifts") }))
}

/// The number of rows in the table. Many rows have equal values.
const ROWS: u32 = 20_000;
/// The maximum number of steps of a fast read. A read with more steps counts as slow.
const STEPS_MAX: i32 = 5_000;

struct Bed {
    model: Model,
    connection: Connection,
}

impl Bed {
    fn new() -> Self {
        Self::of(&API)
    }

    fn of(api: &'static ApiDef) -> Self {
        let model = Model::link(api).unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let tables = sql::schema(&model, Dialect::Sqlite);
        let system = "CREATE TABLE _nouns_state (revision INTEGER, stamped_at TEXT); CREATE TABLE _nouns_tables (name, revision, changed_at);";
        connection.execute_batch(&format!("{system}{tables}")).unwrap();
        let fill = format!(
            "DROP TRIGGER zoos_inserted; DROP TRIGGER shifts_inserted;
             INSERT INTO zoos (id, created_at, updated_at) VALUES (1, 'x', 'x'), (2, 'x', 'x');
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
             INSERT INTO shifts (zoo_id, day, start, status, name, weight, created_at, updated_at)
             SELECT 1 + (i % 4 = 0), '2026-01-0' || (1 + i % 3), CASE WHEN i % 2 THEN printf('%02d:00:00', i % 5) END,
                    CASE WHEN i % 7 THEN 's' || (i % 3) END, char(65 + 32 * (i % 2) + i % 26) || (i * 7919 % 1000), i % 10, 'x', 'x'
             FROM n"
        );
        connection.execute_batch(&fill).unwrap();
        Self { model, connection }
    }

    fn resource(&self) -> &ResourceModel {
        self.model.resources().iter().find(|one| one.def.name == "shift").unwrap()
    }

    fn query(&self, chain: &Chain, query: &str) -> CollectionQuery {
        CollectionQuery::parse(self.model.seen(RuleSet::NONE), chain, Some(query)).unwrap()
    }

    fn step(&self, nested: bool, query: &str, window: Window) -> Step {
        let resource = self.resource();
        let ids = if nested { vec![Value::Integer(1)] } else { vec![] };
        let chain = Chain { resource: resource.ix, ids };
        let mut query = self.query(&chain, query);
        query.page.window = window;
        let action = Action::of(Caller::Anonymous, ActionKind::List { chain, query });
        Plan::of(&self.model, &action, View::Whole).steps.remove(0)
    }

    /// Executes a statement. Returns its rows, and the number of steps that SQLite took.
    fn read(&self, step: &Step) -> (Vec<Vec<Value>>, i32) {
        let text = sql::text(&step.shape, &self.model, Dialect::Sqlite);
        let mut statement = self.connection.prepare(&text).unwrap();
        for (at, value) in (1..).zip(&step.values) {
            let bound = match value {
                Value::Integer(value) => statement.raw_bind_parameter(at, value),
                Value::Text(value) => statement.raw_bind_parameter(at, value.as_str()),
                value => panic!("this test binds only integers and texts, not {value:?}"),
            };
            bound.unwrap();
        }
        let width = self.resource().fields.len();
        let mut found = vec![];
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            let cell = |at| match row.get_ref(at).unwrap() {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(value) => Value::Integer(value),
                value => Value::Text(value.as_str().unwrap().into()),
            };
            if cell(1) != Value::Null {
                found.push((1..=width).map(cell).collect());
            }
        }
        drop(rows);
        (found, statement.get_status(StatementStatus::VmStep))
    }

    /// The query plan of a statement, from SQLite's `EXPLAIN QUERY PLAN`.
    fn plan(&self, step: &Step) -> String {
        let text = sql::text(&step.shape, &self.model, Dialect::Sqlite);
        let mut statement = self.connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
        let (mut rows, mut lines) = (statement.raw_query(), vec![]);
        while let Some(row) = rows.next().unwrap() {
            lines.push(row.get::<_, String>(3).unwrap());
        }
        lines.join("\n")
    }
}

/// The positions in an order of `count` rows at which these tests begin and end pages.
fn places(count: usize) -> impl Iterator<Item = usize> {
    [0, 1, count / 10, count / 3, count / 2, count * 6 / 7, count * 19 / 20, count - 6, count - 1]
        .into_iter()
}

fn check(bed: &Bed, nested: bool, query: &str) {
    let parameters = format!("limit=5{query}");
    let first = bed.step(nested, &parameters, Window::Start);
    let (begin, steps) = bed.read(&first);
    let plan = bed.plan(&first);
    assert!(steps <= STEPS_MAX, "{query} takes {steps} steps:\n{plan}");
    assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{query}:\n{plan}");
    let mut all = bed.step(nested, query.trim_start_matches('&'), Window::Start);
    let limit = all.values.len() - 2;
    all.values[limit] = Value::Integer(i64::from(ROWS));
    let (all, _) = bed.read(&all);
    assert_eq!(begin, all[..5]);
    let chain = Chain { resource: bed.resource().ix, ids: vec![] };
    let sort = bed.query(&chain, query.trim_start_matches('&')).sort;
    for at in places(all.len()) {
        let values = sort.iter().map(|key| all[at][usize::from(key.field.0)].clone()).collect();
        let cursor = OrderPosition { values, skip: 0 };
        let later = all[at + 1..].iter().take(5).cloned().collect();
        let earlier = all[at.saturating_sub(5)..at].to_vec();
        for (window, expected) in
            [(Window::After(cursor.clone()), later), (Window::Before(cursor.clone()), earlier)]
        {
            let step = bed.step(nested, &parameters, window.clone());
            let (found, steps) = bed.read(&step);
            let (plan, text) =
                (bed.plan(&step), sql::text(&step.shape, &bed.model, Dialect::Sqlite));
            assert_eq!(found, expected, "{query} {window:?}\n{text}\n{plan}");
            assert!(steps <= STEPS_MAX, "{query} {window:?} takes {steps} steps:\n{text}\n{plan}");
        }
    }
}

#[test]
fn pages_cost_the_same_wherever_they_are() {
    check_all(&Bed::new());
}

/// The store collects statistics with `ANALYZE`. These statistics must not make any page slow.
#[test]
fn statistics_change_nothing_of_that() {
    let bed = Bed::new();
    bed.connection.execute_batch("PRAGMA analysis_limit = 1000; ANALYZE").unwrap();
    check_all(&bed);
}

fn check_all(bed: &Bed) {
    for nested in [true, false] {
        for query in [
            "",
            "&sortby=status",
            "&sortby=-status",
            "&sortby=name",
            "&sortby=-name",
            "&sortby=day,start",
            "&status=s1",
            "&status[null]=true",
            "&name[gte]=m&sortby=name",
            "&name[between]=c,w&sortby=-name",
            "&status[lt]=s2&sortby=status",
            "&day=2026-01-02",
            "&status[gt]=s0&sortby=status",
        ] {
            check(bed, nested, query);
        }
    }
    check(bed, true, "&status=s1&sortby=name");
    check(bed, true, "&status=s1&sortby=-name");
}

/// The ids in an index ascend. So an order that ends in descending ids reads the index backwards.
#[test]
fn a_declared_order_is_served_in_every_direction() {
    let orders: [&[_]; 6] = [
        &[("day", true)],
        &[("status", true)],
        &[("name", false), ("day", true)],
        &[("day", true), ("name", false)],
        &[("start", false), ("day", true)],
        &[("day", false), ("start", false), ("name", true)],
    ];
    for sort in orders {
        let bed = Bed::of(ordered(sort));
        check(&bed, true, "");
        check(&bed, false, "");
    }
}

#[test]
fn without_an_index_they_do_not() {
    let bed = Bed::new();
    for query in ["&sortby=weight", "&weight=77&sortby=name", "&sortby=start,day"] {
        let step = bed.step(true, &format!("limit=5{query}"), Window::Start);
        let (_, steps) = bed.read(&step);
        assert!(
            steps > STEPS_MAX,
            "{query} without an index must be slow, but takes {steps} steps"
        );
    }
}
