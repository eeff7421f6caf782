//! Tests of members that can move to another parent, and so to another URL: `parent: { …, movable:
//! true }`.

use serde_json::{Value as Json, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

const SCHEMA: &str = "
nouns: 1
resources:
  zoo:
    fields:
      name: { type: string, required: true }
  house:
    parent: { resource: zoo, movable: true }
    routes: both
    fields:
      name: { type: string, required: true }
    unique: [[zoo_id, name]]
  animal:
    parent: { resource: house, movable: true }
    fields:
      name: { type: string, required: true }
      born: date
      tag:  { type: json }
  visit:
    parent: animal
    routes: both
    fields:
      name: { type: string, required: true }
  country:
    id: string
    fields:
      name: { type: string, required: true }
  city:
    id: string
    parent: { resource: country, movable: true }
    routes: both
    fields:
      name: { type: string, required: true }
      code: { type: string, create_only: true, required: true }
";

/// Starts a server with zoos 1 and 2, house 1 in zoo 1 and house 2 in zoo 2. House 1 has animal 1,
/// which has visit 1.
fn zoos() -> (TestServer, Client) {
    let server = TestServer::of(SCHEMA);
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Berlin" }, { "name": "Leipzig" }]));
    client.create("/zoos/1/houses", &json!({ "name": "Apes" }));
    client.create("/zoos/2/houses", &json!({ "name": "Birds" }));
    client.create("/zoos/1/houses/1/animals", &json!({ "name": "Bella", "born": "2020-01-02" }));
    client.create("/zoos/1/houses/1/animals/1/visits", &json!({ "name": "first" }));
    (server, client)
}

fn moved(answer: &Answer) -> Option<&str> {
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{answer:?}");
    answer.field("content-location")
}

/// Conformance 104: `Content-Location` of the response is the new URL of the member.
#[test]
fn a_patch_gives_another_parent_and_the_old_url_leads_nowhere() {
    let (_server, mut client) = zoos();
    let answer = client.patch("/zoos/1/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_eq!(moved(&answer), Some("/zoos/2/houses/2/animals/1"));
    assert_eq!((&answer.json()["house_id"], &answer.json()["name"]), (&json!(2), &json!("Bella")));
    let now = client.get("/zoos/2/houses/2/animals/1");
    assert_eq!(
        (now.status(), &now.body, now.field("etag")),
        (200, &answer.body, answer.field("etag"))
    );
    for gone in [
        "/zoos/1/houses/1/animals/1",
        "/zoos/1/houses/1/animals/1/visits",
        "/zoos/1/houses/1/animals/1/visits/1",
    ] {
        assert_eq!(client.get(gone).status_line, "HTTP/1.1 404 Not Found", "{gone}");
    }
    assert_eq!(
        client.get("/zoos/1/houses/1/animals/1").detail(),
        "There is no animal `1` under house `1`."
    );
    assert_eq!(client.names("/zoos/2/houses/2/animals/1/visits"), "first");
    assert_eq!(client.get("/zoos/2/houses/2/animals/1/visits/1").status(), 200);
    assert_eq!(
        (client.names("/zoos/1/houses/1/animals"), client.names("/zoos/2/houses/2/animals")),
        (String::new(), "Bella".into())
    );
}

#[test]
fn a_put_may_say_the_parent_and_keeps_it_otherwise() {
    let (_server, mut client) = zoos();
    let kept = client.put("/zoos/1/houses/1/animals/1", &json!({ "name": "Bella" }));
    assert_eq!(
        (moved(&kept), &kept.json()["house_id"], &kept.json()["born"]),
        (None, &json!(1), &Json::Null)
    );
    let same = client.put("/zoos/1/houses/1/animals/1", &json!({ "name": "Bella", "house_id": 1 }));
    assert_eq!(
        moved(&same),
        Some("/zoos/1/houses/1/animals/1"),
        "a PUT that names the parent must return `Content-Location`, also without a move"
    );
    let other =
        client.put("/zoos/1/houses/1/animals/1", &json!({ "name": "Bella", "house_id": 2 }));
    assert_eq!(moved(&other), Some("/zoos/2/houses/2/animals/1"));
    assert_eq!(
        client
            .put("/zoos/1/houses/1/animals/1", &json!({ "name": "Bella", "house_id": 1 }))
            .status(),
        404
    );
}

#[test]
fn a_json_patch_gives_another_parent() {
    let (_server, mut client) = zoos();
    let fields = [("content-type", "application/json-patch+json")];
    let patch =
        br#"[{"op":"test","path":"/house_id","value":1},{"op":"replace","path":"/house_id","value":2}]"#;
    let answer = client.request("PATCH", "/zoos/1/houses/1/animals/1", &fields, Some(patch));
    assert_eq!(moved(&answer), Some("/zoos/2/houses/2/animals/1"));
    let remove = br#"[{"op":"remove","path":"/house_id"}]"#;
    let answer = client.request("PATCH", "/zoos/2/houses/2/animals/1", &fields, Some(remove));
    assert_eq!((answer.status(), answer.faults().as_str()), (422, "/house_id required"));
}

#[test]
fn the_new_parent_exists_or_nothing_is_changed() {
    let (_server, mut client) = zoos();
    let before = client.get("/zoos/1/houses/1/animals/1");
    for (method, body) in
        [("PATCH", json!({ "house_id": 99 })), ("PUT", json!({ "name": "Bella", "house_id": 99 }))]
    {
        let fields = [("content-type", "application/json")];
        let answer = client.request(
            method,
            "/zoos/1/houses/1/animals/1",
            &fields,
            Some(body.to_string().as_bytes()),
        );
        assert_eq!(
            (answer.status(), answer.faults().as_str()),
            (409, "/house_id reference"),
            "{method}"
        );
        assert_eq!(answer.detail(), "`house_id`: there is no house `99`.");
    }
    for (wrong, code) in [(json!("2"), "type"), (json!(null), "required"), (json!(1.5), "type")] {
        let answer = client.patch("/zoos/1/houses/1/animals/1", &json!({ "house_id": wrong }));
        assert_eq!(
            (answer.status(), answer.faults()),
            (422, format!("/house_id {code}")),
            "{wrong}"
        );
    }
    let after = client.get("/zoos/1/houses/1/animals/1");
    assert_eq!((&after.body, after.field("etag")), (&before.body, before.field("etag")));
}

#[test]
fn what_is_unique_in_a_parent_is_unique_in_the_new_one() {
    let (_server, mut client) = zoos();
    client.create("/zoos/2/houses", &json!({ "name": "Apes" }));
    let taken = client.patch("/zoos/1/houses/1", &json!({ "zoo_id": 2 }));
    assert_eq!((taken.status(), taken.faults().as_str()), (409, "/zoo_id unique, /name unique"));
    let renamed = client.patch("/zoos/1/houses/1", &json!({ "zoo_id": 2, "name": "Great apes" }));
    assert_eq!(moved(&renamed), Some("/zoos/2/houses/1"));
    client.create("/zoos/1/houses", &json!({ "name": "Apes" }));
}

/// The nested URL of a member contains its parents. So the URLs of all members below change when a
/// member moves.
#[test]
fn descendants_go_along_and_are_found_below_the_new_place() {
    let (_server, mut client) = zoos();
    let house = client.patch("/zoos/1/houses/1", &json!({ "zoo_id": 2 }));
    assert_eq!(moved(&house), Some("/zoos/2/houses/1"));
    assert_eq!(
        client.get("/zoos/1/houses/1/animals/1").detail(),
        "There is no house `1` under zoo `1`."
    );
    assert_eq!(client.get("/zoos/2/houses/1/animals/1/visits/1").status(), 200);
    let flat = client.patch("/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_eq!(
        moved(&flat),
        Some("/houses/2/animals/1"),
        "the new URL must be flat like the URL of the request"
    );
    let top = client.patch("/houses/1", &json!({ "zoo_id": 1 }));
    assert_eq!(
        moved(&top),
        Some("/houses/1"),
        "a flat URL has no parent, so a move must not change it"
    );
    assert_eq!(client.get("/zoos/1/houses/1").status(), 200);
}

#[test]
fn validators_of_both_collections_and_of_what_is_below_change() {
    let (_server, mut client) = zoos();
    let targets = [
        "/zoos/1/houses/1/animals",
        "/zoos/2/houses/2/animals",
        "/zoos/1/houses/1/animals/1",
        "/zoos/1/houses/1/animals/1/visits",
    ];
    let mut before = vec![];
    for target in targets {
        let answer = client.get(target);
        before.push((
            answer.field("etag").unwrap().to_owned(),
            answer.field("last-modified").unwrap().to_owned(),
        ));
    }
    // Waits, since HTTP dates have a precision of one second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let answer = client.patch("/zoos/1/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_ne!(answer.field("etag").unwrap(), before[2].0);
    for (target, (tag, modified)) in targets.iter().zip(&before).take(2) {
        let now = client.request("GET", target, &[("if-none-match", tag)], None);
        assert_eq!(now.status(), 200, "{target}");
        assert_ne!(now.field("etag"), Some(&**tag), "{target}");
        assert_ne!(now.field("last-modified"), Some(&**modified), "{target}");
        let since = client.request("GET", target, &[("if-modified-since", modified)], None);
        assert_eq!(since.status(), 200, "{target}");
    }
    for (target, (tag, _)) in targets.iter().zip(&before).skip(2) {
        assert_eq!(
            client.request("GET", target, &[("if-none-match", tag)], None).status(),
            404,
            "{target}"
        );
    }
}

#[test]
fn a_precondition_is_tested_where_the_member_is_now() {
    let (_server, mut client) = zoos();
    let tag = client.get("/zoos/1/houses/1/animals/1").field("etag").unwrap().to_owned();
    let send = |client: &mut Client, target: &str, tag: &str, house: u8| {
        let fields = [("content-type", "application/json"), ("if-match", tag)];
        client.request(
            "PATCH",
            target,
            &fields,
            Some(format!("{{\"house_id\":{house}}}").as_bytes()),
        )
    };
    let first = send(&mut client, "/zoos/1/houses/1/animals/1", &tag, 2);
    assert_eq!(moved(&first), Some("/zoos/2/houses/2/animals/1"));
    assert_eq!(send(&mut client, "/zoos/2/houses/2/animals/1", &tag, 1).status(), 412);
    assert_eq!(send(&mut client, "/zoos/1/houses/1/animals/1", &tag, 1).status(), 404);
    let tag = first.field("etag").unwrap().to_owned();
    assert_eq!(
        moved(&send(&mut client, "/zoos/2/houses/2/animals/1", &tag, 1)),
        Some("/zoos/1/houses/1/animals/1")
    );
}

#[test]
fn without_content_the_new_url_is_said_too() {
    let (_server, mut client) = zoos();
    let fields = [("content-type", "application/json"), ("prefer", "return=minimal")];
    let answer =
        client.request("PATCH", "/zoos/1/houses/1/animals/1", &fields, Some(b"{\"house_id\":2}"));
    assert_eq!(
        (answer.status(), answer.field("content-location")),
        (204, Some("/zoos/2/houses/2/animals/1"))
    );
}

#[test]
fn a_new_member_is_made_where_its_url_is() {
    let (_server, mut client) = zoos();
    let other = client.post("/zoos/1/houses/1/animals", &json!({ "name": "Cora", "house_id": 2 }));
    assert_eq!((other.status(), other.faults().as_str()), (422, "/house_id read_only"));
    assert_eq!(other.json()["errors"][0]["hint"], "Omit the field.");
    client.create(
        "/countries",
        &json!([{ "id": "de", "name": "Germany" }, { "id": "fr", "name": "France" }]),
    );
    let city = json!({ "name": "Bonn", "code": "bn", "country_id": "fr" });
    let other = client.put("/countries/de/cities/bonn", &city);
    assert_eq!((other.status(), other.faults().as_str()), (422, "/country_id read_only"));
    assert_eq!(client.get("/cities/bonn").status(), 404);
    let lacking = client.put("/cities/bonn", &json!({ "name": "Bonn", "code": "bn" }));
    assert_eq!((lacking.status(), lacking.faults().as_str()), (422, "/country_id required"));
    let created = client.put("/cities/bonn", &city);
    assert_eq!(
        (created.status(), created.field("location"), created.field("content-location")),
        (201, Some("/cities/bonn"), None)
    );
    let back =
        client.put("/countries/fr/cities/bonn", &json!({ "name": "Bonn", "country_id": "de" }));
    assert_eq!(moved(&back), Some("/countries/de/cities/bonn"));
    assert_eq!(back.json()["code"], "bn");
    let there = client.put(
        "/countries/de/cities/ulm",
        &json!({ "name": "Ulm", "code": "ul", "country_id": "de" }),
    );
    assert_eq!((there.status(), there.field("location")), (201, Some("/countries/de/cities/ulm")));
}

#[test]
fn without_the_key_the_refusal_names_it() {
    let (_server, mut client) = zoos();
    let nested = client.patch("/zoos/1/houses/1/animals/1/visits/1", &json!({ "animal_id": 7 }));
    assert_eq!((nested.status(), nested.faults().as_str()), (422, "/animal_id read_only"));
    let hint = |answer: &Answer| answer.json()["errors"][0]["hint"].as_str().unwrap().to_owned();
    assert!(
        hint(&nested).contains("`movable: true`"),
        "without `movable: true`, the hint must name the key: {nested:?}"
    );
    let flat = client.put("/visits/1", &json!({ "name": "x", "animal_id": 7 }));
    assert_eq!((flat.status(), flat.faults().as_str()), (422, "/animal_id read_only"));
    assert!(
        hint(&flat).contains("`movable: true`"),
        "without `movable: true`, the hint must name the key: {flat:?}"
    );
    assert_eq!(client.patch("/visits/1", &json!({ "animal_id": 1 })).status(), 200);
}

#[test]
fn options_says_which_parent_may_change() {
    let (_server, mut client) = zoos();
    let field = |client: &mut Client, target: &str, name: &str| -> Json {
        let json = client.request("OPTIONS", target, &[], None).json();
        json["fields"]
            .as_array()
            .unwrap()
            .iter()
            .find(|field| field["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(field(&mut client, "/houses", "zoo_id").get("mode"), None);
    assert_eq!(field(&mut client, "/visits", "animal_id")["mode"], "create_only");
}
