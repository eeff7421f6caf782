//! Generates rows for the oracle's queries. The values come from small pools, so that filters
//! match, and from the whole range of each kind.

use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value as Json, json};

pub(super) const SCHEMA: &str = "
nouns: 1
resources:
  herd:
    fields: { label: string }
  animal:
    parent: herd
    fields:
      name:   { type: string, required: true }
      note:   string
      code:   { type: string, ignore_case: true }
      rank:   { type: integer, required: true }
      score:  integer
      weight: number
      price:  { type: decimal, scale: 2 }
      tame:   boolean
      born:   date
      seen:   datetime
    sort: [-rank, name]
    limit: { default: 5, maximum: 50 }
";

/// The kinds of values that the server compares differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Text,
    Folded,
    Integer,
    Number,
    Decimal,
    Boolean,
    Date,
    Instant,
}

/// The fields of an animal: name, kind, and whether the field is required.
pub(super) const FIELDS: [(&str, Kind, bool); 10] = [
    ("name", Kind::Text, true),
    ("note", Kind::Text, false),
    ("code", Kind::Folded, false),
    ("rank", Kind::Integer, true),
    ("score", Kind::Integer, false),
    ("weight", Kind::Number, false),
    ("price", Kind::Decimal, false),
    ("tame", Kind::Boolean, false),
    ("born", Kind::Date, false),
    ("seen", Kind::Instant, false),
];

/// The key by which values of a kind are compared.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(super) enum Key {
    Integer(i64),
    Number(f64),
    Text(String),
}

/// A value in four forms: as it is spelled in a query, sent in a body and returned by the server,
/// and as a key for comparisons.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) spelled: String,
    pub(super) sent: Json,
    pub(super) shown: Json,
    pub(super) key: Key,
}

/// A value or `None` for each of [`FIELDS`].
pub(super) type Row = Vec<Option<Scalar>>;

const TEXTS: [&str; 26] = [
    "",
    "a",
    "A",
    "b",
    "B",
    "ab",
    "aB",
    "AB",
    "abc",
    "Äpfel",
    "äpfel",
    "ß",
    "\u{17f}",
    "\u{212a}",
    "日本",
    "😀",
    "a,b",
    ",",
    "\\",
    "a\\",
    "50%",
    "%",
    "_",
    "it's",
    "a+b &=",
    "\"\n\t\u{1}",
];

/// Spellings of instants in a query or a body, and the form in which the server returns each.
const INSTANTS: [(&str, &str); 8] = [
    ("2026-11-20T08:30:00Z", "2026-11-20T08:30:00.000000Z"),
    ("2026-11-20T10:30:00+02:00", "2026-11-20T08:30:00.000000Z"),
    ("2026-11-20T08:30:00.000001Z", "2026-11-20T08:30:00.000001Z"),
    ("2026-11-20t08:30:00.5z", "2026-11-20T08:30:00.500000Z"),
    ("2026-11-20T23:59:59.999999-01:00", "2026-11-21T00:59:59.999999Z"),
    ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900000Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z"),
];

const DATES: [&str; 6] =
    ["0001-01-01", "1999-12-31", "2024-02-29", "2026-11-20", "2026-11-21", "9999-12-31"];

fn texts() -> BoxedStrategy<String> {
    let anywhere =
        prop::collection::vec(any::<char>().prop_filter("no U+0000", |char| *char != '\0'), 0..4);
    prop_oneof![
        6 => select(&TEXTS[..]).prop_map(str::to_owned),
        2 => "[abAB,%_\\\\]{0,4}",
        1 => anywhere.prop_map(String::from_iter),
    ]
    .boxed()
}

fn numbers() -> BoxedStrategy<f64> {
    let few = select(
        &[-1.5, 0.0, -0.0, 0.1, 0.3, 1.0, 2.5, 1e21, 1e-7, 5e-324, 1.797_693_134_862_315_7e308][..],
    );
    let everywhere = any::<f64>().prop_filter("finite", |value| value.is_finite());
    prop_oneof![4 => few, 1 => everywhere]
        .prop_map(|value| if value == 0.0 { 0.0 } else { value })
        .boxed()
}

fn integers() -> BoxedStrategy<i64> {
    prop_oneof![6 => -3..6i64, 1 => any::<i64>(), 1 => select(&[i64::MIN, i64::MAX, (1 << 53) + 1][..])]
        .boxed()
}

/// Generates values of a kind.
pub(super) fn scalar(kind: Kind) -> BoxedStrategy<Scalar> {
    let string = |spelled: String, shown: String, key| Scalar {
        sent: spelled.clone().into(),
        spelled,
        shown: shown.into(),
        key,
    };
    let plain = |value: Json, key| Scalar {
        spelled: value.to_string(),
        sent: value.clone(),
        shown: value,
        key,
    };
    match kind {
        Kind::Text => texts()
            .prop_map(move |text| string(text.clone(), text.clone(), Key::Text(text)))
            .boxed(),
        Kind::Folded => texts()
            .prop_map(move |text| {
                string(text.clone(), text.clone(), Key::Text(text.to_ascii_lowercase()))
            })
            .boxed(),
        Kind::Integer => {
            integers().prop_map(move |value| plain(value.into(), Key::Integer(value))).boxed()
        }
        Kind::Number => {
            numbers().prop_map(move |value| plain(value.into(), Key::Number(value))).boxed()
        }
        Kind::Decimal => (integers(), any::<bool>())
            .prop_map(move |(cents, short)| {
                let sign = if cents < 0 { "-" } else { "" };
                let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
                let shown = format!("{sign}{whole}.{rest:02}");
                let spelled =
                    if short && rest == 0 { format!("{sign}{whole}") } else { shown.clone() };
                string(spelled, shown, Key::Integer(cents))
            })
            .boxed(),
        Kind::Boolean => any::<bool>()
            .prop_map(move |value| plain(value.into(), Key::Integer(value.into())))
            .boxed(),
        Kind::Date => select(&DATES[..])
            .prop_map(move |date| string(date.into(), date.into(), Key::Text(date.into())))
            .boxed(),
        Kind::Instant => select(&INSTANTS[..])
            .prop_map(move |(spelled, shown)| {
                string(spelled.into(), shown.into(), Key::Text(shown.into()))
            })
            .boxed(),
    }
}

/// Generates rows. One in four optional values is absent.
pub(super) fn row() -> BoxedStrategy<Row> {
    let cells: Vec<_> = FIELDS
        .iter()
        .map(|(_, kind, required)| {
            let value = scalar(*kind);
            if *required {
                value.prop_map(Some).boxed()
            } else {
                prop::option::weighted(0.75, value).boxed()
            }
        })
        .collect();
    cells.boxed()
}

/// Returns the body of the request that creates a row.
pub(super) fn body(row: &Row) -> Json {
    let named = FIELDS.iter().zip(row);
    let sent = named
        .filter_map(|((name, ..), cell)| Some(((*name).to_owned(), cell.as_ref()?.sent.clone())));
    Json::Object(sent.collect())
}

/// Returns the member that the server should return for a row. The values that the server sets are
/// taken from `member`.
pub(super) fn shown(row: &Row, member: &Json) -> Json {
    let assigned = ["id", "herd_id", "created_at", "updated_at"]
        .map(|name| (name.to_owned(), member[name].clone()));
    let mut object: Map<String, Json> = assigned.into_iter().collect();
    for ((name, ..), cell) in FIELDS.iter().zip(row) {
        object.insert(
            (*name).to_owned(),
            cell.as_ref().map_or(json!(null), |cell| cell.shown.clone()),
        );
    }
    Json::Object(object)
}
