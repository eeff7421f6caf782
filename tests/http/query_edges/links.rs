//! Tests of links to other pages, in the body and in the header field `Link` (RFC 8288).

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

/// Starts a server with a zoo of 23 animals, whose names need percent-encoding.
pub(super) fn zoo() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    client.create("/animal_types", &json!([{ "name": "Elephant" }, { "name": "Panda" }]));
    let animal = |at: i64| json!({ "name": format!("n {}&é", at % 7), "animal_type_id": 1, "weight_kg": at % 3 });
    client.create("/zoos/1/animals", &(0..23).map(animal).collect());
    (server, client)
}

/// Returns the link of a response with this relation. Checks that the body and the header have the
/// same link.
pub(super) fn link(answer: &crate::client::Answer, relation: &str) -> Option<String> {
    let json = answer.json();
    let in_body = json["links"][relation].as_str().map(str::to_owned);
    assert_eq!(in_body, answer.link(relation), "{relation}");
    in_body
}

/// Returns the ids on this page and on all pages that follow through links of this relation.
pub(super) fn walk(client: &mut Client, first: &str, relation: &str) -> Vec<i64> {
    let (mut ids, mut next) = (vec![], Some(first.to_owned()));
    while let Some(target) = next {
        let answer = client.get(&target);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}");
        let mut page: Vec<_> = answer.json()["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_i64().unwrap())
            .collect();
        if relation == "prev" {
            page.reverse();
        }
        ids.extend(page);
        assert!(ids.len() <= 100, "the links do not end: {target}");
        next = link(&answer, relation);
    }
    ids
}

/// Conformance 190, 194: following `next` returns each member once.
#[test]
fn next_visits_every_member_once() {
    let (_server, mut client) = zoo();
    for window in [
        "limit=1",
        "limit=4",
        "limit=22",
        "limit=23",
        "limit=24",
        "page=1&per_page=5",
        "per_page=23",
        "limit=100",
    ] {
        for order in [
            "",
            "&sortby=weight_kg",
            "&sortby=-name,weight_kg",
            "&sortby=weight_kg,name&order=desc,asc",
        ] {
            let mut ids = walk(&mut client, &format!("/zoos/1/animals?{window}{order}"), "next");
            ids.sort_unstable();
            assert_eq!(ids, (1..=23).collect::<Vec<_>>(), "{window}{order}");
        }
    }
}

/// Conformance 194: following `prev` returns each member once.
#[test]
fn prev_leads_back_to_the_first_page() {
    let (_server, mut client) = zoo();
    for start in ["limit=5&offset=20", "page=5&per_page=5", &last(&mut client)] {
        let target = format!("/zoos/1/animals?sortby=id&{start}");
        let mut ids = walk(&mut client, &target, "prev");
        ids.reverse();
        assert_eq!(ids, (1..=23).collect::<Vec<_>>(), "{start}");
    }
    let odd = client.get("/zoos/1/animals?sortby=id&offset=3&limit=5");
    assert_eq!(
        link(&odd, "prev").unwrap(),
        "/zoos/1/animals?sortby=id&limit=5&offset=0",
        "`prev` must not begin before the first member"
    );
}

/// Returns the query parameters of the last page, in pages of 5 members, as the links spell them.
fn last(client: &mut Client) -> String {
    let mut last = String::new();
    let mut next = Some("/zoos/1/animals?sortby=id&limit=5".to_owned());
    while let Some(target) = next {
        next = link(&client.get(&target), "next");
        last = target;
    }
    last.split_once("sortby=id&").unwrap().1.to_owned()
}

/// Conformance 194: the first page has no `prev`, and the last page has no `next`.
#[test]
fn the_first_page_has_no_prev_and_the_last_no_next() {
    let (_server, mut client) = zoo();
    let first = client.get("/zoos/1/animals?limit=20&offset=0");
    assert_eq!(link(&first, "prev"), None);
    assert_eq!(link(&first, "next").unwrap(), "/zoos/1/animals?limit=20&offset=20");
    let last = client.get("/zoos/1/animals?limit=20&offset=20");
    assert_eq!(link(&last, "next"), None);
    assert_eq!(link(&last, "prev").unwrap(), "/zoos/1/animals?limit=20&offset=0");
    let full = client.get("/zoos/1/animals?limit=23");
    assert_eq!(
        (link(&full, "next"), link(&full, "prev")),
        (None, None),
        "a full last page must have no `next`"
    );
    let beyond = client.get("/zoos/1/animals?offset=500");
    assert_eq!((link(&beyond, "next"), link(&beyond, "prev").is_some()), (None, true));
}

/// Conformance 187, 194: links use the parameters of the request: `limit` and `offset`, or `page`
/// and `per_page`.
#[test]
fn links_use_the_family_of_the_request() {
    let (_server, mut client) = zoo();
    let answer = client.get("/zoos/1/animals?page=2&per_page=5");
    assert_eq!(
        answer.json()["links"],
        json!({
            "self": "/zoos/1/animals?page=2&per_page=5",
            "prev": "/zoos/1/animals?page=1&per_page=5",
            "next": "/zoos/1/animals?page=3&per_page=5",
        })
    );
    assert_eq!(answer.link("first").unwrap(), "/zoos/1/animals?page=1&per_page=5");
    assert_eq!(answer.json()["links"].get("first"), None, "`first` must be only in the header");
}

/// Conformance 194: links keep the filters, the order and the count, and encode them.
#[test]
fn links_keep_every_other_parameter_encoded() {
    let (_server, mut client) = zoo();
    let filter =
        "name[in]=n+1%26%C3%A9,n%202%26%c3%a9,n+3%26%C3%A9&weight_kg[lte]=2&sortby=-id&count=true";
    let answer = client.get(&format!("/zoos/1/animals?limit=2&{filter}&offset=2"));
    let kept = "name%5Bin%5D=n%201%26%C3%A9,n%202%26%C3%A9,n%203%26%C3%A9&weight_kg%5Blte%5D=2&sortby=-id&count=true";
    assert_eq!(link(&answer, "next").unwrap(), format!("/zoos/1/animals?{kept}&limit=2&offset=4"));
    assert_eq!(link(&answer, "prev").unwrap(), format!("/zoos/1/animals?{kept}&limit=2&offset=0"));
    let total = answer.json()["total"].as_u64().unwrap();
    assert_eq!(
        walk(&mut client, &format!("/zoos/1/animals?{filter}&limit=2"), "next").len() as u64,
        total
    );
    let this = link(&answer, "self").unwrap();
    assert_eq!(client.get(&this).body, answer.body, "`self` must return the same page");
}

/// Conformance 158, 194, 195: no character of a value ends a link target or a header field.
#[test]
fn no_value_gets_out_of_a_link_or_a_field() {
    let (_server, mut client) = zoo();
    let evil = "%0d%0aX-Injected:1%3E;%20rel=%22next%22,%3C/evil%22%5C%00".replace("%00", "");
    let answer = client.get(&format!("/zoos/1/animals?name[ne]={evil}&limit=1"));
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("x-injected"), None);
    let header = answer.field("link").unwrap();
    assert_eq!(
        header.matches('<').count(),
        3,
        "the header must have the links first, self and next: {header}"
    );
    assert!(!header.contains("/evil>"), "{header}");
    let next = link(&answer, "next").unwrap();
    assert_eq!(client.get(&next).status(), 200, "{next}");
    let mut ids = walk(&mut client, &next, "next");
    ids.dedup();
    assert_eq!(ids.len(), 22);
}

#[test]
fn locations_and_links_encode_the_ids_in_paths() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  shelf: { id: string, collection: shelves, fields: { name: string } }
  book:  { parent: shelf, id: string, fields: { name: string } }
",
    );
    let mut client = server.client();
    for (id, encoded) in [
        ("a b", "a%20b"),
        ("a/b", "a%2Fb"),
        ("ä?#", "%C3%A4%3F%23"),
        ("%41", "%2541"),
        ("\"<>", "%22%3C%3E"),
    ] {
        let shelf = client.create("/shelves", &json!({ "id": id }));
        assert_eq!(shelf.field("location").unwrap(), format!("/shelves/{encoded}"));
        assert_eq!(client.get(shelf.field("location").unwrap()).json()["id"], id);
        let books = format!("/shelves/{encoded}/books");
        client.create(&books, &json!([{ "id": id }, { "id": format!("{id}!") }]));
        let page = client.get(&format!("{books}?limit=1"));
        let next = link(&page, "next").unwrap();
        assert!(next.starts_with(&format!("{books}?limit=1&after=")), "{next}");
        assert_eq!(client.get(&next).json()["items"][0]["id"], format!("{id}!"));
        assert_eq!(client.get(&format!("{books}/{encoded}")).json()["shelf_id"], Value::from(id));
    }
    assert_eq!(client.get("/shelves/%41").status(), 404, "an encoded `A` must be decoded once");
}

/// Conformance 194: links that are too long for the header field are only in the body.
#[test]
fn a_link_field_that_proxies_would_refuse_is_left_to_the_body() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let name = "x".repeat(1500);
    let short = client.get(&format!("/zoos?name={}", &name[..900]));
    assert!(short.field("link").unwrap().len() > 1800);
    let long = client.get(&format!("/zoos?name={name}&offset=1"));
    assert_eq!((long.status(), long.field("link")), (200, None));
    assert_eq!(long.json()["links"]["prev"], format!("/zoos?name={name}&limit=20&offset=0"));
}

/// Conformance 194: in formats without links in the body, a header field that would be too long has
/// only `next`, if that fits.
#[test]
fn the_link_to_the_next_page_of_a_table_stands_alone_where_all_are_too_long() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]));
    for accept in ["text/csv", "application/x-ndjson"] {
        let target = format!("/zoos?fields=name&name[ne]={}&limit=1&offset=1", "x".repeat(1500));
        let page = client.request("GET", &target, &[("accept", accept)], None);
        assert_eq!(page.field("link").map(|link| link.matches("rel=").count()), Some(1));
        let next = page.link("next").unwrap();
        let next = client.request("GET", &next, &[("accept", accept)], None);
        assert!(next.body.ends_with(b"c\r\n") || next.body == b"{\"name\":\"c\"}\n", "{next:?}");
        assert_eq!(next.field("link"), None, "the last page must have no link");
    }
    let target = format!("/zoos?name[ne]={}&limit=1", "x".repeat(4200));
    let page = client.request("GET", &target, &[("accept", "text/csv")], None);
    assert_eq!((page.status(), page.field("link")), (200, None));
}

#[test]
fn a_query_of_the_largest_size_has_links_that_are_accepted() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }]));
    let filters = vec!["name[ne]=x"; 100].join("&");
    let first = client.get(&format!("/zoos?{filters}&limit=1"));
    let next = first.json()["links"]["next"].as_str().unwrap().to_owned();
    assert_eq!((first.status(), client.names(&next).as_str()), (200, "b"));
    assert_eq!(client.get(&format!("/zoos?{filters}&name=a")).status(), 400);
}

/// Conformance 194: on a page past the end, `prev` leads to the last page with members, if the
/// total is known.
#[test]
fn prev_of_a_page_past_the_end_leads_to_the_last_one_with_members() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let zoos: Vec<_> = (1..=7).map(|at| json!({ "name": format!("z{at}") })).collect();
    client.create("/zoos", &zoos.into());
    for (query, prev) in [
        ("limit=3&offset=500&count=true", Some("/zoos?count=true&limit=3&offset=6")),
        ("limit=3&offset=8&count=true", Some("/zoos?count=true&limit=3&offset=5")),
        ("limit=20&offset=500&count=true", Some("/zoos?count=true&limit=20&offset=0")),
        ("per_page=3&page=9&count=true", Some("/zoos?count=true&page=3&per_page=3")),
        (
            "limit=3&offset=500&count=true&name=none",
            Some("/zoos?count=true&name=none&limit=3&offset=0"),
        ),
        ("limit=3&offset=500", Some("/zoos?limit=3&offset=497")),
        ("limit=3&offset=0&count=true&name=none", None),
    ] {
        let answer = client.get(&format!("/zoos?{query}")).json();
        assert_eq!(answer["links"]["prev"].as_str(), prev, "{query}");
    }
}
