//! Access rules that hide rows. Each response is as if the hidden rows did not exist, and the rows
//! do not change.

use std::sync::Arc;

use nouns_runtime::{
    Model,
    def::{
        ApiDef, FieldDef, FieldKind, OnDelete, Operation, Operations, ParentDef, ReferenceDef,
        ResourceDef, Routes,
    },
    model::{
        FieldIx, Op, Path, RuleSet,
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
    },
    value::Value,
};
use serde_json::Value as Json;

use crate::{hooks::bed::Bed, store::bed::wait};

const ALL: Operations = Operations::of(&Operation::ALL);

static ZOO: ResourceDef = ResourceDef {
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef { ignore_case: true, ..FieldDef::new("city", FieldKind::String) },
    ],
    methods: ALL,
    ..ResourceDef::new("zoo", "zoos", "Zoo")
};

static ANIMAL: ResourceDef = ResourceDef {
    parent: Some(ParentDef {
        resource: "zoo",
        field: "zoo_id",
        on_delete: OnDelete::Cascade,
        movable: true,
        required: true,
    }),
    routes: Routes::Both,
    fields: &[
        FieldDef { required: true, ..FieldDef::new("name", FieldKind::String) },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "animal",
                alias: "mother",
                on_delete: OnDelete::SetNull,
                children: None,
            }),
            ..FieldDef::new("mother_id", FieldKind::Reference)
        },
    ],
    methods: ALL,
    ..ResourceDef::new("animal", "animals", "Animal")
};

static TICKET: ResourceDef = ResourceDef {
    fields: &[
        FieldDef { unique: true, ..FieldDef::new("code", FieldKind::String) },
        FieldDef {
            reference: Some(ReferenceDef {
                resource: "zoo",
                alias: "zoo",
                on_delete: OnDelete::Restrict,
                children: None,
            }),
            ..FieldDef::new("zoo_id", FieldKind::Reference)
        },
    ],
    methods: ALL,
    ..ResourceDef::new("ticket", "tickets", "Ticket")
};

static API: ApiDef =
    ApiDef { resources: &[&ZOO, &ANIMAL, &TICKET], ..ApiDef::new("Zoos with secrets") };

/// The rows of the tests: a zoo with an animal and a ticket, a secret zoo with an animal and a
/// ticket, and an animal that is secret itself.
const ROWS: &str = "
    INSERT INTO zoos (id, name, city, created_at, updated_at) VALUES
        (1, 'Open', 'Bonn', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'),
        (4711, 'Shut', 'Secret', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z');
    INSERT INTO animals (id, zoo_id, name, mother_id, created_at, updated_at) VALUES
        (1, 1, 'Ada', NULL, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'),
        (4713, 4711, 'Eve', NULL, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'),
        (4715, 1, 'Hidden Hal', 1, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z');
    INSERT INTO tickets (id, zoo_id, code, created_at, updated_at) VALUES
        (1, 1, 'A', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z'),
        (2, 4711, 'B', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z');";

/// A query for the content of all tables as one string, to compare it before and after a request.
const LOOK: &str = "
    SELECT string_agg(line, '|') FROM (
        SELECT 'zoo ' || id || name || coalesce(city, '') AS line FROM zoos UNION ALL
        SELECT 'animal ' || id || zoo_id || name || coalesce(CAST(mother_id AS text), '') FROM animals UNION ALL
        SELECT 'ticket ' || id || zoo_id FROM tickets ORDER BY line) AS lines";

/// The access rule that matches rows for which the test of a field is false.
fn without(model: &Model, resource: &str, (path, op, value): (&str, Op, &str)) -> RuleTest {
    let find = |name: &str| model.resources().iter().find(|one| one.def.name == name).unwrap();
    RuleTest::Not(Box::new(RuleTest::Test {
        subject: model.seen(RuleSet::NONE).path(find(resource).ix, path).unwrap().into(),
        op,
        values: vec![RuleValue::Fixed(Value::Text(value.into()))],
    }))
}

/// The model with rules for anonymous callers. Zoos in the city `secret`, their animals, and
/// animals whose name begins with `Hidden` are invisible. Tickets have no rules.
fn ruled() -> Arc<Model> {
    let model = Model::link(&API).unwrap();
    let secret = ("city", Op::Eq, "secret");
    let rule = |at: usize, test| Some(Rule::new(&model, model.resources()[at].ix, test));
    let shown = |resource, test| without(&model, resource, test);
    let zoos = ResourceRules {
        read: rule(0, shown("zoo", secret)),
        create: rule(0, shown("zoo", secret)),
        update: rule(0, shown("zoo", secret)),
        delete: None,
    };
    let of_zoo = shown("animal", ("zoo.city", Op::Eq, "secret"));
    let hidden = shown("animal", ("name", Op::StartsWith, "Hidden"));
    let animals = ResourceRules {
        read: rule(1, RuleTest::All(vec![of_zoo, hidden.clone()])),
        create: rule(1, hidden.clone()),
        update: rule(1, hidden),
        delete: None,
    };
    let rules = vec![zoos, animals, ResourceRules::default()];
    Arc::new(model.with_rules(rules))
}

#[test]
#[should_panic(expected = "each step of a path must lead to one member, unlike `animals`")]
fn a_rule_passes_one_member_at_each_step() {
    let model = Model::link(&API).unwrap();
    let [zoo, animal, ..] = model.resources() else { panic!("the model has zoos and animals") };
    let animals = model.seen(RuleSet::NONE).relation(zoo.ix, "animals").unwrap();
    let path = Path { steps: [animals].into(), end: animal.ix, field: FieldIx::ID };
    let values = vec![RuleValue::Fixed(Value::Integer(1))];
    let test = RuleTest::Test { subject: path.into(), op: Op::Eq, values };
    drop(Rule::new(&model, zoo.ix, test));
}

fn open() -> Bed {
    let bed = Bed::of(&ruled());
    bed.database.run(ROWS);
    bed
}

fn look(bed: &Bed) -> String {
    bed.database.cell(LOOK)
}

/// Requests for a zoo, with `{}` in place of the id. Each is sent for a hidden row and for a row
/// that does not exist.
const OF_ZOO: [(&str, &str); 22] = [
    ("GET /zoos/{}", ""),
    ("HEAD /zoos/{}", ""),
    ("PUT /zoos/{}", r#"{ "name": "Mine" }"#),
    ("PATCH /zoos/{}", r#"{ "name": "Mine" }"#),
    ("DELETE /zoos/{}", ""),
    ("GET /zoos/{}/animals", ""),
    ("GET /zoos/{}/animals?count=true", ""),
    ("GET /zoos/{}/animals/4713", ""),
    ("POST /zoos/{}/animals", r#"{ "name": "Mine" }"#),
    ("PATCH /zoos/{}/animals/4713", r#"{ "name": "Mine" }"#),
    ("DELETE /zoos/{}/animals/4713", ""),
    ("DELETE /zoos/{}/animals?name=Eve", ""),
    ("GET /zoos?id={}&count=true", ""),
    ("DELETE /zoos?id={}", ""),
    ("GET /animals?zoo_id={}&count=true", ""),
    ("POST /animals", r#"{ "name": "Mine", "zoo_id": {} }"#),
    ("PATCH /animals/1", r#"{ "zoo_id": {} }"#),
    ("POST /tickets", r#"{ "zoo_id": {} }"#),
    ("PATCH /tickets/1", r#"{ "zoo_id": {} }"#),
    ("POST /tickets", r#"{ "zoo_id": {}, "code": "A" }"#),
    ("POST /tickets", r#"[{ "code": "C" }, { "zoo_id": {}, "code": "A" }]"#),
    ("PATCH /tickets/1", r#"{ "zoo_id": {}, "code": "B" }"#),
];

const OF_ANIMAL: [(&str, &str); 11] = [
    ("GET /animals/{}", ""),
    ("PUT /animals/{}", r#"{ "name": "Mine", "zoo_id": 1 }"#),
    ("PATCH /animals/{}", r#"{ "name": "Mine" }"#),
    ("PATCH /animals/{}", r#"{ "zoo_id": 1 }"#),
    ("DELETE /animals/{}", ""),
    ("GET /zoos/1/animals/{}", ""),
    ("PATCH /zoos/1/animals/{}", r#"{ "name": "Mine" }"#),
    ("GET /animals?mother_id={}&count=true", ""),
    ("DELETE /animals?id={}", ""),
    ("PATCH /animals/1", r#"{ "mother_id": {} }"#),
    ("POST /zoos/1/animals", r#"{ "name": "Mine", "mother_id": {} }"#),
];

/// The header fields with which each request of [`OF_ZOO`] is sent.
const FIELDS: [&[(&str, &str)]; 6] = [
    &[],
    &[("if-none-match", "*")],
    &[("if-match", "*")],
    &[("if-match", "\"1-json-00000000\"")],
    &[("accept", "text/csv")],
    &[("accept", "image/png")],
];

async fn answered(
    bed: &Bed,
    (line, body): (&str, &str),
    id: &str,
    fields: &[(&str, &str)],
) -> (u16, String) {
    let (line, body) = (line.replace("{}", id), body.replace("{}", id));
    let answer = bed.ask_with(&line, &body, fields).await;
    let mut json = answer.json;
    if let Json::Object(members) = &mut json {
        members.remove("request_id");
    }
    (answer.status, json.to_string().replace(id, "?"))
}

#[test]
fn what_is_hidden_is_answered_like_what_there_is_not() {
    wait(async {
        let bed = open();
        let before = look(&bed);
        let cases = OF_ZOO.map(|case| (case, "4711", "4712")).into_iter().chain(
            OF_ANIMAL.into_iter().flat_map(|case| [(case, "4713", "4714"), (case, "4715", "4716")]),
        );
        for (case, hidden, absent) in cases {
            for fields in FIELDS {
                let there = answered(&bed, case, hidden, fields).await;
                let not_there = answered(&bed, case, absent, fields).await;
                assert_eq!(there, not_there, "{case:?} {fields:?} of {hidden}");
                assert_eq!(
                    look(&bed),
                    before,
                    "{case:?} {fields:?} for the hidden row {hidden} changed the database"
                );
            }
        }
        let patch = [("content-type", "application/json-patch+json")];
        let operations = r#"[{ "op": "test", "path": "/name", "value": "Shut" }]"#;
        let case = ("PATCH /zoos/{}", operations);
        assert_eq!(
            answered(&bed, case, "4711", &patch).await,
            answered(&bed, case, "4712", &patch).await
        );
    });
}

#[test]
fn lists_and_counts_leave_out_what_is_hidden() {
    wait(async {
        let bed = open();
        for (line, names) in [
            ("GET /zoos?count=true", &["Open"][..]),
            ("GET /zoos?count=true&sortby=-name&limit=1", &["Open"]),
            ("GET /zoos?count=true&id[gt]=1", &[]),
            ("GET /zoos?count=true&city=secret", &[]),
            ("GET /zoos?count=true&city[ne]=Bonn", &[]),
            ("GET /animals?count=true", &["Ada"]),
            ("GET /animals?count=true&name[contains]=e", &[]),
            ("GET /zoos/1/animals?count=true", &["Ada"]),
            ("GET /zoos/1/animals?count=true&sortby=name&page=1&per_page=1", &["Ada"]),
        ] {
            let page = bed.ask(line, "").await.json;
            let items = page["items"].as_array().unwrap();
            let found: Vec<_> = items.iter().map(|item| item["name"].as_str().unwrap()).collect();
            assert_eq!(found, names, "{line}");
            assert_eq!(page["total"], names.len(), "{line}");
            assert!(page["links"].get("next").is_none_or(Json::is_null), "{line}: {page}");
        }
        let all = bed.ask("GET /tickets?count=true", "").await.json;
        assert_eq!(all["total"], 2, "no access rule hides tickets");
    });
}

#[test]
fn what_may_not_be_left_is_forbidden_and_undone() {
    wait(async {
        let bed = open();
        let before = look(&bed);
        for (line, body) in [
            ("POST /zoos", r#"{ "name": "Mine", "city": "secret" }"#),
            ("POST /zoos", r#"[{ "name": "A" }, { "name": "Mine", "city": "secret" }]"#),
            ("PATCH /zoos/1", r#"{ "city": "secret" }"#),
            ("PUT /zoos/1", r#"{ "name": "Open", "city": "secret" }"#),
            ("POST /zoos/1/animals", r#"{ "name": "Hidden Ida" }"#),
            ("PATCH /animals/1", r#"{ "name": "Hidden Ada" }"#),
        ] {
            let answer = bed.ask(line, body).await;
            assert_eq!(answer.status, 403, "{line} {body}: {}", answer.json);
            assert_eq!(look(&bed), before, "{line} {body}");
        }
        assert_eq!(bed.ask("POST /zoos", r#"{ "name": "B", "city": "Bonn" }"#).await.status, 201);
        assert_eq!(bed.ask("PATCH /zoos/1", r#"{ "name": "C" }"#).await.status, 200);
    });
}

/// A reference to a hidden member may stay unchanged in a write. The client may have set it before
/// the member was hidden.
#[test]
fn a_reference_to_what_is_hidden_may_stay() {
    wait(async {
        let bed = open();
        let ticket = r#"{ "zoo_id": 4711 }"#;
        assert_eq!(bed.ask("PUT /tickets/2", ticket).await.status, 200);
        assert_eq!(bed.ask("PATCH /tickets/2", ticket).await.status, 200);
        assert_eq!(bed.ask("PATCH /tickets/1", ticket).await.status, 409);
        assert_eq!(
            bed.ask("PATCH /tickets/99", ticket).await.status,
            404,
            "a missing ticket is reported before a hidden zoo"
        );
        assert_eq!(
            bed.ask("POST /zoos/99/animals", r#"{ "name": "x", "mother_id": 4713 }"#).await.status,
            404
        );
        assert!(look(&bed).contains("ticket 11"));
    });
}

/// Pages by cursor, in the two directions, do not contain hidden rows. The access rules apply to
/// each range of the query.
#[test]
fn pages_are_walked_past_what_is_hidden() {
    wait(async {
        let bed = open();
        for at in 10..40 {
            let (name, zoo) =
                (["'Bo'", "'Hidden'", "'Cy'"][at % 3], if at % 4 == 0 { 4711 } else { 1 });
            let mother = if at % 5 == 0 { "1" } else { "NULL" };
            let row = format!("INSERT INTO animals (id, zoo_id, name, mother_id, created_at, updated_at) VALUES
                ({at}, {zoo}, {name}, {mother}, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z')");
            bed.database.run(&row);
        }
        for collection in ["/animals", "/zoos/1/animals"] {
            for order in ["name", "-name", "mother_id,-name", "-mother_id"] {
                let whole =
                    bed.ask(&format!("GET {collection}?sortby={order}&limit=100"), "").await.json;
                let ids = |page: &Json| -> Vec<i64> {
                    page["items"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|one| one["id"].as_i64().unwrap())
                        .collect()
                };
                let expected = ids(&whole);
                assert!(
                    expected.len() > 10
                        && expected.iter().all(|id| *id == 1 || (id % 3 != 1 && id % 4 != 0)),
                    "{expected:?}"
                );
                let (mut next, mut found, mut back) =
                    (format!("{collection}?sortby={order}&limit=3"), vec![], vec![]);
                let mut last = loop {
                    let page = bed.ask(&format!("GET {next}"), "").await.json;
                    found.extend(ids(&page));
                    match page["links"]["next"].as_str() {
                        Some(link) => next = link.to_owned(),
                        None => break page,
                    }
                };
                assert_eq!(found, expected, "{collection} {order}");
                loop {
                    back.splice(0..0, ids(&last));
                    let Some(link) = last["links"]["prev"].as_str() else { break };
                    last = bed.ask(&format!("GET {link}"), "").await.json;
                }
                assert_eq!(back, expected, "{collection} {order}, backwards");
            }
        }
    });
}

/// The access rule of an animal reads the zoo of the animal. So the cached responses of animals,
/// and their validators, depend on zoos, too.
#[test]
fn what_a_rule_looks_at_counts_for_validators_and_the_cache() {
    wait(async {
        let bed = open();
        let mut tag = String::new();
        for _ in 0..3 {
            let answer = bed.ask("GET /animals", "").await;
            assert_eq!(answer.json["items"].as_array().unwrap().len(), 1);
            tag = answer.headers["etag"].to_str().unwrap().to_owned();
            let revalidated = bed.ask_with("GET /animals", "", &[("if-none-match", &tag)]).await;
            assert_eq!(revalidated.status, 304);
            assert_eq!(bed.ask("GET /animals/1", "").await.status, 200);
        }
        bed.database.run("UPDATE zoos SET city = 'SECRET' WHERE id = 1");
        let answer = bed.ask("GET /animals", "").await;
        assert_eq!(answer.json["items"].as_array().unwrap().len(), 0);
        assert_eq!(bed.ask_with("GET /animals", "", &[("if-none-match", &tag)]).await.status, 200);
        assert_eq!(bed.ask("GET /animals/1", "").await.status, 404);
    });
}
