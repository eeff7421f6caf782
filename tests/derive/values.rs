//! Custom field types and whole members are read from the slots of a row (one slot for each field),
//! and written into them.

use nouns::{
    __runtime::{
        def::{ApiDef, FieldKind, ResourceDef},
        model,
        resource::SlotRecord,
        slots::Slots,
        value::Value,
    },
    FieldType, Id, Json, Model, Patch, Resource, Store, StoreOptions, Synchronous,
};

use crate::database::TestDatabase;

/// The grade that a review gives.
#[derive(Clone, Copy, Debug, PartialEq, FieldType)]
#[field_type(ignore_case)]
enum Grade {
    Good,
    #[field_type(value = "very good")]
    VeryGood,
}

#[derive(Clone, Copy, Debug, PartialEq, FieldType)]
enum Stars {
    #[field_type(value = 1)]
    One,
    #[field_type(value = 2)]
    Two,
}

#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(max_length = 40)]
struct Label(pub String);

#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 2)]
struct Headline(pub Label);

#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(scale = 2)]
struct Money(nouns::Decimal);

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = string, timestamps = false)]
struct Review {
    id: Id<Self>,
    grade: Grade,
    stars: Option<Stars>,
    headline: Headline,
    #[resource(create_only, default = 0)]
    price: Option<Money>,
    #[resource(read_only)]
    notes: Option<Json>,
}

fn model() -> std::sync::Arc<Model> {
    static RESOURCES: [&ResourceDef; 1] = [Review::DEF];
    static API: ApiDef =
        ApiDef { types: Review::TYPES, resources: &RESOURCES, ..ApiDef::new("Reviews") };
    Model::link(&API).unwrap().into()
}

/// Returns the first six slots that `value` writes. `None` is a slot that was not written.
fn written(value: impl SlotRecord, resource: &model::ResourceModel) -> Vec<Option<Value>> {
    let mut slots = Slots::new(resource);
    value.write(&mut slots);
    (0..6).map(|at| slots.remove(model::FieldIx(at))).collect()
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn row() -> Vec<Value> {
    vec![
        text("a"),
        text("Very GOOD"),
        Value::Integer(2),
        text("Fine"),
        Value::Integer(950),
        text("[1]"),
    ]
}

fn review() -> Review {
    Review {
        id: Id::new("a".into()),
        grade: Grade::VeryGood,
        stars: Some(Stars::Two),
        headline: Headline("Fine".into()),
        price: Some(Money(nouns::Decimal::new(950, 2))),
        notes: Some(serde_json::json!([1])),
    }
}

#[test]
fn a_row_becomes_a_member_and_a_member_a_row() {
    let model = model();
    let resource = &model.resources()[0];
    let mut row = row();
    row.extend([Value::Null, Value::Null]);
    let read = Review::read(&mut Slots::of_row(resource, row)).unwrap();
    assert_eq!(read, review());
    let values = [
        text("a"),
        text("very good"),
        Value::Integer(2),
        text("Fine"),
        Value::Integer(950),
        text("[1]"),
    ];
    assert_eq!(written(read, resource), values.map(Some));
}

#[test]
fn a_value_of_no_variant_is_unreadable() {
    let model = model();
    let mut row = row();
    row[2] = Value::Integer(3);
    row.extend([Value::Null, Value::Null]);
    let refused = Review::read(&mut Slots::of_row(&model.resources()[0], row)).unwrap_err();
    assert_eq!(refused.field, "stars");
}

#[test]
fn a_new_member_says_what_it_must_and_leaves_the_rest() {
    let model = model();
    let new = NewReview::new(Id::new("a".into()), Grade::Good, Headline("Fine".into()));
    let slots = [Some(text("a")), Some(text("good")), None, Some(text("Fine")), None, None];
    assert_eq!(written(new.clone(), &model.resources()[0]), slots);
    let all = NewReview { stars: Some(Stars::One), ..new };
    assert_eq!(written(all, &model.resources()[0])[2], Some(Value::Integer(1)));
}

#[test]
fn null_and_the_default_are_two_things_where_both_can_be() {
    let model = model();
    let resource = &model.resources()[0];
    let new = || NewReview::new(Id::new("a".into()), Grade::Good, Headline("Fine".into()));
    let price = |price| written(NewReview { price, ..new() }, resource)[4].clone();
    assert_eq!(price(Patch::Keep), None);
    assert_eq!(price(Patch::Set(None)), Some(Value::Null));
    assert_eq!(price(Some(Money(nouns::Decimal::ONE)).into()), Some(Value::Integer(100)));
    let mut slots = Slots::new(resource);
    new().write(&mut slots);
    slots.set(model::FieldIx(4), Value::Null);
    assert_eq!(NewReview::read(&mut slots).unwrap().price, Patch::Set(None));
}

#[test]
fn a_null_that_is_said_is_stored_and_what_is_left_out_gets_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(folder.path().join("reviews.db"));
    let options = StoreOptions::new(database.location()).synchronous(Synchronous::Normal);
    let (store, _) = Store::open(&model(), &options).unwrap();
    let price = |id: &str, price| {
        let new = NewReview::new(Id::new(id.into()), Grade::Good, Headline("Fine".into()));
        let created = store.of::<Review>().create(NewReview { price, ..new });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(created).unwrap().price.clone()
    };
    assert_eq!(price("a", Patch::Keep), Some(Money(nouns::Decimal::ZERO)));
    assert_eq!(price("b", Patch::Set(None)), None);
}

#[test]
fn a_patch_says_what_it_sets() {
    let model = model();
    let resource = &model.resources()[0];
    let patch = ReviewPatch {
        stars: None.into(),
        headline: Patch::Set(Label::from("Bad").into()),
        ..ReviewPatch::default()
    };
    let expected = [None, None, Some(Value::Null), Some(text("Bad")), None, None];
    assert_eq!(written(patch, resource), expected);
    let mut slots = Slots::new(resource);
    slots.set(model::FieldIx(1), text("good"));
    let read = ReviewPatch::read(&mut slots).unwrap();
    assert_eq!((read.grade, read.headline), (Patch::Set(Grade::Good), Patch::Keep));
}

#[test]
fn tokens_name_the_places_of_fields() {
    let fields = Review::FIELDS;
    let places = [
        fields.id.ix(),
        fields.grade.ix(),
        fields.stars.ix(),
        fields.headline.ix(),
        fields.price.ix(),
    ];
    assert_eq!(places.map(|ix| ix.0), [0, 1, 2, 3, 4]);
    assert_eq!(fields.notes.ix().0, 5);
}

#[test]
fn a_struct_that_anybody_may_look_into_is_made_from_what_is_in_it() {
    assert_eq!(Label::from("a"), Label::from("a".to_owned()));
    assert_eq!(Headline::from(Label::from("a")), Headline(Label("a".into())));
}

#[test]
fn a_type_on_another_has_its_constraints() {
    let def = Headline::DEF;
    assert_eq!((def.base, def.kind), (Some("label"), FieldKind::String));
    assert_eq!((def.min_length, def.max_length), (Some(2), Some(40)));
    let headline = Review::DEF.fields[2];
    assert_eq!((headline.type_name, headline.max_length), (Some("headline"), Some(40)));
}
