//! Tests of reads with lists: what ends a list ends its read alone, and the connection is as
//! before.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use http_body_util::BodyExt as _;
use tempfile::TempDir;

use super::*;
use crate::{
    http::{
        body::Body,
        negotiate::{Coding, Format},
    },
    model::{
        FieldIx, Filter, Layout, ListSelection, RelatedSelections, RelationIx, ResourceIx,
        Selection, SortKey, View,
        def::{ApiDef, FieldDef, FieldKind, OnDelete, ParentDef, ResourceDef},
    },
    plan::{Outcome, Part, Place, Plan, Sources, Step},
    store::{
        ExportRendering, StoreOptions, Synchronous,
        end_demand::EndDemand,
        read::{self, Attempt},
        session::{ReadSession as _, Session as _, Statements as _},
        sink::{JsonSink, NdjsonSink, RowSink as _, Sink},
        sqlite::{Sqlite, budget::ReadDeadline, lane::Lane, slow::tests::wait},
    },
};

const SHELVES: ResourceIx = ResourceIx(0);
const NAME: FieldIx = FieldIx(1);

static SHELF: ResourceDef = ResourceDef {
    fields: &[FieldDef::new("name", FieldKind::String)],
    ..ResourceDef::new("shelf", "shelves", "Shelf")
};
static BOOK: ResourceDef = ResourceDef {
    fields: &[FieldDef::new("title", FieldKind::String)],
    parent: Some(ParentDef {
        resource: "shelf",
        field: "shelf_id",
        on_delete: OnDelete::Cascade,
        movable: false,
        required: true,
    }),
    ..ResourceDef::new("book", "books", "Book")
};
static API: ApiDef = ApiDef { resources: &[&SHELF, &BOOK], ..ApiDef::new("Shelves") };

/// A store with so many shelves, each with as many books.
fn shelves(count: u32, books: u32) -> (TempDir, Arc<Model>, Sqlite) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shelves.db");
    let model = Arc::new(Model::link(&API).unwrap());
    let options = StoreOptions::new(&path).synchronous(Synchronous::Normal);
    let (store, _) = Sqlite::open(&model, &path, &options).unwrap();
    let numbers = |count| {
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})")
    };
    let fill = format!(
        "{} INSERT INTO shelves (id, name, created_at, updated_at) \
         SELECT i, 'shelf ' || i, 'x', 'x' FROM n; \
         {} INSERT INTO books (shelf_id, title, created_at, updated_at) \
         SELECT shelves.id, 'book ' || i, 'x', 'x' FROM shelves, n;",
        numbers(count),
        numbers(books),
    );
    rusqlite::Connection::open(path).unwrap().execute_batch(&fill).unwrap();
    (folder, model, store)
}

/// A plan that reads the first shelves with their books, sorted by this field.
fn plan(model: &Model, shown: i64, sort: FieldIx) -> (Plan, Layout) {
    let books = model[SHELVES].relations.iter().position(|one| &*one.wire == "books").unwrap();
    let sort_of = |field| SortKey { field, descending: false };
    let list = ListSelection {
        relation: RelationIx(books.try_into().unwrap()),
        fields: [FieldIx(2)].into(),
        filter: Filter::EVERY,
        sort: vec![sort_of(sort), sort_of(FieldIx::ID)],
        related: RelatedSelections::default(),
    };
    let related = RelatedSelections { members: vec![], lists: vec![list] };
    let values = [shown];
    let values = values.map(Value::Integer);
    let layout = Layout::of(model, SHELVES, Some(&[NAME])).with_related(model, &related, &values);
    let place = Place::new(SHELVES, 0);
    let shape = Shape::List {
        place,
        filter: Filter::EVERY,
        sort: vec![sort_of(FieldIx::ID)],
        selection: Selection::new(View::Shown, related),
        part: Part::Counted,
        beyond: vec![],
    };
    let window = [2, 0].map(Value::Integer);
    let steps = vec![Step { shape, values: window.into_iter().chain(values).collect() }];
    (Plan::read(Some(Sources::of(place)), steps), layout)
}

const FIRST: &str = r#"{"name":"shelf 1","books":{"items":[{"title":"book 1"},{"title":"book 2"}],"has_more":true}},{"name":"shelf 2","books":{"items":[{"title":"book 1"},{"title":"book 2"}],"has_more":true}}"#;

/// Reads on a lane. Returns what was rendered, or `None` if the read was interrupted.
fn read(lane: &mut Lane, model: &Arc<Model>, plan: &Plan, layout: &Layout) -> Option<String> {
    let mut sink = Sink::Json(JsonSink::new(layout.clone(), ""));
    let attempt = read::run(lane, model, plan, &mut sink).unwrap();
    let bytes = String::from_utf8(sink.into_bytes()).unwrap();
    match attempt {
        Attempt::Done { .. } => Some(bytes),
        Attempt::TooSlow => {
            assert_eq!(bytes, "", "an interrupted read leaves nothing in its sink");
            None
        }
        Attempt::TooLarge => panic!("the lane has no limit"),
    }
}

#[test]
fn a_list_has_its_rows_and_says_whether_there_are_more() {
    let (_folder, model, store) = shelves(3, 3);
    let mut lane = store.lanes.slow().unwrap();
    let (page, layout) = plan(&model, 2, FieldIx::ID);
    assert_eq!(read(&mut lane, &model, &page, &layout).as_deref(), Some(FIRST));
    let (page, layout) = plan(&model, 3, FieldIx::ID);
    let whole = read(&mut lane, &model, &page, &layout).unwrap();
    assert!(whole.contains("book 3") && !whole.contains("has_more"), "{whole}");
    assert_eq!(lane.statements().take_count(), 0, "the read has taken the count");
}

#[test]
fn an_export_has_the_lists_of_each_row() {
    let (_folder, model, store) = shelves(300, 3);
    let (page, layout) = plan(&model, 2, FieldIx::ID);
    let rendering = ExportRendering {
        format: Format::Ndjson,
        coding: Coding::Identity,
        bare: false,
        portion: None,
    };
    let mut whole = page;
    whole.steps[0].values[0] = Value::Integer(i64::MAX);
    let content = wait(async {
        let sink = Sink::Ndjson(NdjsonSink::new(layout));
        let result = store.export(&model, whole, sink, rendering).await.unwrap();
        let Outcome::Exported { content, .. } = result.outcome else {
            panic!("{:?}", result.outcome)
        };
        Body::Stream(content).collect().await.unwrap().to_bytes()
    });
    let line = |at| {
        let books = r#"{"items":[{"title":"book 1"},{"title":"book 2"}],"has_more":true}"#;
        format!("{{\"name\":\"shelf {at}\",\"books\":{books}}}\n")
    };
    assert_eq!(str::from_utf8(&content).unwrap(), (1..=300).map(line).collect::<String>());
}

/// The deadline and the departure of the client end the statement of a list, and with it the read.
#[test]
fn what_interrupts_a_list_ends_its_read_alone() {
    let (_folder, model, store) = shelves(3, 20_000);
    let mut lane = store.lanes.slow().unwrap();
    let (fast, layout) = plan(&model, 2, FieldIx::ID);
    // No index has this order, so each list sorts all its rows.
    let (slow, _) = plan(&model, 2, FieldIx(2));
    for gone in [true, false] {
        let end = Instant::now() + Duration::from_secs(if gone { 600 } else { 0 });
        lane.watch(&ReadDeadline::new(end, Arc::new(AtomicBool::new(gone)))).unwrap();
        for _ in 0..100 {
            lane.handle.note(&slow.steps[0].shape, false);
            assert_eq!(read(&mut lane, &model, &slow, &layout), None);
            assert!(lane.handle.connection().is_autocommit(), "the snapshot has ended");
            assert!(lane.handle.is_slow(&slow.steps[0].shape));
        }
        let end = Instant::now() + Duration::from_secs(600);
        lane.watch(&ReadDeadline::new(end, Arc::default())).unwrap();
        assert_eq!(read(&mut lane, &model, &fast, &layout).as_deref(), Some(FIRST));
        assert!(read(&mut lane, &model, &slow, &layout).is_some());
    }
    lane.end_at(Instant::now(), &EndDemand::new("a test")).unwrap();
    assert_eq!(read(&mut lane, &model, &slow, &layout), None);
}

/// A worker has the time of one page for each level, and leaves the read to others then.
#[test]
fn a_worker_leaves_slow_lists_to_others() {
    let (_folder, model, store) = shelves(3, 20_000);
    let _worker = store.enter_worker(usize::MAX).unwrap();
    let (slow, layout) = plan(&model, 2, FieldIx(2));
    let sink = || Sink::Json(JsonSink::new(layout.clone(), ""));
    let result = wait(store.read(&model, &slow, sink())).unwrap();
    assert!(result.sink.content().unwrap().1.starts_with(b"{\"name\":\"shelf 1\""));
    assert!(wait(store.lanes.with(|lane| lane.is_slow_at(&slow))).unwrap());
}

#[test]
fn a_panic_in_a_list_leaves_the_connection_as_it_was() {
    let (_folder, model, store) = shelves(3, 3);
    let mut lane = store.lanes.slow().unwrap();
    let (page, layout) = plan(&model, 2, FieldIx::ID);
    let list = layout.items(&model).iter().find_map(|item| match item {
        crate::model::LayoutItem::List(list) => Some(list.clone()),
        _ => None,
    });
    let list = list.unwrap();
    for _ in 0..2 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            lane.snapshot(|lane| {
                let step = &page.steps[0];
                let mut statements = lane.acting_for(&page.caller);
                statements.query(&model, &step.shape, step, |row| {
                    row.list(&list, &mut |row| panic!("{:?}", row.cell(0)));
                    true
                })
            })
        }));
        assert!(panicked.is_err());
        lane = if lane.is_usable() { lane } else { store.lanes.slow().unwrap() };
        assert_eq!(read(&mut lane, &model, &page, &layout).as_deref(), Some(FIRST));
    }
}

/// A lane whose reads may take any time.
fn unlimited(store: &Sqlite) -> Lane {
    let mut lane = store.lanes.slow().unwrap();
    let end = Instant::now() + Duration::from_secs(600);
    lane.watch(&ReadDeadline::new(end, Arc::default())).unwrap();
    lane
}

/// A page of the file that is damaged fails the list that reads it, and the read.
#[test]
fn a_damaged_list_fails_its_read() {
    let (folder, model, store) = shelves(3, 20_000);
    let path = folder.path().join("shelves.db");
    let root: i64 = {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").ok();
        connection
            .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'books'", [], |row| {
                row.get(0)
            })
            .unwrap()
    };
    let mut lane = unlimited(&store);
    let (slow, layout) = plan(&model, 2, FieldIx(2));
    assert!(read(&mut lane, &model, &slow, &layout).is_some());
    lane.handle.forget_pages();
    {
        use std::{
            fs::OpenOptions,
            io::{Seek as _, SeekFrom, Write as _},
        };
        let mut file = OpenOptions::new().write(true).open(&path).unwrap();
        let at = u64::try_from(root - 1).unwrap() * 4096;
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[0xff; 4096]).unwrap();
    }
    let mut sink = Sink::Json(JsonSink::new(layout.clone(), ""));
    let mut lane = unlimited(&store);
    let failed = read::run(&mut lane, &model, &slow, &mut sink);
    assert!(failed.is_err(), "{failed:?}");
    assert!(lane.handle.connection().is_autocommit(), "the snapshot has ended");
    assert!(sink.size() < 4096);
}

#[test]
fn a_read_has_only_so_many_lists() {
    let (_folder, model, store) = shelves(3, 3);
    let mut lane = unlimited(&store);
    for (count, is_read) in [(LISTS_MAX, true), (LISTS_MAX + 1, false)] {
        let (mut page, layout) = plan(&model, 2, FieldIx::ID);
        let Shape::List { selection, .. } = &mut page.steps[0].shape else { panic!("a page") };
        let list = selection.related().lists[0].clone();
        let related = RelatedSelections { members: vec![], lists: vec![list; count] };
        *selection = Selection::new(View::Shown, related);
        let values = &mut page.steps[0].values;
        values.resize(values.len() + count - 1, Value::Integer(2));
        let mut sink = Sink::Json(JsonSink::new(layout, ""));
        let result = read::run(&mut lane, &model, &page, &mut sink);
        assert_eq!(result.is_ok(), is_read, "{result:?}");
    }
}
