//! The collections of the clubs for pseudo-random requests, with values of their fields.

use super::requests::pick;
use crate::random::Random;

/// A collection, and values of its fields as JSON. Some are refused.
pub(super) struct Collection {
    pub(super) name: &'static str,
    pub(super) fields: &'static [(&'static str, &'static [&'static str])],
}

impl Collection {
    /// The name of a field, or one that is no field.
    pub(super) fn field(&self, random: &mut Random) -> &'static str {
        match random.below(12) {
            0 => "id",
            1 => "nope",
            _ => pick(random, self.fields).0,
        }
    }
}

const TEXTS: &[&str] = &["\"\"", "\"Ada\"", "\"ada b\"", "\"Zoë\"", "\"zzname1zz\"", "null"];
const IDS: &[&str] = &["1", "2", "3", "4", "5", "6", "99", "null"];

/// No account is changed so that its requests fail, or is created with the login of a hidden one.
pub(super) const COLLECTIONS: [Collection; 8] = [
    Collection { name: "users", fields: &[("nick", TEXTS), ("role", &["\"editor\"", "\"no\""])] },
    CLUBS,
    CLUBS,
    Collection {
        name: "desks",
        fields: &[
            ("text", &["\"Desk\"", "\"b\"", "\"a-text-that-is-too-long\""]),
            ("pin", TEXTS),
            ("club_id", IDS),
        ],
    },
    Collection {
        name: "tickets",
        fields: &[
            ("title", TEXTS),
            ("text", TEXTS),
            ("club_id", IDS),
            ("desk_id", IDS),
            ("item_id", IDS),
        ],
    },
    ITEMS,
    ITEMS,
    Collection {
        name: "tags",
        fields: &[("id", &["\"a\"", "\"b\"", "\"c d\"", "\"\""]), ("text", TEXTS), ("extra", JSON)],
    },
];

const CLUBS: Collection = Collection {
    name: "clubs",
    fields: &[
        ("name", &["\"Ada\"", "\"zzname1zz\"", "\"b\"", "\"a-name-that-is-too-long\"", "1"]),
        ("motto", TEXTS),
        ("code", TEXTS),
        ("vault", TEXTS),
        ("memo", TEXTS),
        ("stage", &["\"zzstage1zz\"", "\"zzstage2zz\"", "\"no\"", "null"]),
        ("is_open", &["true", "true", "false", "1"]),
        ("owner_id", IDS),
    ],
};

const JSON: &[&str] = &["{\"a\":[1,2.50,{\"b\":null}]}", "[3,1e2]", "\"text\"", "7", "null"];

const ITEMS: Collection = Collection {
    name: "items",
    fields: &[
        (
            "name",
            &[
                "\"Owl\"",
                "\"owl\"",
                "\"Carp\"",
                "\"Zoë\"",
                "\"%_\\\\\"",
                "\"b\"",
                "\"c\"",
                "\"d\"",
                "\"e\"",
            ],
        ),
        ("kind", &["\"bird\"", "\"bird\"", "\"fish\"", "\"cat\""]),
        ("rank", &["1", "2.0", "-9", "-10", "9007199254740993", "1.5", "null"]),
        ("weight", &["1", "2.5", "1e300", "-0.0", "0.1", "1e400", "null"]),
        ("price", &["\"1\"", "\"2.50\"", "\"-0.01\"", "\"1.234\"", "1", "null"]),
        ("sold", &["true", "false", "null"]),
        ("made", &["\"1999-12-31\"", "\"0001-01-01\"", "\"1999-02-30\"", "null"]),
        ("opens", &["\"23:59:59.000001\"", "\"08:30:00\"", "\"25:00:00\"", "null"]),
        (
            "seen",
            &[
                "\"1999-12-31T23:59:59.1234567+01:00\"",
                "\"0001-01-01T00:00:00Z\"",
                "\"no\"",
                "null",
            ],
        ),
        (
            "code",
            &[
                "\"00000000-0000-0000-0000-00000000000A\"",
                "\"00000000-0000-0000-0000-0000000000b0\"",
                "null",
            ],
        ),
        ("extra", JSON),
        ("club_id", IDS),
        ("owner_id", IDS),
    ],
};

/// The id of a member in a URL, which may not exist.
pub(super) fn member(random: &mut Random, collection: &Collection) -> String {
    match collection.name {
        "tags" => (*pick(random, &["a", "b", "c%20d", "d", "%2F"])).to_owned(),
        "users" => (random.below(6) + 1).to_string(),
        _ if random.one_in(20) => (*pick(random, &["0", "01", "x", "99"])).to_owned(),
        _ => (random.below(9) + 1).to_string(),
    }
}

pub(super) fn value(random: &mut Random, values: &[&'static str]) -> &'static str {
    pick::<&str>(random, values)
}

/// A body with each field in `share` of ten cases.
pub(super) fn object(random: &mut Random, collection: &Collection, share: u64) -> String {
    let mut members = vec![];
    for (name, values) in collection.fields {
        if random.below(10) < share {
            members.push(format!("\"{name}\":{}", value(random, values)));
        }
    }
    if random.one_in(20) {
        let odd = ["\"nope\":1", "\"id\":3", "\"created_at\":null", "\"password\":\"x\""];
        members.push((*pick(random, &odd)).to_owned());
    }
    format!("{{{}}}", members.join(","))
}

/// A JSON Patch of one or two operations.
pub(super) fn patch(random: &mut Random, collection: &Collection) -> String {
    let mut operations = vec![];
    for _ in 0..=random.below(2) {
        let (name, values) = *pick(random, collection.fields);
        let value = value(random, values);
        let path =
            if name == "extra" { *pick(random, &["extra", "extra/a/0", "extra/-"]) } else { name };
        let other = collection.field(random);
        operations.push(match random.below(8) {
            0..3 => format!("{{\"op\":\"replace\",\"path\":\"/{path}\",\"value\":{value}}}"),
            3 => format!("{{\"op\":\"add\",\"path\":\"/{path}\",\"value\":{value}}}"),
            4 => format!("{{\"op\":\"test\",\"path\":\"/{path}\",\"value\":{value}}}"),
            5 => format!("{{\"op\":\"remove\",\"path\":\"/{path}\"}}"),
            6 => format!("{{\"op\":\"copy\",\"from\":\"/{other}\",\"path\":\"/{path}\"}}"),
            _ => format!("{{\"op\":\"move\",\"from\":\"/{other}\",\"path\":\"/{path}\"}}"),
        });
    }
    format!("[{}]", operations.join(","))
}
