//! The feature `serde`: field types, new members and patches have the form of request bodies.

use nouns::{Api, Date, Decimal, FieldType, Id, Json, Patch, Resource, Time, Timestamp, Uuid};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use crate::bed::Bed;

#[derive(Clone, Copy, Debug, PartialEq, FieldType)]
enum View {
    Sea,
    #[field_type(value = "inner court")]
    Court,
}

#[derive(Clone, Copy, Debug, PartialEq, FieldType)]
enum Stars {
    #[field_type(value = 1)]
    One,
    #[field_type(value = 2)]
    Two,
}

#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(scale = 2)]
struct Money(Decimal);

#[derive(Clone, Debug, PartialEq, FieldType)]
struct Rent(Money);

#[derive(Clone, Debug, Resource)]
struct Hotel {
    id: Id<Self>,
    name: String,
}

/// A room with a field of every kind. The derives of serde need the traits for each field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(id = string, parent(resource = Hotel, movable), routes = both)]
struct Room {
    id: Id<Self>,
    hotel_id: Id<Hotel>,
    #[resource(min_length = 2)]
    name: String,
    floor: i8,
    area: f64,
    quiet: bool,
    #[resource(scale = 3)]
    height: Decimal,
    built: Date,
    opens: Time,
    cleaned: Timestamp,
    key: Uuid,
    tags: Json,
    view: View,
    rent: Rent,
    stars: Option<Stars>,
    #[resource(default = 5)]
    fee: Option<Money>,
    #[resource(default = 2)]
    beds: u8,
    next_id: Option<Id<Self>>,
    #[resource(name = "type")]
    kind: Option<String>,
    #[resource(write_only)]
    code: Option<String>,
    #[resource(create_only)]
    number: Option<i64>,
    #[resource(read_only)]
    rating: Option<i64>,
    #[resource(hidden)]
    note: Option<String>,
}

fn room() -> Room {
    Room {
        id: Id::new("a".into()),
        hotel_id: Id::new(1),
        name: "Gull".into(),
        floor: -1,
        area: 20.5,
        quiet: true,
        height: Decimal::new(2500, 3),
        built: "1990-05-01".parse().unwrap(),
        opens: "08:30:00".parse().unwrap(),
        cleaned: "2026-11-20T08:30:00.5Z".parse().unwrap(),
        key: Uuid::from_u128(7),
        tags: json!({ "a": [1, null] }),
        view: View::Court,
        rent: Rent(Money(Decimal::new(9500, 2))),
        stars: Some(Stars::Two),
        fee: None,
        beds: 3,
        next_id: None,
        kind: Some("suite".into()),
        code: Some("0000".into()),
        number: Some(9),
        rating: None,
        note: None,
    }
}

/// The serialized form of [`room`], as a new member.
fn body() -> Json {
    json!({
        "id": "a", "hotel_id": 1, "name": "Gull", "floor": -1, "area": 20.5, "quiet": true,
        "height": "2.500", "built": "1990-05-01", "opens": "08:30:00",
        "cleaned": "2026-11-20T08:30:00.500000Z", "key": "00000000-0000-0000-0000-000000000007",
        "tags": { "a": [1, null] }, "view": "inner court", "rent": "95.00", "stars": 2,
        "fee": null, "beds": 3, "type": "suite", "code": "0000", "number": 9,
    })
}

fn api() -> Api {
    Api::new("Hotels").resource::<Hotel>().resource::<Room>()
}

/// `body` with one member set, or removed if `value` is `None`.
fn with(mut body: Json, name: &str, value: Option<Json>) -> Json {
    let members = body.as_object_mut().unwrap();
    match value {
        Some(value) => drop(members.insert(name.into(), value)),
        None => drop(members.remove(name)),
    }
    body
}

/// The message of the error with which `value` is refused, without the position in the text.
fn refused<T: DeserializeOwned>(value: &Json) -> String {
    let error = serde_json::from_str::<T>(&value.to_string()).err();
    let message = error.unwrap_or_else(|| panic!("{value} must be refused")).to_string();
    message.split(" at line ").next().unwrap().to_owned()
}

#[test]
fn an_enum_is_its_words() {
    assert_eq!(View::ALL, [View::Sea, View::Court]);
    assert_eq!((View::Court.as_str(), Stars::Two.as_str()), ("inner court", "2"));
    assert_eq!(format!("{:>12}|{}", View::Court, Stars::One), " inner court|1");
    assert_eq!(("sea".parse(), "2".parse()), (Ok(View::Sea), Ok(Stars::Two)));
    let error = "lake".parse::<View>().unwrap_err();
    let sentence = "`lake` is not a value of `view`; allowed: `sea`, `inner court`";
    assert_eq!((error.text(), error.to_string().as_str()), ("lake", sentence));
    assert_eq!(error.field_type(), View::DEF);
    let _: Box<dyn std::error::Error + Send + Sync> = error.into();
}

#[test]
fn field_types_have_the_form_of_their_values() {
    let bare = (View::Court, Stars::Two, Rent(Money(Decimal::new(950, 1))));
    let text = r#"["inner court",2,"95.0"]"#;
    assert_eq!(serde_json::to_string(&bare).unwrap(), text);
    assert_eq!(serde_json::from_str::<(View, Stars, Rent)>(text).unwrap(), bare);
    let sentence = "`lake` is not a value of `view`; allowed: `sea`, `inner court`";
    assert_eq!(refused::<View>(&json!("lake")), sentence);
    assert_eq!(refused::<Stars>(&json!(3)), "`3` is not a value of `stars`; allowed: `1`, `2`");
    assert_eq!(refused::<Stars>(&json!("2")), "invalid type: string \"2\", expected i64");
}

#[test]
fn a_struct_of_fields_derives_the_traits_of_serde() {
    let text = serde_json::to_string(&room()).unwrap();
    assert_eq!(serde_json::from_str::<Room>(&text).unwrap(), room());
}

#[test]
fn a_member_becomes_a_new_member_and_a_patch_that_sets_all() {
    let new = NewRoom::from(room());
    assert_eq!((new.id, new.hotel_id), (room().id, Some(room().hotel_id)));
    assert_eq!((new.beds, new.fee, new.stars), (Some(3), Patch::Set(None), Some(Stars::Two)));
    let patch = RoomPatch::from(room());
    assert_eq!((patch.hotel_id, patch.beds), (Patch::Set(room().hotel_id), Patch::Set(3)));
    assert_eq!((patch.note, patch.name), (Patch::Set(None), Patch::Set("Gull".into())));
}

#[test]
fn a_new_member_comes_back_as_it_went() {
    let new = NewRoom::from(room());
    assert_eq!(serde_json::to_value(&new).unwrap(), body());
    for read in [
        serde_json::from_value::<NewRoom>(body()).unwrap(),
        serde_json::from_str(&body().to_string()).unwrap(),
        serde_json::from_reader(body().to_string().as_bytes()).unwrap(),
    ] {
        assert_eq!(format!("{read:?}"), format!("{new:?}"));
    }
    let least = ["stars", "fee", "beds", "type", "code", "number", "hotel_id"];
    let body = least.iter().fold(body(), |body, name| with(body, name, None));
    let least: NewRoom = serde_json::from_value(body.clone()).unwrap();
    assert_eq!((&least.fee, least.beds, &least.stars), (&Patch::Keep, None, &None));
    assert_eq!(serde_json::to_value(&least).unwrap(), body);
}

#[test]
fn a_patch_has_what_it_sets() {
    assert_eq!(serde_json::to_value(RoomPatch::default()).unwrap(), json!({}));
    let patch = RoomPatch {
        stars: Patch::Set(None),
        beds: Patch::Set(1),
        rating: Patch::Set(Some(5)),
        ..RoomPatch::default()
    };
    // A client may not write `rating`, so the serialized patch does not have it.
    let text = r#"{"stars":null,"beds":1}"#;
    assert_eq!(serde_json::to_string(&patch).unwrap(), text);
    let read: RoomPatch = serde_json::from_str(text).unwrap();
    assert_eq!((read.stars, read.beds, read.fee), (Patch::Set(None), Patch::Set(1), Patch::Keep));
    let all = serde_json::to_value(RoomPatch::from(room())).unwrap();
    let expected = ["id", "number"].iter().fold(body(), |body, name| with(body, name, None));
    assert_eq!(all, with(expected, "next_id", Some(Json::Null)));
    let read: RoomPatch = serde_json::from_value(all.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), all);
}

const NEW: &str = "allowed: `id`, `hotel_id`, `name`, `floor`, `area`, `quiet`, `height`, `built`, \
     `opens`, `cleaned`, `key`, `tags`, `view`, `rent`, `stars`, `fee`, `beds`, `next_id`, `type`, \
     `code`, `number`";

#[test]
fn members_that_a_client_may_not_write_are_refused() {
    let refused_new = |name: &str| refused::<NewRoom>(&with(body(), name, Some(json!(null))));
    let unknown = |name: &str| format!("`{name}` is not a field of `room`; {NEW}");
    for name in ["nmae", "note", "kind", "revision", ""] {
        assert_eq!(refused_new(name), unknown(name));
    }
    for name in ["rating", "created_at", "updated_at"] {
        assert_eq!(refused_new(name), format!("`{name}` is read-only in `room`; {NEW}"));
    }
    let patch = NEW.replace("`id`, ", "").replace(", `number`", "");
    for (name, reason) in [
        ("id", "cannot be changed in"),
        ("number", "cannot be changed in"),
        ("rating", "is read-only in"),
        ("note", "is not a field of"),
    ] {
        let sentence = format!("`{name}` {reason} `room`; {patch}");
        assert_eq!(refused::<RoomPatch>(&json!({ name: 1 })), sentence);
    }
}

#[test]
fn a_missing_member_and_one_that_occurs_twice_are_refused() {
    for name in ["id", "name", "floor", "area", "quiet", "height", "built", "tags", "view"] {
        let sentence = format!("missing field `{name}`");
        assert_eq!(refused::<NewRoom>(&with(body(), name, None)), sentence);
    }
    let error = serde_json::from_str::<RoomPatch>(r#"{"beds":1,"beds":1}"#).unwrap_err();
    assert_eq!(error.to_string(), "duplicate field `beds` at line 1 column 16");
    assert_eq!(
        refused::<NewRoom>(&json!([])),
        "invalid type: sequence, expected the values of a new `room`"
    );
}

#[test]
fn a_value_that_does_not_fit_its_field_is_refused() {
    for (name, value, sentence) in [
        ("name", json!(1), "`name`: invalid type: integer `1`, expected a string"),
        ("name", json!(null), "`name`: invalid type: null, expected a string"),
        (
            "beds",
            json!(null),
            "`beds`: invalid type: null, expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        ("beds", json!(256), "the value of `beds` does not fit its Rust type"),
        (
            "floor",
            json!(1.5),
            "`floor`: invalid value: floating point `1.5`, expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        (
            "floor",
            json!(1e300),
            "`floor`: invalid value: floating point `1e+300`, expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        (
            "number",
            json!(u64::MAX),
            "`number`: invalid value: integer `18446744073709551615`, expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
        ("quiet", json!("true"), "`quiet`: invalid type: string \"true\", expected a boolean"),
        (
            "height",
            json!("1.2345"),
            "`height`: must be a decimal number with at most 3 fraction digits",
        ),
        ("built", json!("1990-02-30"), "`built`: must be a valid date, such as 2026-11-20"),
        ("key", json!("7"), "`key`: must be a UUID of 36 characters, with hyphens"),
        ("view", json!("lake"), "`view` must be one of `sea`, `inner court`"),
        ("stars", json!(3), "`stars` must be one of `1`, `2`"),
        (
            "hotel_id",
            json!("1"),
            "`hotel_id`: invalid type: string \"1\", expected a whole number from -9223372036854775808 to 9223372036854775807",
        ),
    ] {
        let body = with(body(), name, Some(value));
        assert_eq!(refused::<NewRoom>(&body), sentence);
    }
    // A whole number may have any spelling, as in a request body.
    let spelled: NewRoom =
        serde_json::from_value(with(body(), "floor", Some(json!(-5.0)))).unwrap();
    assert_eq!(spelled.floor, -5);
    // Constraints are checked when the value is written.
    let short: NewRoom = serde_json::from_value(with(body(), "name", Some(json!("")))).unwrap();
    assert_eq!(short.name, "");
}

#[test]
fn a_value_without_a_form_in_json_is_not_serialized() {
    let message = |room: Room| serde_json::to_string(&NewRoom::from(room)).unwrap_err().to_string();
    assert_eq!(
        message(Room { area: f64::NAN, ..room() }),
        "`area` must be a finite number, such as 2.5"
    );
    let sentence =
        "`height` must be a decimal number from -9223372036854775.808 to 9223372036854775.807";
    assert_eq!(message(Room { height: Decimal::MAX, ..room() }), sentence);
}

#[test]
fn a_post_of_what_is_serialized_stores_what_a_typed_call_stores() {
    let bed = Bed::of(api());
    bed.wait(bed.store().of::<Hotel>().create(NewHotel::new("Sea".into()))).unwrap();
    let rooms = bed.store().of::<Room>();
    bed.wait(rooms.clone().within(Id::new(1)).create(NewRoom::from(room()))).unwrap();
    let new = NewRoom { id: Id::new("b".into()), ..NewRoom::from(room()) };
    let (status, _, answer) = bed.ask("POST /hotels/1/rooms", &serde_json::to_value(&new).unwrap());
    assert_eq!(status, 201, "{answer}");
    let stored = |id: &str| bed.wait(rooms.get(Id::new(id.into()))).unwrap().into_inner();
    assert_eq!(Room { id: room().id, ..stored("b") }, stored("a"));

    let patch = RoomPatch {
        beds: Patch::Set(1),
        stars: Patch::Set(None),
        fee: Patch::Set(Some(Money(Decimal::ONE))),
        ..RoomPatch::default()
    };
    let (status, _, answer) = bed.ask("PATCH /rooms/b", &serde_json::to_value(&patch).unwrap());
    assert_eq!(status, 200, "{answer}");
    bed.wait(async { rooms.update(Id::new("a".into()), patch).await }).unwrap();
    assert_eq!(Room { id: room().id, ..stored("b") }, stored("a"));
    assert_eq!((stored("b").beds, stored("b").stars), (1, None));
}

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(type = uuid, assigned = optional), parent = Hotel)]
struct Guest {
    id: Id<Self>,
    hotel_id: Id<Hotel>,
    room_id: Option<Id<Room>>,
}

#[test]
fn an_id_that_a_client_may_bring_is_optional() {
    let guest = Guest {
        id: Id::new(Uuid::from_u128(7)),
        hotel_id: Id::new(1),
        room_id: Some(Id::new("a".into())),
    };
    let body = json!({ "id": "00000000-0000-0000-0000-000000000007", "room_id": "a" });
    assert_eq!(serde_json::to_value(NewGuest::from(guest)).unwrap(), body);
    let parent = refused::<NewGuest>(&json!({ "hotel_id": 1 }));
    assert_eq!(parent, "`hotel_id` comes from the URL, not from `guest`; allowed: `id`, `room_id`");
}
