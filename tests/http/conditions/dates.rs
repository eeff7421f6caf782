//! Tests of `Last-Modified`, and of preconditions with dates (RFC 9110 §8.8.2, §13.1.3, §13.1.4).

use rusqlite::functions::{Context, FunctionFlags};
use serde_json::json;

use super::{tag, zoos};
use crate::{
    client::Client,
    database::{self, TestSession},
    server::TestServer,
};

/// The time of the last change of all members, one second before it, and one second after it.
/// `BEFORE` and `AFTER` have the three date formats of HTTP.
const THEN: &str = "Thu, 02 Jan 2020 03:04:05 GMT";
const BEFORE: [&str; 3] = [
    "Thu, 02 Jan 2020 03:04:04 GMT",
    "Thursday, 02-Jan-20 03:04:04 GMT",
    "Thu Jan  2 03:04:04 2020",
];
const AFTER: [&str; 3] = [
    "Thu, 02 Jan 2020 03:04:06 GMT",
    "Thursday, 02-Jan-20 03:04:06 GMT",
    "Thu Jan  2 03:04:06 2020",
];

/// Runs a script as the server does: its triggers trust the times and the revisions that it sets.
fn run_as_server(server: &TestServer, script: &str) {
    let mut session = server.database.session();
    if let TestSession::Sqlite(database) = &session {
        let flags = FunctionFlags::SQLITE_INNOCUOUS;
        let program = |_: &Context<'_>| Ok("nouns");
        database.create_scalar_function("sqlite_source_id", 0, flags, program).unwrap();
        session.rows(script);
    } else {
        session.rows(&format!("SET nouns.own = '1'; {script}"));
    }
}

/// Changes all members of these resources, and all collections, as if it were another time.
fn change_at(server: &TestServer, tables: &[&str], at: &str) {
    let rows = |table: &&str| {
        format!("UPDATE {table} SET updated_at = '{at}', revision = revision + 1000;")
    };
    let rows: String = tables.iter().map(rows).collect();
    run_as_server(
        server,
        &match database::is_postgres() {
            true => format!(
                "{rows}
             UPDATE _nouns_counters SET count = count + 1, changed_at = '{at}' WHERE slot = 0;
             UPDATE _nouns_counters SET changed_at = '{at}' WHERE slot <> 0;"
            ),
            false => format!(
                "{rows} UPDATE _nouns_tables SET changed_at = '{at}';
             UPDATE _nouns_state SET stamped_at = '{at}', revision = revision + 2000;"
            ),
        },
    );
}

/// Starts a server whose zoos and animals were last changed in the year 2020.
fn old() -> (TestServer, Client) {
    let (mut server, client) = zoos();
    drop(client);
    change_at(&server, &["zoos", "animals"], "2020-01-02T03:04:05.678901Z");
    server.elsewhere("UPDATE _nouns_state SET declared_at = '2020-01-01T00:00:00.000000Z'");
    server.restart();
    let client = server.client();
    (server, client)
}

/// Whether the date of a target can say "unchanged". On PostgreSQL, that of a collection cannot:
/// the times of its changes are not in the order of the commits.
fn has_ordered_times(target: &str) -> bool {
    !database::is_postgres() || target.matches('/').count().is_multiple_of(2)
}

const TARGETS: [&str; 4] = ["/zoos/1", "/zoos", "/zoos/1/animals", "/zoos/1/animals/1"];

/// Conformance 70, 72, 73: `If-Modified-Since` may have any date format, and an unchanged resource
/// is 304.
#[test]
fn what_is_not_modified_since_is_answered_without_content() {
    let (_server, mut client) = old();
    for target in TARGETS {
        assert_eq!(client.get(target).field("last-modified"), Some(THEN), "{target}");
        for method in ["GET", "HEAD"] {
            for date in AFTER.into_iter().chain([THEN]) {
                let answer = client.request(method, target, &[("if-modified-since", date)], None);
                if !has_ordered_times(target) {
                    assert_eq!(answer.status(), 200, "{method} {target} {date}");
                    continue;
                }
                assert_eq!(
                    answer.status_line, "HTTP/1.1 304 Not Modified",
                    "{method} {target} {date}"
                );
                assert_eq!(answer.field("etag"), Some(&*tag(&mut client, target)));
                assert_eq!(
                    (answer.field("content-type"), answer.field("content-length")),
                    (None, None)
                );
            }
            for date in BEFORE {
                let answer = client.request(method, target, &[("if-modified-since", date)], None);
                assert_eq!(answer.status(), 200, "{method} {target} {date}");
            }
        }
    }
}

/// Conformance 70, 71: a date is ignored if there is also an entity tag. An invalid date or a date
/// in the future is ignored, too.
#[test]
fn a_date_is_passed_over_where_it_says_nothing() {
    let (_server, mut client) = old();
    let etag = tag(&mut client, "/zoos/1");
    let mut status =
        |fields: &[(&str, &str)]| client.request("GET", "/zoos/1", fields, None).status();
    assert_eq!(status(&[("if-modified-since", THEN), ("if-none-match", "\"other\"")]), 200);
    assert_eq!(status(&[("if-unmodified-since", BEFORE[0]), ("if-match", &etag)]), 200);
    for odd in [
        "yesterday",
        "2020-01-02",
        "Thu, 02 Jan 2999 03:04:05 GMT",
        "Fri, 02 Jan 2020 03:04:06 GMT",
        "",
    ] {
        assert_eq!(status(&[("if-modified-since", odd)]), 200, "{odd}");
        assert_eq!(status(&[("if-unmodified-since", odd)]), 200, "{odd}");
    }
    for (method, body) in [("PATCH", "{}"), ("DELETE", "")] {
        let answer = client.request(
            method,
            "/zoos/2",
            &[("if-modified-since", THEN)],
            Some(body.as_bytes()),
        );
        assert!(answer.status() < 300, "{method}: {}", answer.status_line);
    }
}

/// Conformance 62, 71, 80: a write with `If-Unmodified-Since` is 412 if the member has changed
/// since that date.
#[test]
fn a_write_with_an_old_date_is_refused() {
    let (_server, mut client) = old();
    let writes = [
        ("PATCH", "/zoos/1", "{}"),
        ("PUT", "/zoos/1", r#"{"name":"x"}"#),
        ("DELETE", "/zoos/1/animals/1", ""),
    ];
    for (method, target, body) in writes {
        for date in BEFORE {
            let fields = [("if-unmodified-since", date)];
            let answer = client.request(method, target, &fields, Some(body.as_bytes()));
            assert_eq!(answer.status(), 412, "{method} {date}");
            assert_eq!(answer.problem(), "precondition-failed");
        }
    }
    let post = |client: &mut Client, date| {
        let fields = [("content-type", "application/json"), ("if-unmodified-since", date)];
        client.request("POST", "/zoos", &fields, Some(br#"{"name":"New"}"#)).status()
    };
    assert_eq!(post(&mut client, BEFORE[0]), 412);
    let expected = if has_ordered_times("/zoos") { 201 } else { 412 };
    assert_eq!(post(&mut client, THEN), expected);
    // The PUT comes after the change by PATCH, so its date is too old.
    for ((method, target, body), expected) in writes.into_iter().zip([200, 412, 204]) {
        let fields = [("if-unmodified-since", AFTER[0])];
        assert_eq!(
            client.request(method, target, &fields, Some(body.as_bytes())).status(),
            expected,
            "{method}"
        );
    }
}

/// Conformance 77: `Last-Modified` of a collection is the time of its last change, including
/// deletions. It is never in the future.
#[test]
fn the_time_of_a_collection_survives_a_deletion_and_a_restart() {
    let (mut server, mut client) = old();
    assert_eq!(client.delete("/zoos/1/animals/1").status(), 204);
    let answer = client.get("/zoos/1/animals");
    let modified = answer.field("last-modified").unwrap().to_owned();
    assert_ne!(modified, THEN);
    assert_eq!(
        client.get("/zoos").field("last-modified"),
        Some(THEN),
        "a change of an animal must not change `Last-Modified` of the zoos"
    );
    drop(client);
    server.restart();
    let mut client = server.client();
    assert_eq!(client.get("/zoos/1/animals").field("last-modified"), Some(&*modified));
    change_at(&server, &["zoos"], "2999-01-02T03:04:05.678901Z");
    let answer = client.get("/zoos/2");
    assert_eq!(answer.field("last-modified"), answer.field("date"));
}

/// Conformance 77: writes of another program change `Last-Modified`, too.
#[test]
fn another_program_that_writes_changes_the_times() {
    let (server, mut client) = old();
    server.elsewhere("UPDATE zoos SET city = 'Bonn' WHERE id = 1");
    for (target, is_old) in
        [("/zoos/1", false), ("/zoos", false), ("/zoos/2", true), ("/animal_types", true)]
    {
        let answer = client.request("GET", target, &[("if-modified-since", THEN)], None);
        let is_unchanged = is_old && has_ordered_times(target);
        assert_eq!(answer.status(), if is_unchanged { 304 } else { 200 }, "{target}");
    }
}

/// A change of the declaration changes `Last-Modified`, since it changes the representations that
/// clients may have cached.
#[test]
fn another_declaration_is_a_change() {
    let (mut server, client) = old();
    drop(client);
    let yaml =
        include_str!("../../../schemas/zoo.yaml").replace("title: City zoos", "title: Other zoos");
    let schema = nouns::codegen::read_yaml("zoo.yaml", &yaml).unwrap();
    server.model =
        std::sync::Arc::new(nouns::Model::link(nouns::interpret::api_def(&schema)).unwrap());
    server.restart();
    let mut client = server.client();
    let answer = client.request("GET", "/zoos/1", &[("if-modified-since", THEN)], None);
    assert_eq!(answer.status(), 200);
    assert_ne!(answer.field("last-modified"), Some(THEN));
    let modified = answer.field("last-modified").unwrap().to_owned();
    drop(client);
    server.restart();
    assert_eq!(server.client().get("/zoos/1").field("last-modified"), Some(&*modified));
}

/// A member without the fields `created_at` and `updated_at` still has a `Last-Modified`.
#[test]
fn times_that_are_not_shown_are_dates_of_members() {
    let server = TestServer::of(
        "nouns: 1\nresources:\n  note:\n    timestamps: false\n    fields: { text: string }\n",
    );
    let mut client = server.client();
    let created = client.create("/notes", &json!({ "text": "a" }));
    assert_eq!(created.json(), json!({ "id": 1, "text": "a" }));
    let modified = created.field("last-modified").unwrap().to_owned();
    assert_eq!(client.get("/notes/1").field("last-modified"), Some(&*modified));
    let patched = client.patch("/notes/1", &json!({ "text": "b" }));
    assert!(patched.field("last-modified").is_some() && patched.field("etag").is_some());
}

/// Returns the time this many seconds from now, in the stored form and in the form of HTTP.
fn shifted(seconds: i64) -> (String, String) {
    let at = jiff::Timestamp::now().checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap();
    (format!("{at:.6}"), jiff::fmt::strtime::format("%a, %d %b %Y %H:%M:%S GMT", at).unwrap())
}

/// Conformance 70, 77: if the clock is set back, a client with an earlier date still sees each
/// change, also of other programs. In this test, the last change in the database is later than the
/// clock.
#[test]
fn a_clock_that_goes_back_hides_no_change() {
    let (server, mut client) = old();
    let (last, date) = shifted(3);
    change_at(&server, &["zoos"], &last);
    assert_eq!(client.patch("/zoos/1", &json!({ "city": "Bonn" })).status(), 200);
    server.elsewhere("UPDATE zoos SET city = 'Ulm' WHERE id = 2");
    assert_eq!(client.delete("/zoos/1/animals/1").status(), 204);
    server.elsewhere("INSERT INTO zoos (name) VALUES ('of another program')");
    // On PostgreSQL, each row goes on from its own time.
    if !database::is_postgres() {
        let stamps = "SELECT count(DISTINCT at) FROM (SELECT updated_at AS at FROM zoos
            WHERE id < 3 OR name = 'of another program'
            UNION ALL SELECT stamped_at FROM _nouns_state)";
        assert_eq!(
            server.cell(stamps),
            "1",
            "the changes must all get the last stored time while the clock is behind it"
        );
    }
    // Waits until the clock is later than the date that the clients have.
    std::thread::sleep(std::time::Duration::from_secs(6));
    for target in ["/zoos/1", "/zoos/2", "/zoos", "/zoos/1/animals"] {
        let answer = client.request("GET", target, &[("if-modified-since", &date)], None);
        assert_eq!(answer.status(), 200, "{target} since {date}");
        let modified = answer.field("last-modified").unwrap().to_owned();
        let answer = client.request("GET", target, &[("if-modified-since", &modified)], None);
        let expected = if has_ordered_times(target) { 304 } else { 200 };
        assert_eq!(answer.status(), expected, "{target} since {modified}");
    }
    assert_eq!(client.patch("/zoos/1", &json!({ "city": "Ulm" })).status(), 200);
    let updated = client.get("/zoos/1").json()["updated_at"].as_str().unwrap().to_owned();
    assert!(
        updated > last && !updated.ends_with(".999999Z"),
        "{updated}: the time of a change must come from the clock again"
    );
    let copy = "INSERT INTO zoos (name, updated_at) VALUES ('copied', '2020-01-02T03:04:05.678901Z') RETURNING id";
    let copied = server.cell(copy);
    let modified = client.get(&format!("/zoos/{copied}"));
    assert_eq!(
        modified.field("last-modified"),
        Some(THEN),
        "an inserted row must keep its own `updated_at`"
    );
}
