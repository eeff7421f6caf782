//! Tests of links (RFC 8288), with which a client finds all collections from the entry point.

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// A link in the header field `Link` (RFC 8288 §3).
#[derive(Debug, PartialEq)]
struct Link {
    target: String,
    parameters: Vec<(String, String)>,
}

/// Parses the header field `Link`, strictly by the grammar of RFC 8288 §3.
fn links(field: &str) -> Vec<Link> {
    let (mut rest, mut links) = (field, vec![]);
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return links;
        }
        let (target, after) = rest.strip_prefix('<').expect(rest).split_once('>').expect(rest);
        assert!(
            target.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte))
        );
        let mut parameters = vec![];
        rest = after.trim_start();
        while let Some(after) = rest.strip_prefix(';') {
            let (name, after) = after.trim_start().split_once('=').expect(rest);
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').expect(rest),
                None => after.split_at(after.find([';', ',', ' ']).unwrap_or(after.len())),
            };
            parameters.push((name.to_ascii_lowercase(), value.to_owned()));
            rest = after.trim_start();
        }
        assert!(rest.is_empty() || rest.starts_with(','), "{rest}");
        links.push(Link { target: target.to_owned(), parameters });
    }
}

fn of(client: &mut Client, method: &str, target: &str) -> Vec<(String, String)> {
    let answer = client.request(method, target, &[], None);
    let pair = |link: Link| match &*link.parameters {
        [(name, relation)] if name == "rel" => (relation.clone(), link.target),
        _ => panic!("a link must have one `rel` and no `anchor`: {link:?}"),
    };
    answer
        .field("link")
        .map(|field| links(field).into_iter().map(pair).collect())
        .unwrap_or_default()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(relation, target)| ((*relation).to_owned(), (*target).to_owned())).collect()
}

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create(
        "/zoos",
        &json!([{ "name": "Tierpark" }, { "name": "Bergzoo" }, { "name": "Aquarium" }]),
    );
    (server, client)
}

/// Conformance 195: one field `Link` has several links, each with a target and a relation.
#[test]
fn a_link_field_has_the_form_of_the_rfc() {
    let (_server, mut client) = zoos();
    assert_eq!(
        of(&mut client, "GET", "/zoos?limit=1&offset=1&name[ne]=a,%22%3E%3Bb"),
        pairs(&[
            ("first", "/zoos?name%5Bne%5D=a,%22%3E%3Bb&limit=1&offset=0"),
            ("self", "/zoos?limit=1&offset=1&name%5Bne%5D=a,%22%3E%3Bb"),
            ("prev", "/zoos?name%5Bne%5D=a,%22%3E%3Bb&limit=1&offset=0"),
            ("next", "/zoos?name%5Bne%5D=a,%22%3E%3Bb&limit=1&offset=2"),
        ])
    );
}

/// Conformance 197: the entry point links to the collections. The description of a member links to
/// its parents.
#[test]
fn links_lead_up_and_down() {
    let (_server, mut client) = zoos();
    assert_eq!(
        of(&mut client, "GET", "/"),
        pairs(&[
            ("service-desc", "/openapi.json"),
            ("service-doc", "/-/docs"),
            ("item", "/zoos"),
            ("item", "/animal_types"),
            ("item", "/admin"),
        ])
    );
    for (target, expected) in [
        ("/zoos", &[("up", "/")][..]),
        ("/zoos/1", &[("collection", "/zoos"), ("up", "/")]),
        ("/zoos/1/animals", &[("up", "/zoos/1")]),
        ("/zoos/1/animals/3", &[("collection", "/zoos/1/animals"), ("up", "/zoos/1")]),
    ] {
        assert_eq!(of(&mut client, "OPTIONS", target), pairs(expected), "{target}");
    }
    assert_eq!(
        of(&mut client, "GET", "/zoos/1"),
        [],
        "GET of a member must have no `Link`, since its URL names its parents"
    );
}

/// Conformance 197: links are correct below a base path, and with ids that need encoding. They are
/// omitted if there are more collections than fit in one field.
#[test]
fn links_know_where_they_stand() {
    let yaml = "
nouns: 1
api: { title: Shelves, base_path: /api }
resources:
  shelf: { id: string, collection: shelves, fields: { name: string } }
  book:  { parent: shelf, fields: { name: string } }
";
    let server = TestServer::of(yaml);
    let mut client = server.client();
    let up = of(&mut client, "OPTIONS", "/api/shelves").remove(0).1;
    assert_eq!(
        of(&mut client, "GET", &up),
        pairs(&[
            ("service-desc", "/api/openapi.json"),
            ("service-doc", "/api/-/docs"),
            ("item", "/api/shelves")
        ]),
        "`{up}` must be the entry point"
    );
    assert_eq!(
        of(&mut client, "OPTIONS", "/api/shelves/a%2Fb/books"),
        pairs(&[("up", "/api/shelves/a%2Fb")])
    );

    let name = "n".repeat(50);
    let resources: String =
        (0..100).map(|at| format!("  {name}{at}: {{ fields: {{ a: string }} }}\n")).collect();
    let server = TestServer::of(&format!("nouns: 1\nresources:\n{resources}"));
    let mut client = server.client();
    assert_eq!(of(&mut client, "GET", "/"), []);
    assert_eq!(client.get("/").json()["resources"].as_array().unwrap().len(), 100);
}

/// Conformance 197, 217: the entry point links to the flat URL of a nested collection, which needs
/// no parent id.
#[test]
fn the_entry_point_knows_the_flat_url_of_a_nested_collection() {
    let yaml = "
nouns: 1
resources:
  shelf: { collection: shelves, fields: { name: string } }
  book:  { parent: shelf, routes: both, fields: { name: string } }
";
    let server = TestServer::of(yaml);
    let mut client = server.client();
    assert_eq!(
        client.get("/").json()["resources"],
        json!([
            { "name": "shelf", "collection": "/shelves" },
            { "name": "book", "collection": "/shelves/{shelf_id}/books", "also": ["/books"] },
        ])
    );
    assert_eq!(
        of(&mut client, "GET", "/"),
        pairs(&[
            ("service-desc", "/openapi.json"),
            ("service-doc", "/-/docs"),
            ("item", "/shelves"),
            ("item", "/books")
        ])
    );
}

/// Conformance 217: a client that starts at the entry point finds all members by links.
#[test]
fn everything_is_found_from_the_entry_point() {
    let (_server, mut client) = zoos();
    let home = client.get("/").json();
    let zoos = home["resources"][0]["collection"].as_str().unwrap().to_owned();
    let mut page = client.get(&format!("{zoos}?limit=2")).json();
    let mut count = page["items"].as_array().unwrap().len();
    while let Some(next) = page["links"]["next"].as_str().map(ToOwned::to_owned) {
        page = client.get(&next).json();
        count += page["items"].as_array().unwrap().len();
    }
    assert_eq!(count, 3);
    let created = client.create(&zoos, &json!({ "name": "Found" }));
    assert_eq!(client.get(created.field("location").unwrap()).json()["name"], "Found");
    let problem = client.get("/zoos/99").json();
    assert_eq!(client.get(problem["type"].as_str().unwrap()).json()["status"], 404);
    assert_eq!(client.get(home["problems"].as_str().unwrap()).status(), 200);
}

#[test]
fn a_cursor_leads_from_page_to_page() {
    let (_server, mut client) = zoos();
    let mut names = vec![];
    let mut target = "/zoos?limit=2&sortby=name".to_owned();
    for _ in 0..3 {
        let page = client.get(&target).json();
        let items = page["items"].as_array().unwrap();
        names.extend(items.iter().map(|zoo| zoo["name"].as_str().unwrap().to_owned()));
        let Some(cursor) = page.get("next_cursor") else { break };
        let cursor = cursor.as_str().unwrap();
        assert!(page["links"]["next"].as_str().unwrap().ends_with(&format!("&after={cursor}")));
        target = format!("/zoos?sortby=name&limit=1&after={cursor}");
    }
    assert_eq!(names, ["Aquarium", "Bergzoo", "Tierpark"]);
    // An offset is no position.
    let counted = client.get("/zoos?limit=1&offset=1").json();
    assert!(counted["links"]["next"].is_string() && counted.get("next_cursor").is_none());
}
