//! Triggers that somebody else has written into the database. They may refuse a write with a text
//! for its client, and change the rows of the response.

use std::thread;

use serde_json::json;

use crate::{client::Answer, database, server::TestServer};

const PAGE: &str = include_str!("../../docs/database.md");

const SCHEMA: &str = "
nouns: 1
resources:
  room:
    fields: { name: { type: string, required: true, unique: true } }
    methods: [list, get, create, replace, update, delete, delete_many]
  booking:
    fields:
      room_id: { references: room, required: true }
      day: { type: date, required: true }
      what: string
    methods: [list, get, create, replace, update, delete, delete_many]
  record:
    fields: { text: string }
";

/// The blocks of SQL of the section about triggers: one for each database.
fn script_of_page() -> &'static str {
    let (_, section) = PAGE.split_once("## Triggers of your own\n").unwrap();
    let mut blocks =
        section.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let sqlite = blocks.next().unwrap();
    if database::is_postgres() { blocks.next().unwrap() } else { sqlite }
}

/// Creates a trigger that runs before or after each write of a kind. `condition` is on `new`, and
/// `does` are statements.
fn trigger(server: &TestServer, name: &str, when: &str, condition: &str, does: &str) {
    server.elsewhere(&match database::is_postgres() {
        true => format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {does}; \
             RETURN coalesce(NEW, OLD); END $$; \
             CREATE TRIGGER {name} {when} FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION {name}()"
        ),
        false => format!("CREATE TRIGGER {name} {when} WHEN {condition} BEGIN {does}; END"),
    });
}

/// A statement of a trigger that refuses a write.
fn raise(text: &str) -> String {
    match database::is_postgres() {
        true => format!("RAISE EXCEPTION '{text}' USING ERRCODE = 'NX409'"),
        false => format!("SELECT RAISE(ABORT, '{text}')"),
    }
}

/// A server with two rooms, and the trigger of the page: no two bookings of a room on a day.
fn hotel() -> TestServer {
    let server = TestServer::of(SCHEMA);
    server.elsewhere(script_of_page());
    server.client().create("/rooms", &json!([{ "name": "Blue" }, { "name": "Green" }]));
    server
}

fn refused(answer: &Answer) -> (u16, String, String) {
    let problem = answer.json();
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (answer.status(), text("type").replace("/-/problems/", ""), text("detail"))
}

fn taken() -> (u16, String, String) {
    (409, "rule-violated".into(), "the room is taken".into())
}

#[test]
fn a_trigger_refuses_a_write_with_its_text() {
    let server = hotel();
    let mut client = server.client();
    let booking =
        |room: u32, day: u32| json!({ "room_id": room, "day": format!("2026-12-0{day}") });
    client.create("/bookings", &booking(1, 1));
    assert_eq!(refused(&client.post("/bookings", &booking(1, 1))), taken());
    client.create("/bookings", &booking(2, 1));
    assert_eq!(client.get("/bookings?count=true").json()["total"], 2);
    // An array is refused as a whole, and so is a PUT that creates nothing.
    let many = json!([booking(1, 2), booking(1, 2)]);
    assert_eq!(refused(&client.post("/bookings", &many)), taken());
    assert_eq!(client.get("/bookings?count=true").json()["total"], 2);
    // The language of the text is not known, and a problem never mixes two.
    let fields = [("content-type", "application/json"), ("accept-language", "de")];
    let body = booking(1, 1).to_string();
    let problem = client.request("POST", "/bookings", &fields, Some(body.as_bytes()));
    assert_eq!(refused(&problem), taken());
    assert_eq!(problem.json()["title"], "Rule violated");
    assert_eq!(problem.field("content-language"), None);
    assert_eq!(client.post("/bookings", &booking(1, 2)).status(), 201);
}

#[test]
fn of_many_writes_at_once_only_those_are_refused_that_the_trigger_refuses() {
    let server = hotel();
    let statuses = thread::scope(|scope| {
        let book = |at: usize| {
            let mut client = server.client();
            let day = format!("2026-12-{:02}", 1 + at % 8);
            let answers = (0..4).map(|_| {
                let answer = client.post("/bookings", &json!({ "room_id": 1, "day": day }));
                let other =
                    client.post("/rooms", &json!({ "name": format!("{at} {}", answer.status()) }));
                if answer.status() != 201 {
                    assert_eq!(refused(&answer), taken());
                }
                (answer.status(), other.status())
            });
            answers.collect::<Vec<_>>()
        };
        let all: Vec<_> = (0..16).map(|at| scope.spawn(move || book(at))).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(statuses.iter().filter(|(booked, _)| *booked == 201).count(), 8);
    assert!(statuses.iter().all(|(_, other)| [201, 409].contains(other)), "{statuses:?}");
    assert_eq!(server.client().get("/bookings?count=true").json()["total"], 8);
}

#[test]
fn the_response_has_the_row_as_triggers_have_left_it() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let upper = "UPDATE rooms SET name = upper(name) WHERE id = new.id";
    trigger(&server, "upper_new", "AFTER INSERT ON rooms", "new.name <> upper(new.name)", upper);
    trigger(&server, "upper_old", "AFTER UPDATE ON rooms", "new.name <> upper(new.name)", upper);
    let written = |answer: &Answer| {
        let (name, tag) = (answer.json()["name"].clone(), answer.field("etag").unwrap().to_owned());
        (name.as_str().unwrap().to_owned(), tag)
    };
    let blue = written(&client.post("/rooms", &json!({ "name": "blue" })));
    assert_eq!(blue.0, "BLUE");
    // The tag is that of the stored row, so it can be used.
    assert_eq!(written(&client.get("/rooms/1")), blue);
    let green = written(&client.patch("/rooms/1", &json!({ "name": "green" })));
    assert_eq!(green.0, "GREEN");
    assert_ne!(green.1, blue.1);
    assert_eq!(written(&client.get("/rooms/1")), green);
    let red = client.put("/rooms/1", &json!({ "name": "red" }));
    assert_eq!((red.status(), &red.json()["name"]), (200, &json!("RED")));
    let before = written(&client.get("/rooms/1")).1;
    let tag = [("if-match", before.as_str()), ("content-type", "application/json")];
    let changed = client.request("PATCH", "/rooms/1", &tag, Some(br#"{ "name": "pink" }"#));
    assert_eq!((changed.status(), &*written(&changed).0), (200, "PINK"), "{changed:?}");
    let stale = client.request("PATCH", "/rooms/1", &tag, Some(br#"{ "name": "grey" }"#));
    assert_eq!(stale.status(), 412);
    let many = client.create("/rooms", &json!([{ "name": "a" }, { "name": "b" }])).json();
    assert_eq!((&many["items"][0]["name"], &many["items"][1]["name"]), (&json!("A"), &json!("B")));
    // A text that the trigger leaves alone takes no change of it.
    assert_eq!(client.post("/rooms", &json!({ "name": "C" })).json()["name"], "C");
}

#[test]
fn what_a_trigger_writes_elsewhere_is_counted() {
    let server = TestServer::of(SCHEMA);
    let recorded = "INSERT INTO records (text) VALUES ('a room')";
    trigger(&server, "recorded", "AFTER INSERT ON rooms", "new.name <> ''", recorded);
    let mut client = server.client();
    client.create("/records", &json!({ "text": "first" }));
    let before = client.get("/records").field("etag").unwrap().to_owned();
    client.create("/rooms", &json!({ "name": "Blue" }));
    let after = client.request("GET", "/records", &[("if-none-match", &before)], None);
    assert_eq!((after.status(), after.json()["items"].as_array().unwrap().len()), (200, 2));
    let tags: Vec<_> = ["/records/1", "/records/2"]
        .iter()
        .map(|target| client.get(target).field("etag").unwrap().to_owned())
        .collect();
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn a_refused_deletion_says_whose_refusal_it_is() {
    let server = hotel();
    let mut client = server.client();
    let does = raise("Green stays");
    trigger(&server, "kept", "BEFORE DELETE ON rooms", "old.name = 'Green'", &does);
    client.create("/bookings", &json!({ "room_id": 1, "day": "2026-12-01" }));
    let restricted = client.delete("/rooms/1");
    let (status, problem, detail) = refused(&restricted);
    assert_eq!((status, &*problem), (409, "still-referenced"));
    assert!(detail.contains("`bookings`"), "{detail}");
    let stays = (409, "rule-violated".into(), "Green stays".into());
    assert_eq!(refused(&client.delete("/rooms/2")), stays);
    assert_eq!(refused(&client.delete("/rooms?name=Green")), stays);
    client.create("/rooms", &json!({ "name": "Red" }));
    assert_eq!(client.delete("/rooms?name=Red").status(), 204);
    assert_eq!(client.delete("/bookings/1").status(), 204);
    assert_eq!(client.delete("/rooms/1").status(), 204);
}

#[test]
fn no_other_failure_of_a_trigger_tells_its_text() {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    let fails = match database::is_postgres() {
        true => "RAISE EXCEPTION 'secret'",
        false => "INSERT INTO records (text) VALUES (CAST(x'00' AS BLOB))",
    };
    trigger(&server, "fails", "AFTER INSERT ON rooms", "new.name = 'fails'", fails);
    let control = "a\u{1b}[31m\nb";
    trigger(&server, "odd", "AFTER INSERT ON rooms", "new.name = 'odd'", &raise(control));
    let failed = client.post("/rooms", &json!({ "name": "fails" }));
    let hidden = (500, "internal".into(), "The failure is in the server's log.".into());
    assert_eq!(refused(&failed), hidden);
    let odd = (409, "rule-violated".into(), "a [31m b".into());
    assert_eq!(refused(&client.post("/rooms", &json!({ "name": "odd" }))), odd);
    if !database::is_postgres() {
        // `FAIL` keeps what the statement has done, so the server undoes it.
        let fail = "SELECT RAISE(FAIL, 'not this one')";
        trigger(&server, "failing", "AFTER INSERT ON rooms", "new.name = 'kept'", fail);
        assert_eq!(client.post("/rooms", &json!({ "name": "kept" })).status(), 409);
    }
    assert_eq!(client.get("/rooms?count=true").json()["total"], 0);
}

/// A schema change for which SQLite makes the table of rooms again.
#[test]
fn triggers_survive_a_restart_and_a_schema_change() {
    let mut server = hotel();
    let does = raise("Green stays");
    trigger(&server, "kept", "BEFORE DELETE ON rooms", "old.name = 'Green'", &does);
    server.elsewhere("CREATE VIEW greens AS SELECT name FROM rooms WHERE name = 'Green'");
    server.restart();
    server.client().create("/bookings", &json!({ "room_id": 1, "day": "2026-12-01" }));
    let changed = SCHEMA.replace(
        "name: { type: string, required: true, unique: true }",
        "name: { type: string, unique: true, default: Red }",
    );
    assert_ne!(changed, SCHEMA);
    let next = server.next(&changed);
    let mut client = next.client();
    assert_eq!(client.post("/rooms", &json!({})).json()["name"], "Red");
    let stays = (409, "rule-violated".into(), "Green stays".into());
    assert_eq!(refused(&client.delete("/rooms/2")), stays);
    let again = json!({ "room_id": 1, "day": "2026-12-01" });
    assert_eq!(refused(&client.post("/bookings", &again)), taken());
    assert_eq!(server.cell("SELECT count(*) FROM greens"), "1");
}
