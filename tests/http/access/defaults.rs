//! Defaults that are values of the caller's account.

use std::sync::Arc;

use nouns::{
    __runtime::{Model, Store, store::StoreOptions},
    codegen::read_yaml,
    interpret::api_def,
};
use serde_json::{Value as Json, json};

use super::{add_accounts, ask, nothing};
use crate::{client::Answer, database::TestDatabase, server::TestServer};

const WIKI: &str = "
nouns: 1
api: { title: Wiki }
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { type: string, required: true, default: reader }
      team: string
    access: { read: { role: admin }, update: public }
  page:
    id: string
    fields:
      title: { type: string, required: true }
      author_id: { references: user, required: true, default: $account.id, read_only: true }
      editor_id: { references: user, default: $account.id }
      team: { type: string, default: $account.team, max_length: 4 }
    access: { read: public, create: public, update: public, delete: public }
  note:
    fields:
      text: string
      owner_id: { references: user, required: true, default: $account.id }
      team: { type: string, required: true, default: $account.team, create_only: true }
    access: { read: public, create: { where: { owner_id: $account.id } }, update: public }
  card:
    fields: { owner_id: { references: user, required: true, default: $account.id } }
    access: { read: public, create: public }
  log:
    fields: { text: string, by: { type: string, default: $account.login, read_only: true } }
    access: { read: public, create: public, update: public }
";

fn wiki() -> TestServer {
    let server = TestServer::of(WIKI);
    add_accounts(&server, &[("ann", "reader"), ("bob", "reader")]);
    server.elsewhere("UPDATE users SET team = 'red' WHERE id = 1");
    server
}

fn faults(answer: &Answer) -> Vec<(String, String)> {
    let json = answer.json();
    let errors = json["errors"].as_array().unwrap_or_else(|| panic!("{json}")).clone();
    let text = |json: &Json, key: &str| json[key].as_str().unwrap().to_owned();
    errors.iter().map(|one| (text(one, "pointer"), text(one, "detail"))).collect()
}

#[test]
fn a_new_member_has_the_values_of_its_creator() {
    let server = wiki();
    let mut client = server.client();
    let page = json!({ "id": "home", "title": "Home" });
    let created = ask(&mut client, "ann", "POST /pages", &page);
    assert_eq!(created.status(), 201, "{created:?}");
    let json = created.json();
    assert_eq!((&json["author_id"], &json["editor_id"]), (&json!(1), &json!(1)));
    assert_eq!(json["team"], "red");
    let put = ask(&mut client, "bob", "PUT /pages/other", &json!({ "title": "Other" }));
    assert_eq!(put.status(), 201, "{put:?}");
    assert_eq!((&put.json()["author_id"], &put.json()["team"]), (&json!(2), &json!(null)));
    let many = json!([{ "text": "one" }, { "text": "two", "by": "x" }]);
    let refused = ask(&mut client, "ann", "POST /logs", &many);
    assert_eq!((refused.status(), faults(&refused)[0].0.as_str()), (422, "/1/by"));
    let many = json!([{ "text": "one" }, { "text": "two" }]);
    let created = ask(&mut client, "ann", "POST /logs", &many);
    assert_eq!(created.status(), 201, "{created:?}");
    let logs = ask(&mut client, "ann", "GET /logs?by=ann&count=true", &nothing());
    assert_eq!(logs.json()["total"], 2, "{logs:?}");
}

/// PUT gives a field that it does not name its default, but not a field that clients cannot set.
#[test]
fn a_change_keeps_the_author() {
    let server = wiki();
    let mut client = server.client();
    ask(&mut client, "ann", "POST /pages", &json!({ "id": "home", "title": "Home" }));
    let patch = ask(&mut client, "bob", "PATCH /pages/home", &json!({ "title": "x" }));
    assert_eq!((&patch.json()["author_id"], &patch.json()["editor_id"]), (&json!(1), &json!(1)));
    let put = ask(&mut client, "bob", "PUT /pages/home", &json!({ "title": "y" }));
    assert_eq!((&put.json()["author_id"], &put.json()["editor_id"]), (&json!(1), &json!(2)));
    let stolen = ask(&mut client, "bob", "PATCH /pages/home", &json!({ "author_id": 2 }));
    assert_eq!(stolen.status(), 422, "{stolen:?}");
}

#[test]
fn a_caller_without_the_value_gets_null_or_a_refusal() {
    let server = wiki();
    let mut client = server.client();
    let page = json!({ "id": "home", "title": "Home" });
    let unsigned = ask(&mut client, "", "POST /pages", &page);
    assert_eq!(unsigned.status(), 401, "{unsigned:?}");
    assert!(unsigned.fields.iter().any(|(name, _)| name == "www-authenticate"));
    let put = ask(&mut client, "", "PUT /pages/home", &json!({ "title": "Home" }));
    assert_eq!(put.status(), 401, "{put:?}");
    let card = ask(&mut client, "", "POST /cards", &json!({}));
    assert_eq!(
        faults(&card),
        [(
            "/owner_id".into(),
            "`owner_id` is required; without it, its value is one of your account.".into()
        )]
    );
    assert_eq!(ask(&mut client, "", "POST /cards", &json!({ "owner_id": 1 })).status(), 409);
    assert_eq!(ask(&mut client, "ann", "POST /cards", &json!({})).status(), 201);
    let log = ask(&mut client, "", "POST /logs", &json!({ "text": "t" }));
    assert_eq!((log.status(), &log.json()["by"]), (201, &json!(null)));
    // A field that the client may set is asked for.
    let note = ask(&mut client, "", "POST /notes", &json!({}));
    assert_eq!(note.status(), 401, "the rule for creation needs an account");
    let note = ask(&mut client, "bob", "POST /notes", &json!({}));
    assert_eq!(
        faults(&note),
        [("/team".into(), "`team` is required, and your account has no value for it.".into())]
    );
    let note = ask(&mut client, "bob", "POST /notes", &json!({ "team": "blue" }));
    assert_eq!((note.status(), &note.json()["owner_id"]), (201, &json!(2)), "{note:?}");
}

/// A rule decides who else may be the owner, and the value of the account keeps to the constraints.
#[test]
fn a_default_of_the_account_is_checked_as_any_value() {
    let server = wiki();
    let mut client = server.client();
    let other = ask(&mut client, "ann", "POST /notes", &json!({ "owner_id": 2 }));
    assert!(matches!(other.status(), 403 | 409), "{other:?}");
    server.elsewhere("UPDATE users SET team = 'purple' WHERE id = 1");
    let page = json!({ "id": "p", "title": "P" });
    let long = ask(&mut client, "ann", "POST /pages", &page);
    assert_eq!((long.status(), faults(&long)[0].0.as_str()), (422, "/team"));
}

#[test]
fn options_name_the_default() {
    let server = wiki();
    let described = ask(&mut server.client(), "", "OPTIONS /pages", &nothing());
    assert!(described.json().to_string().contains("\"default\":\"$account.id\""), "{described:?}");
}

/// Rows that are there when a schema gets the field have no creator, so a required field is
/// refused.
#[test]
fn old_rows_get_no_value_of_an_account() {
    let schema = |required: bool| {
        let field = format!(
            "writer_id: {{ references: user, required: {required}, default: $account.id }}"
        );
        let yaml = WIKI.replace("text: string, by:", &format!("text: string, {field}, by:"));
        Arc::new(Model::link(api_def(&read_yaml("wiki.yaml", &yaml).unwrap())).unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let database = TestDatabase::new(folder.path().join("wiki.db"));
    let options = || StoreOptions::new(database.location());
    let before = Model::link(api_def(&read_yaml("wiki.yaml", WIKI).unwrap())).unwrap();
    drop(Store::open(&Arc::new(before), &options()).unwrap());
    database.run("INSERT INTO logs (text) VALUES ('old')");
    let refused = Store::open(&schema(true), &options()).err().unwrap().to_string();
    assert!(refused.contains("writer_id"), "{refused}");
    drop(Store::open(&schema(false), &options()).unwrap());
    assert_eq!(database.cell("SELECT writer_id FROM logs"), "NULL");
}
