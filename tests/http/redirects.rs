//! Tests of redirects from URLs that have moved, permanently or temporarily.

use nouns::__runtime::route::{self, Meaning, Route};
use serde_json::json;

use crate::{client::Client, server::TestServer};

const ZOOS: &str = r#"
nouns: 1
resources:
  zoo:
    moved_from: [/old_zoos, /v1/zoos.all]
    fields: { name: string }
  animal:
    parent: zoo
    moved_from: ["/old_zoos/{zoo_id}/beasts", "/zoos/{zoo_id}/creatures/living"]
    fields: { name: string }
  keeper:
    parent: zoo
    routes: both
    moved_from: [/staff, "/zoos/{zoo_id}/staff", "/staff/{zoo_id}/present"]
    fields: { name: string }
  ticket:
    moved_to: https://tickets.example/api/
    moved_from: /entries
    fields: { name: string }
  stub:
    parent: ticket
    routes: both
    fields: { name: string }
  visit:
    moved_to: /elsewhere/visits
    fields: { name: string }
"#;

fn zoos(head: &str) -> (TestServer, Client) {
    let server = TestServer::of(&ZOOS.replacen("resources:", &format!("{head}\nresources:"), 1));
    let client = server.client();
    (server, client)
}

/// Returns the status and the `Location` of a redirect. Checks that it has no content.
fn redirect_of(client: &mut Client, method: &str, target: &str) -> (u16, String) {
    let answer = client.request(method, target, &[], None);
    assert_eq!(answer.field("content-length"), Some("0"), "{method} {target}");
    let location = answer.field("location");
    (
        answer.status(),
        location.unwrap_or_else(|| panic!("{method} {target}: {answer:?}")).to_owned(),
    )
}

fn assert_led(client: &mut Client, expected: &[(&str, &str)]) {
    for (target, location) in expected {
        assert_eq!(redirect_of(client, "GET", target).1, *location, "{target}");
    }
}

/// With `routes: both` on two levels, the collection at the end has four URLs.
const RENAMED: &str = r#"
nouns: 1
resources:
  zoo: { fields: { name: string } }
  animal: { parent: zoo, routes: both, fields: { name: string } }
  checkup:
    parent: animal
    routes: both
    moved_from: ["/zoos/{zoo_id}/animals/{animal_id}/visits", "/animals/{animal_id}/visits", /visits]
    fields: { name: string }
  note:
    parent: checkup
    moved_from: ["/animals/{animal_id}/checkups/{checkup_id}/texts", "/checkups/{checkup_id}/texts"]
    fields: { name: string }
"#;

/// Conformance 34: each URL that was served on some level redirects to the URL of the same level.
#[test]
fn the_urls_between_are_redirected_too() {
    let server = TestServer::of(RENAMED);
    let mut client = server.client();
    assert_led(
        &mut client,
        &[
            ("/zoos/1/animals/2/visits", "/zoos/1/animals/2/checkups"),
            ("/zoos/1/animals/2/visits/3?limit=1", "/zoos/1/animals/2/checkups/3?limit=1"),
            ("/animals/2/visits", "/animals/2/checkups"),
            ("/animals/2/visits/3/notes/4", "/animals/2/checkups/3/notes/4"),
            ("/visits/3", "/checkups/3"),
            ("/animals/2/checkups/3/texts", "/animals/2/checkups/3/notes"),
            ("/checkups/3/texts/4", "/checkups/3/notes/4"),
        ],
    );
    assert_eq!(client.get("/zoos/1/animals/2/checkups/3/texts").status(), 404, "not declared");
}

const SAFE: [&str; 2] = ["GET", "HEAD"];
const OTHERS: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// Conformance 34, 35: a former path redirects permanently: by 301 for GET and HEAD, and by 308 for
/// other methods.
#[test]
fn a_former_path_is_redirected_for_good() {
    let (_server, mut client) = zoos("");
    for method in SAFE {
        assert_eq!(
            redirect_of(&mut client, method, "/old_zoos"),
            (301, "/zoos".into()),
            "{method}"
        );
    }
    for method in OTHERS {
        assert_eq!(
            redirect_of(&mut client, method, "/old_zoos/7"),
            (308, "/zoos/7".into()),
            "{method}"
        );
    }
    assert_led(
        &mut client,
        &[("/v1/zoos.all", "/zoos"), ("/v1/zoos%2Eall/3", "/zoos/3"), ("/staff", "/keepers")],
    );
}

/// Conformance 34: a redirect keeps the ids, the rest of the path, and the query.
#[test]
fn the_rest_of_a_former_path_is_kept() {
    let (_server, mut client) = zoos("");
    assert_led(
        &mut client,
        &[
            ("/old_zoos/7/animals/3", "/zoos/7/animals/3"),
            ("/old_zoos/7/beasts/3?a=1&b=%2F%20c", "/zoos/7/animals/3?a=1&b=%2F%20c"),
            ("/zoos/7/creatures/living/3/deeper", "/zoos/7/animals/3/deeper"),
            ("/zoos/7/staff?name=Kim", "/zoos/7/keepers?name=Kim"),
            ("/staff/7", "/keepers/7"),
            ("/staff/7/present/2", "/zoos/7/keepers/2"),
            ("/old_zoos?limit=5", "/zoos?limit=5"),
            ("/old_zoos?", "/zoos?"),
        ],
    );
}

/// Conformance 34: a former path with an invalid id also redirects. The new URL then reports the
/// error.
#[test]
fn an_ill_typed_id_in_a_former_path_is_led_on() {
    let (_server, mut client) = zoos("");
    let expected = [
        ("/old_zoos/none/beasts", "/zoos/none/animals"),
        ("/zoos/none/staff/4", "/zoos/none/keepers/4"),
        ("/old_zoos/a%2Fb/beasts", "/zoos/a%2Fb/animals"),
    ];
    assert_led(&mut client, &expected);
    assert_eq!(client.get("/zoos/none/animals").problem(), "not-found");
}

/// Conformance 34: `Location` has only characters that a URI may have, and never leads to another
/// host.
#[test]
fn a_location_never_leads_to_another_host() {
    let (_server, mut client) = zoos("");
    let expected = [
        ("/old_zoos//evil.example", "/zoos//evil.example"),
        ("/old_zoos/\\evil.example", "/zoos/%5Cevil.example"),
        ("/old_zoos/\"x\"", "/zoos/%22x%22"),
        ("/old_zoos/{x}|\u{f6}?name[eq]=\u{f6}", "/zoos/%7Bx%7D%7C%C3%B6?name%5Beq%5D=%C3%B6"),
        ("/visits//evil.example", "/elsewhere/visits//evil.example"),
    ];
    assert_led(&mut client, &expected);
    for target in ["/old_zoos/%zz", "/tickets/%", "/visits/7%2"] {
        assert_eq!(client.get(target).problem(), "malformed-request", "{target}");
    }
}

/// Conformance 34: clients resolve `.` and `..`. So a path with these segments is not redirected,
/// since it could leave the base path.
#[test]
fn a_location_never_leads_out_of_its_prefix() {
    let (_server, mut client) = zoos("api: { base_path: /api }");
    for dots in ["..", ".", "%2e%2e", ".%2E", "%2E."] {
        for target in [
            "/old_zoos/DOTS/x",
            "/old_zoos/7/DOTS/DOTS",
            "/old_zoos/DOTS/beasts",
            "/old_zoos/DOTS/",
            "/tickets/DOTS",
            "/tickets/7/stubs/DOTS/DOTS/DOTS",
            "/visits/DOTS/admin",
            "/DOTS/",
            "/zoos/DOTS/DOTS/",
        ] {
            let target = format!("/api{}", target.replace("DOTS", dots));
            let answer = client.get(&target);
            assert_eq!((answer.status(), answer.field("location")), (404, None), "{target}");
            assert_eq!(answer.problem(), "not-found");
        }
    }
    let names = ["...", "..a", "%2e%2e%2e", "%252e%252e", "..%2F"];
    for name in names {
        let expected = (301, format!("/api/zoos/{name}"));
        assert_eq!(
            redirect_of(&mut client, "GET", &format!("/api/old_zoos/{name}")),
            expected,
            "the segment is a name, so it must be redirected"
        );
    }
}

/// Conformance 36: a served path takes precedence over a former one. A trailing slash is removed
/// first.
#[test]
fn what_is_served_is_not_redirected() {
    let (_server, mut client) = zoos("");
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    client.create("/keepers", &json!({ "name": "Kim", "zoo_id": 1 }));
    assert_eq!(client.names("/zoos"), "Tierpark");
    assert_eq!(client.names("/zoos/1/keepers"), "Kim");
    assert_eq!(
        redirect_of(&mut client, "GET", "/old_zoos/?limit=5"),
        (301, "/old_zoos?limit=5".into())
    );
    assert_eq!(redirect_of(&mut client, "POST", "/tickets/"), (308, "/tickets".into()));
    for target in
        ["/old", "/old_zoo", "/old_zoosx", "/v1", "/v1/zoos", "/zoos/1/creatures", "/zoos/9"]
    {
        assert_eq!(client.get(target).problem(), "not-found", "{target}");
    }
}

/// Conformance 34, 35: a collection that has moved temporarily redirects with all URLs below it: by
/// 302 for GET and HEAD, and by 307 for other methods.
#[test]
fn a_collection_that_is_elsewhere_leads_there() {
    let (_server, mut client) = zoos("");
    for method in SAFE {
        let expected = (302, "https://tickets.example/api".into());
        assert_eq!(redirect_of(&mut client, method, "/tickets"), expected, "{method}");
    }
    for method in OTHERS {
        let expected = (307, "https://tickets.example/api/7?a=b".into());
        assert_eq!(redirect_of(&mut client, method, "/tickets/7?a=b"), expected, "{method}");
    }
    let expected = [
        ("/tickets/none", "https://tickets.example/api/none"),
        ("/tickets/7/stubs/3?sortby=-name", "https://tickets.example/api/7/stubs/3?sortby=-name"),
        ("/visits", "/elsewhere/visits"),
        ("/visits/7%2F8?q", "/elsewhere/visits/7%2F8?q"),
    ];
    assert_led(&mut client, &expected);
    assert_eq!(
        redirect_of(&mut client, "GET", "/entries/7"),
        (301, "/tickets/7".into()),
        "the first redirect must lead to the current collection"
    );
    assert_eq!(client.names("/stubs"), "", "a child with a flat URL must still be served");
}

/// Conformance 34: `Location` has the base path, and the public URL if there is one.
#[test]
fn locations_know_base_path_and_public_url() {
    let (_server, mut client) =
        zoos("api: { base_path: /api, public_url: https://zoo.example/city }");
    let expected = [
        ("/api/old_zoos/7/beasts", "https://zoo.example/city/api/zoos/7/animals"),
        ("/api/visits/3", "https://zoo.example/city/api/elsewhere/visits/3"),
        ("/api/tickets/3", "https://tickets.example/api/3"),
    ];
    assert_led(&mut client, &expected);
    assert_eq!(client.get("/old_zoos").problem(), "not-found");
    let (_server, mut client) = zoos("api: { base_path: /api/v2 }");
    assert_led(&mut client, &[("/api/v2/old_zoos", "/api/v2/zoos")]);
}

/// Conformance 34: OPTIONS is redirected like other methods. A method that the server does not
/// support is refused without a redirect.
#[test]
fn methods_that_are_not_offered_are_not_led_on() {
    let (_server, mut client) = zoos("");
    assert_eq!(redirect_of(&mut client, "OPTIONS", "/old_zoos/7"), (308, "/zoos/7".into()));
    assert_eq!(
        redirect_of(&mut client, "OPTIONS", "/tickets"),
        (307, "https://tickets.example/api".into())
    );
    for target in ["/old_zoos/7", "/tickets"] {
        for method in ["TRACE", "QUERY"] {
            let answer = client.request(method, target, &[], None);
            assert_eq!(answer.status(), 405, "{method} {target}");
            let offered = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
            assert_eq!(answer.allow(), offered, "{method} {target}");
        }
        assert_eq!(client.request("BREW", target, &[], None).status(), 501, "{target}");
    }
}

/// Conformance 34, 35: a redirected QUERY keeps its method and its body, if QUERY is declared.
#[test]
fn query_is_led_on_where_it_is_answered() {
    let (_server, mut client) = zoos("server: { query: true, trace: true }");
    assert_eq!(redirect_of(&mut client, "QUERY", "/old_zoos?a=b"), (308, "/zoos?a=b".into()));
    assert_eq!(
        redirect_of(&mut client, "QUERY", "/tickets"),
        (307, "https://tickets.example/api".into())
    );
    let traced = client.request("TRACE", "/old_zoos", &[], None);
    assert_eq!(
        (traced.status(), traced.field("location")),
        (200, None),
        "TRACE must return the request instead of a redirect"
    );
}

/// Conformance 34: the list of served URLs does not contain redirects.
#[test]
fn what_is_elsewhere_is_not_listed_as_served() {
    let (server, _) = zoos("");
    let routes = route::table(&server.model);
    let is_served = |route: &&Route| !matches!(route.meaning, Meaning::Redirect(_));
    let listed: Vec<_> = routes.iter().filter(is_served).map(|route| &route.path).collect();
    let has = |path: &str| listed.iter().any(|listed| *listed == path);
    assert!(has("/zoos") && has("/zoos/{zoo_id}/keepers") && has("/stubs"));
    for path in ["/tickets", "/tickets/{ticket_id}/stubs", "/visits", "/old_zoos", "/staff"] {
        assert!(!has(path), "{path}");
    }
}
