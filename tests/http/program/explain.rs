//! Tests of `nouns explain`.

use std::{fs, path::Path, process::Output};

use serde_json::Value;

use super::{Serving, ZOO, nouns, stderr, stdout};
use crate::access::BLOG;

fn explain(folder: &Path, arguments: &[&str]) -> Output {
    nouns(folder).arg("explain").args(arguments).output().unwrap()
}

/// The report of a request in JSON.
fn report(folder: &Path, arguments: &[&str]) -> Value {
    let output = explain(folder, &[arguments, &["--format", "json"]].concat());
    assert!(stderr(&output).is_empty(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = explain(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

/// The errors for a URL of PostgreSQL without a server, and for another one.
const NO_ENGINE: [&str; 2] = match cfg!(feature = "postgres") {
    true => ["` cannot be reached: ", "neither the path of a file nor a URL"],
    false => ["without the feature `postgres`", "only SQLite is supported so far"],
};

#[test]
fn a_read_is_explained_from_its_route_to_its_response() {
    let folder = tempfile::tempdir().unwrap();
    let request = "GET /zoos/1/animals?sortby=name&weight_kg[gte]=2&count=true&limit=5";
    insta::assert_snapshot!(text(folder.path(), &[request, ZOO]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no file must be left");
}

#[test]
fn a_write_is_explained_and_not_executed() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    serving.client().create("/zoos", &serde_json::json!({ "name": "One" }));
    serving.stop("-TERM");
    let before = fs::read(folder.path().join("zoo.db")).unwrap();
    let database = ["--database", "zoo.db"];
    let requests: [&[&str]; 4] = [
        &["POST /zoos", ZOO, "--data", r#"{"name": "Two"}"#],
        &[
            "PATCH /zoos/1",
            ZOO,
            "--data",
            r#"{"city": "Bonn", "created_at": "2026-01-01T00:00:00Z"}"#,
        ],
        &["DELETE /zoos/1", ZOO, "--header", "If-Match: \"1-json\""],
        &["DELETE /admin?name=x", ZOO],
    ];
    let all: Vec<_> =
        requests.iter().map(|one| text(folder.path(), &[one, &database[..]].concat())).collect();
    insta::assert_snapshot!(all.join("\n"));
    assert!(fs::read(folder.path().join("zoo.db")).unwrap() == before);
    let serving = Serving::start(folder.path(), &[ZOO]);
    assert_eq!(serving.client().names("/zoos"), "One");
    serving.stop("-TERM");
}

/// The header fields that an explanation shows as they are.
const STATIC: [&str; 7] = [
    "allow",
    "cache-control",
    "content-type",
    "link",
    "location",
    "vary",
    "x-content-type-options",
];

/// A request: method, target, header fields and body.
type Sent<'t> = (&'t str, &'t str, &'t [(&'t str, &'t str)], &'t str);

/// The report has the status and the header fields of a real response to the same request.
#[test]
fn the_response_is_the_one_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    client.create("/zoos", &serde_json::json!({ "name": "One" }));
    let json = ("content-type", "application/json");
    let cases: [Sent<'_>; 16] = [
        ("GET", "/zoos?sortby=name&fields=id", &[], ""),
        ("GET", "/zoos/1/animals?limit=2", &[("accept-encoding", "gzip")], ""),
        ("GET", "/zoos", &[("accept", "text/csv")], ""),
        ("GET", "/zoos/1", &[], ""),
        ("HEAD", "/zoos/1", &[], ""),
        ("POST", "/zoos", &[json], r#"{"name": "Two"}"#),
        ("POST", "/zoos", &[json, ("prefer", "return=minimal")], r#"{"name": "Three"}"#),
        ("POST", "/zoos", &[json], r#"[{"name": "Four"}, {"name": "Five"}]"#),
        ("PUT", "/zoos/1", &[json], r#"{"name": "Six"}"#),
        ("PATCH", "/zoos/1", &[json], r#"{"name": "Seven"}"#),
        ("DELETE", "/zoos/1", &[], ""),
        ("OPTIONS", "/zoos", &[], ""),
        ("GET", "/", &[], ""),
        ("GET", "/zoos/", &[], ""),
        ("GET", "/zoos?colour=red", &[], ""),
        ("PUT", "/zoos", &[json], "{}"),
    ];
    for (method, target, fields, body) in cases {
        let content = (!body.is_empty()).then_some(body.as_bytes());
        let answer = client.request(method, target, fields, content);
        let request = format!("{method} {target}");
        let mut arguments = vec![request.clone(), ZOO.to_owned()];
        for (name, value) in fields {
            arguments.extend(["--header".to_owned(), format!("{name}: {value}")]);
        }
        if !body.is_empty() {
            arguments.extend(["--data".to_owned(), body.to_owned()]);
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let report = report(folder.path(), &arguments);
        let response = &report["response"];
        assert_eq!(response["status"], answer.status(), "{request}: {report:#}");
        if answer.status() >= 400 {
            let problem = answer.json();
            for member in ["type", "title", "status", "detail", "instance", "errors"] {
                assert_eq!(response["problem"][member], problem[member], "{request}");
            }
            continue;
        }
        let has = |name: &str| response["headers"].get(name).and_then(Value::as_str);
        for name in STATIC {
            let (explained, real) = (has(name), answer.field(name));
            match explained.is_some_and(|text| text.starts_with('(')) {
                true => assert!(real.is_some(), "{request}: {name}"),
                false => assert_eq!(explained, real, "{request}: {name}"),
            }
        }
        assert_eq!(has("etag").is_some(), answer.field("etag").is_some(), "{request}");
    }
    serving.stop("-TERM");
}

/// The statements with their values find the members that the server returns.
#[test]
fn the_statements_are_those_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(folder.path(), &[ZOO]);
    let mut client = serving.client();
    client.create(
        "/zoos",
        &serde_json::json!([{ "name": "A", "city": "X" }, { "name": "B", "city": "Y" }]),
    );
    client.create("/animal_types", &serde_json::json!({ "name": "Lion" }));
    for (zoo, weight) in [(1, 3), (1, 5), (2, 7), (1, 9)] {
        let animal = serde_json::json!({ "name": "x", "animal_type_id": 1, "weight_kg": weight });
        client.create(&format!("/zoos/{zoo}/animals"), &animal);
    }
    let database = rusqlite::Connection::open(folder.path().join("zoo.db")).unwrap();
    for (target, rows) in [
        ("/zoos/1/animals?weight_kg[gt]=3&sortby=-weight_kg", 2),
        ("/zoos/1/animals?weight_kg[gt]=3&limit=1", 2),
        ("/zoos/2/animals/3", 1),
        ("/zoos?city[in]=X,Z&name[contains]=A", 1),
        ("/zoos?offset=1", 1),
    ] {
        let report = report(folder.path(), &[target, ZOO, "--database", "zoo.db"]);
        let statement = &report["statements"][0];
        let values = statement["values"].as_array().unwrap().iter().map(|value| match value {
            Value::String(text) => rusqlite::types::Value::Text(text.clone()),
            Value::Number(number) => match number.as_i64() {
                Some(number) => rusqlite::types::Value::Integer(number),
                None => rusqlite::types::Value::Real(number.as_f64().unwrap()),
            },
            _ => rusqlite::types::Value::Null,
        });
        let mut prepared = database.prepare(statement["sql"].as_str().unwrap()).unwrap();
        let mut found = prepared.query(rusqlite::params_from_iter(values)).unwrap();
        let mut count = 0;
        while found.next().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, rows, "{target}: {report:#}");
        assert!(!statement["plan"].as_array().unwrap().is_empty());
    }
    serving.stop("-TERM");
}

#[test]
fn the_rules_of_a_class_of_callers_are_shown_and_applied() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blog.yaml");
    fs::write(&file, BLOG).unwrap();
    let file = file.to_str().unwrap();
    let blogs = |class: &str| text(folder.path(), &["GET /blogs", file, "--as", class]);
    let (anonymous, signed_in, editor) =
        (blogs("anonymous"), blogs("signed_in"), blogs("role:editor"));
    assert!(anonymous.contains("rules     blog  read    where name = Open\n"), "{anonymous}");
    assert!(anonymous.contains("  ?1 = 'Open'\n"), "{anonymous}");
    assert!(signed_in.contains("where owner_id = $account.id or name = Open\n"), "{signed_in}");
    assert!(signed_in.contains("  ?1 = $account.id\n"), "{signed_in}");
    assert!(signed_in.contains("  cache-control: private, no-cache\n"), "{signed_in}");
    assert!(editor.contains("rules     blog  read    yes\n"), "{editor}");
    assert!(editor.contains("  FROM \"blogs\" AS t\n  ORDER BY"), "{editor}");
    let refused = explain(folder.path(), &["GET /users", file, "--as", "role:nobody"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("there is no role `nobody`"), "{}", stderr(&refused));
    let refused = explain(folder.path(), &["POST /users", file, "--data", "{}"]);
    assert!(stdout(&refused).contains("response  401 Unauthorized\n"), "{}", stdout(&refused));
    let user = r#"{"login": "kim", "password": "a very long secret"}"#;
    let created = text(folder.path(), &["POST /users", file, "--as", "role:admin", "--data", user]);
    assert!(created.contains("(the hash of the password)"), "{created}");
    assert!(!created.contains("a very long secret"), "{created}");
}

#[test]
fn a_wrong_request_is_the_problem_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let output = explain(folder.path(), &["GET /zoos?sortby=nam", ZOO]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), String::new()));
    let text = stdout(&output);
    assert!(text.contains("\nresponse  400 Bad Request\n{\n  \"type\": "), "{text}");
    assert!(text.contains("\"hint\": \"Did you mean `name`?\""), "{text}");
    for (arguments, code, message) in [
        (&["GET zoos", ZOO][..], 2, "write it like `GET /zoos?limit=5`"),
        (&["GET /a b", ZOO], 2, "write it like `GET /zoos?limit=5`"),
        (&["/zoos", ZOO, "-H", "Accept"], 2, "write it like `Accept: text/csv`"),
        (&["/zoos", ZOO, "-H", "Authorization: Basic x"], 1, "choose the caller with --as"),
        (&["/zoos", "no.yaml"], 1, "`no.yaml` cannot be read"),
        (&["/zoos", ZOO, "--database", "no.db"], 1, "the database `no.db` does not exist.\n"),
        (&["/zoos", ZOO, "--database", "postgres://a@127.0.0.1:1/c"], 1, NO_ENGINE[0]),
        (&["/zoos", ZOO, "--database", "mysql://a@b/c"], 1, NO_ENGINE[1]),
    ] {
        let output = explain(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    rusqlite::Connection::open(folder.path().join("other.db"))
        .unwrap()
        .execute_batch("CREATE TABLE zoos (id)")
        .unwrap();
    let output = explain(folder.path(), &["/zoos", ZOO, "--database", "other.db"]);
    let message = "error: the database `other.db` does not have the tables of this schema; ";
    assert!(stderr(&output).starts_with(message), "{}", stderr(&output));
}

#[test]
fn what_needs_no_statement_is_explained_too() {
    let folder = tempfile::tempdir().unwrap();
    for (request, action) in [
        ("GET /", "the home document"),
        ("GET /-/health", "the health check"),
        ("GET /-/ready", "the readiness check"),
        ("GET /-/metrics", "the metrics"),
        ("GET /-/problems/not-found", "the page about a problem"),
        ("OPTIONS /zoos", "the description of the URL"),
        ("OPTIONS *", "the description of the URL"),
        ("GET /zoos/", "a redirect"),
    ] {
        let report = report(folder.path(), &[request, ZOO]);
        assert_eq!(report["action"]["operation"], action, "{request}");
        assert_eq!(report["statements"], serde_json::json!([]), "{request}");
    }
    let patch = r#"[{"op": "replace", "path": "/city", "value": "x"}]"#;
    let media = "Content-Type: application/json-patch+json";
    let report = report(folder.path(), &["PATCH /zoos/1", ZOO, "-d", patch, "-H", media]);
    assert_eq!(report["statements"][0]["purpose"], "member", "{report:#}");
    let newsroom = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/newsroom.yaml");
    let sign_in = text(folder.path(), &["POST /sessions", newsroom, "--data", "{}"]);
    assert!(sign_in.contains("action    sessions and tokens\n"), "{sign_in}");
}

#[test]
fn a_database_that_nobody_has_open_gets_no_files_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a b?#%41");
    fs::create_dir(&odd).unwrap();
    let zoo = fs::canonicalize(ZOO).unwrap();
    let schema = zoo.to_str().unwrap();
    Serving::start(&odd, &[schema]).stop("-TERM");
    let files = || -> Vec<_> {
        let files = fs::read_dir(&odd).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<_> = files
            .map(|file| (file.file_name(), file.metadata().unwrap().modified().unwrap()))
            .collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(before.len(), 1, "{before:?}");
    // Another process would see the change of the folder, too.
    let changed = fs::metadata(&odd).unwrap().modified().unwrap();
    text(&odd, &["GET /zoos", schema, "--database", "zoo.db"]);
    assert_eq!(files(), before);
    assert_eq!(fs::metadata(&odd).unwrap().modified().unwrap(), changed, "no file came and went");
}

#[test]
fn a_password_in_the_url_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let output = explain(folder.path(), &["GET http://ada:s3cret@localhost/zoos", ZOO]);
    assert_eq!(output.status.code(), Some(1));
    let shown = [stdout(&output), stderr(&output)].concat();
    assert!(!shown.contains("s3cret") && !shown.contains("ada"), "{shown}");
    assert!(shown.contains("choose the caller with --as"), "{shown}");
}
