//! Every key of the schema language, once as an attribute in Rust and once in YAML.

use nouns::{Api, Date, Decimal, FieldType, Id, Json, Resource, Time, Timestamp, Uuid};

use crate::twins::{assert_twins, yaml};

/// A short code.
#[derive(Clone, Debug, FieldType)]
#[field_type(min_length = 2, max_length = 8, pattern = "^[a-z]+$", ignore_case, example = "ab")]
#[field_type("x-kind" = { a = [1, 2.5, true, null] })]
struct Code(String);

#[derive(Clone, Debug, FieldType)]
#[field_type(max_length = 4, description = "A shorter one.")]
struct ShortCode(Code);

#[derive(Clone, Debug, FieldType)]
#[field_type(scale = 3, minimum = -1, maximum = "1.5", example = 0.25)]
struct Rate(Decimal);

#[derive(Clone, Debug, FieldType)]
enum Level {
    #[field_type(value = 1)]
    Low,
    #[field_type(value = -2)]
    High,
}

#[derive(Clone, Debug, FieldType)]
#[field_type(ignore_case)]
enum Mood {
    #[field_type(value = "don't know")]
    Unknown,
    VeryGood,
}

#[derive(Resource)]
struct Shelf {
    id: Id<Self>,
}

/// What a reader
/// borrows.
///
/// More of it.
#[derive(Resource)]
#[resource(collection = "papers-and-books", table = "books", routes = both, id = uuid)]
#[resource(parent(resource = Shelf, field = place_id, on_delete = cascade), noun)]
#[resource(deprecated(
    since = "2026-01-01",
    sunset = "2026-07-01",
    link = "https://library.example/changes"
))]
#[resource(cache(
    max_age = "60s",
    s_maxage = "5m",
    visibility = public,
    must_revalidate,
    stale_while_revalidate = "30s",
    stale_if_error = "1d"
))]
#[resource(precondition = required, moved_from = ["/prints", "/shelves/{shelf_id}/prints"])]
#[resource(moved_to = "https://papers.example/api/")]
#[resource(methods = [list, get, delete_many], sort = [-code, title, place_id], limit(default = 5, maximum = 10))]
#[resource(unique = [[code, title], [place_id, code]], indexes = [[title]], timestamps = false, label = code, "x-a" = "b")]
struct Paper {
    id: Id<Self>,
    place_id: Id<Shelf>,
    #[resource(
        unique,
        index,
        ignore_case,
        min_length = 1,
        max_length = 80,
        pattern = "\\S",
        example = "Emma"
    )]
    title: String,
    #[resource(column = "book_code", description = "It is short.", create_only, deprecated)]
    code: ShortCode,
    #[resource(format = uri, read_only)]
    page: Option<String>,
    #[resource(enum = [new, "very old"], default = new, filterable = false, sortable = false)]
    state: Option<String>,
    #[resource(minimum = 0.5, maximum = 9, default = 3, example = 4)]
    weight: f64,
    #[resource(minimum = -3, maximum = 1_000, default = 0x10)]
    count: Option<i64>,
    small: Option<i8>,
    #[resource(minimum = 3)]
    positive: u32,
    #[resource(scale = 2, minimum = "0.5", default = 7)]
    price: Option<Decimal>,
    #[resource(default = 1, minimum = 0, example = 0.125)]
    rate: Option<Rate>,
    level: Option<Level>,
    #[resource(default = very_good)]
    mood: Mood,
    #[resource(default = false)]
    lent: bool,
    #[resource(maximum = "2030-01-01", default = "$now")]
    day: Option<Date>,
    hour: Option<Time>,
    at: Option<Timestamp>,
    #[resource(write_only)]
    key: Option<Uuid>,
    #[resource(hidden, default = { a = [1, "b", { "c d" = null }] })]
    facts: Option<Json>,
    #[resource(references(as = sequel, on_delete = set_null, children = prequels), "x-b" = 1, example = "0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10")]
    next_id: Option<Id<Paper>>,
}

const YAML: &str = r#"
nouns: 1
api: { title: Library }
types:
  code:
    type: string
    description: A short code.
    min_length: 2
    max_length: 8
    pattern: "^[a-z]+$"
    ignore_case: true
    example: ab
    x-kind: { a: [1, 2.5, true, null] }
  short_code: { type: code, max_length: 4, description: A shorter one. }
  rate: { type: decimal, scale: 3, minimum: -1, maximum: 1.5, example: 0.25 }
  level: { enum: [1, -2] }
  mood: { enum: ["don't know", very_good], ignore_case: true }
resources:
  shelf: { fields: {} }
  paper:
    collection: papers-and-books
    table: books
    description: "What a reader\nborrows.\n\nMore of it."
    parent: { resource: shelf, field: place_id, on_delete: cascade }
    routes: both
    id: uuid
    noun: true
    deprecated: { since: 2026-01-01, sunset: 2026-07-01, link: "https://library.example/changes" }
    cache:
      max_age: 60s
      s_maxage: 5m
      visibility: public
      must_revalidate: true
      stale_while_revalidate: 30s
      stale_if_error: 1d
    precondition: required
    moved_from: [/prints, "/shelves/{shelf_id}/prints"]
    moved_to: https://papers.example/api
    methods: [list, get, delete_many]
    sort: [-code, title, place_id]
    limit: { default: 5, maximum: 10 }
    unique: [[code, title], [place_id, code]]
    indexes: [[title]]
    timestamps: false
    label: code
    x-a: b
    fields:
      title:
        { type: string, required: true, unique: true, index: true, ignore_case: true, min_length: 1, max_length: 80, pattern: '\S', example: Emma }
      code: { type: short_code, required: true, column: book_code, description: It is short., create_only: true, deprecated: true }
      page: { type: string, format: uri, read_only: true }
      state: { type: string, enum: [new, very old], default: new, filterable: false, sortable: false }
      weight: { type: number, required: true, minimum: 0.5, maximum: 9, default: 3, example: 4 }
      count: { type: integer, minimum: -3, maximum: 1000, default: 16 }
      small: { type: integer, minimum: -128, maximum: 127 }
      positive: { type: integer, required: true, minimum: 3, maximum: 4294967295 }
      price: { type: decimal, scale: 2, minimum: 0.5, default: 7 }
      rate: { type: rate, default: 1, minimum: 0, example: 0.125 }
      level: level
      mood: { type: mood, required: true, default: very_good }
      lent: { type: boolean, required: true, default: false }
      day: { type: date, maximum: 2030-01-01, default: $now }
      hour: time
      at: datetime
      key: { type: uuid, write_only: true }
      facts: { type: json, hidden: true, default: { a: [1, b, { "c d": null }] } }
      next_id:
        references: { resource: paper, as: sequel, on_delete: set_null, children: prequels }
        x-b: 1
        example: 0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10
"#;

#[test]
fn every_key_means_the_same_in_both_spellings() {
    let api = Api::new("Library")
        .field_type::<Code>()
        .field_type::<ShortCode>()
        .field_type::<Rate>()
        .field_type::<Level>()
        .field_type::<Mood>()
        .resource::<Shelf>()
        .resource::<Paper>();
    assert_twins(api, yaml("library.yaml", YAML));
}

#[test]
fn a_name_may_differ_from_its_identifier() {
    #[derive(Clone, Debug, FieldType)]
    #[field_type(name = "colour")]
    enum Color {
        Red,
    }

    #[derive(Resource)]
    #[resource(name = "animal_type", collection = "kinds", unique = [[label, "self"]], sort = [-label])]
    struct Kind {
        id: Id<Self>,
        #[resource(name = "label")]
        title: String,
        #[resource(name = "self")]
        self_: Option<Color>,
    }

    let def = Kind::DEF;
    assert_eq!(
        (def.name, def.collection, def.table, def.rust),
        ("animal_type", "kinds", "kinds", "Kind")
    );
    let [title, color] = def.fields else { panic!("`Kind` must have two fields") };
    assert_eq!((title.name, title.column, title.rust), ("label", "label", "title"));
    assert_eq!((color.name, color.rust, color.type_name), ("self", "self_", Some("colour")));
    let kind = Kind { id: Id::new(1), title: "a".into(), self_: Some(Color::Red) };
    assert!(kind.id.key() == &1 && kind.title == "a" && kind.self_.is_some());
}
