//! Tests of `nouns serve --mock`.

use std::{fs, path::Path};

use super::{Serving, ZOO, run, schema, stderr};

/// A schema with a field of each kind and each constraint.
const ALL: &str = r"
nouns: 1
auth: { accounts: user, login: login }
server: { hosts: [zoo.localhost], rate_limit: { client: 9/1m } }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true, min_length: 12 }
      password: { type: password, required: true }
      role: { enum: [reader, editor], required: true, default: reader }
    access: { read: public }
  tag: { id: string, methods: [list, get], fields: { name: { type: string, required: true, unique: true, max_length: 9 } }, access: { read: public } }
  thing:
    id: uuid
    parent: user
    fields:
      code: { type: string, pattern: '^[A-Z]{3}-\d+$', required: true, unique: true }
      tag_id: { references: tag, required: true }
      other_id: { references: thing }
      creator_id: { references: user, required: true, read_only: true, default: $account.id }
      size: { type: integer, minimum: 5, maximum: 7, required: true }
      depth: { type: number, maximum: -5, required: true }
      price: { type: decimal, scale: 2, minimum: 9.50, maximum: 9.60, required: true }
      cost: { type: decimal, scale: 3, minimum: 0.5, maximum: 1.5, required: true, unique: true }
      fee: { type: decimal, scale: 2, required: true, unique: true }
      day: { type: date, minimum: 2024-02-28, maximum: 2024-03-01, required: true }
      at: { type: datetime, required: true }
      clock: { type: time, minimum: '22:00:00', required: true }
      key: { type: uuid, required: true, unique: true }
      data: { type: json, required: true }
      free: { type: boolean, required: true }
      mail: { type: string, format: email, required: true, unique: true, ignore_case: true }
      host: { type: string, format: hostname, required: true }
      ip: { type: string, format: ipv4, required: true }
      ip6: { type: string, format: ipv6, required: true }
      url: { type: string, format: uri, required: true }
      slug: { type: string, format: slug, required: true }
      long: { type: string, min_length: 300, max_length: 301, required: true }
      short: { type: string, max_length: 2, required: true }
    unique: [[size, free, short]]
    access: { read: public }
  invoice: { parent: { resource: user, field: payer_id }, routes: flat, fields: { name: string }, access: { read: public } }
";

/// The message about a resource that has fewer members.
const FEWER: &str = "has fewer members than --mock asks for";

fn total(serving: &Serving, target: &str) -> i64 {
    let answer = serving.client().get(&format!("{target}?count=true&limit=1"));
    assert_eq!(answer.status(), 200, "{target}: {answer:?}");
    answer.json()["total"].as_i64().unwrap()
}

fn names(folder: &Path, arguments: &[&str]) -> String {
    let serving = Serving::start(folder, &[&[ZOO][..], arguments].concat());
    let names = serving.client().names("/zoos");
    serving.stop("-TERM");
    names
}

#[test]
fn each_collection_has_as_many_valid_members_for_each_parent() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("all.yaml"), ALL).unwrap();
    let serving = Serving::start(folder.path(), &["all.yaml", "--mock", "6"]);
    assert!(serving.banner.contains("stored in a temporary database\n"), "{}", serving.banner);
    for (target, expected) in
        [("/users", 6), ("/tags", 6), ("/users/3/things", 6), ("/invoices", 36)]
    {
        assert_eq!(total(&serving, target), expected, "{target}");
    }
    let thing = serving.client().get("/users/6/things?limit=1").json()["items"][0].clone();
    for (field, value) in thing.as_object().unwrap() {
        assert!(!value.is_null() || field == "other_id", "{field}: {thing}");
    }
    let things = serving.client().get("/users/1/things?limit=100").json();
    let whole = |thing: &serde_json::Value| thing["fee"].as_str().unwrap().ends_with(".00");
    assert!(!things["items"].as_array().unwrap().iter().all(whole), "{things}");
    let (code, log) = serving.stop("-TERM");
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains(FEWER) && !log.contains("method=POST"), "{log}");
    assert!(log.contains("have the password `correct horse battery staple`\n"), "{log}");
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "the database must be a temporary one");
}

#[test]
fn every_shipped_schema_can_be_filled() {
    for (name, target, expected) in [
        ("zoo", "/zoos/3/animals", 3),
        ("league", "/api/v2/players", 9),
        ("newsroom", "/sections", 3),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = format!("{}/schemas/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let serving = Serving::start(folder.path(), &[&file, "--mock", "3"]);
        assert_eq!(total(&serving, target), expected, "{name}");
        let (code, log) = serving.stop("-TERM");
        assert_eq!(code, Some(0), "{name}: {log}");
        assert!(!log.contains(FEWER), "{name}: {log}");
    }
}

#[test]
fn a_seed_decides_the_members() {
    let folder = tempfile::tempdir().unwrap();
    let seven = names(folder.path(), &["--mock", "8", "--mock-seed", "7"]);
    assert_eq!(seven, names(folder.path(), &["--mock", "8", "--mock-seed", "7"]));
    assert_ne!(seven, names(folder.path(), &["--mock", "8"]));
}

#[test]
fn members_that_are_there_stay_and_only_empty_collections_are_filled() {
    let folder = tempfile::tempdir().unwrap();
    let database = [ZOO, "--database", "kept.db"];
    let serving = Serving::start(folder.path(), &database);
    serving.client().create("/zoos", &serde_json::json!({ "name": "Mine" }));
    let before = serving.client().get("/zoos");
    serving.stop("-TERM");
    for _ in 0..2 {
        let mocked = [&database[..], &["--mock", "4"]].concat();
        let serving = Serving::start(folder.path(), &mocked);
        assert_eq!(serving.client().get("/zoos").body, before.body);
        assert_eq!((total(&serving, "/zoos/1/animals"), total(&serving, "/animal_types")), (4, 4));
        let (_, log) = serving.stop("-TERM");
        assert!(!log.contains("applied to"), "{log}");
    }
    assert!(folder.path().join("kept.db").exists());
    let again = run(folder.path(), &["check", ZOO]);
    assert_eq!(again.status.code(), Some(0));
}

#[test]
fn a_changed_schema_is_filled_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = schema(folder.path(), "      name: string\n");
    let serving = Serving::start(folder.path(), &[&file, "--mock", "3", "--watch"]);
    schema(folder.path(), "      title: { type: string, required: true }\n");
    serving.log.until("the schema was reloaded", 1);
    assert_eq!(total(&serving, "/zoos"), 3);
    assert!(serving.client().get("/zoos").json()["items"][0]["title"].is_string());
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("the tables of a temporary database were made again"), "{log}");
}

#[test]
fn fewer_members_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let few = "{ enum: [a, b], required: true, unique: true }";
    let file = schema(folder.path(), &format!("      kind: {few}\n"));
    let serving = Serving::start(folder.path(), &[&file, "--mock", "5"]);
    assert_eq!(total(&serving, "/zoos"), 2);
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains(&format!("`zoo` {FEWER}: ")), "{log}");
    let output = run(folder.path(), &["serve", ZOO, "--mock", "0"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// Everybody knows the password of the accounts that are made.
#[test]
fn a_database_that_stays_gets_no_accounts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.yaml");
    fs::write(&file, ALL).unwrap();
    let file = file.to_str().unwrap();
    let serving = Serving::start(folder.path(), &[file, "--mock", "3", "--database", "kept.db"]);
    let (_, log) = serving.stop("-TERM");
    assert!(log.contains("no accounts were made: "), "{log}");
    let database = rusqlite::Connection::open(folder.path().join("kept.db")).unwrap();
    let count = |table: &str| -> i64 {
        database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("users"), count("tags")), (0, 3));
}
