//! Tests of methods: supported by a target, not supported by a target, and unknown.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Tierpark" }, { "name": "Bergzoo" }]));
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create("/zoos/1/animals", &json!({ "name": "Bella", "animal_type_id": 1 }));
    client.create("/admin", &json!({ "name": "ada" }));
    (server, client)
}

/// Targets of every kind, and the methods that each supports, sorted.
const TARGETS: [(&str, &[&str]); 11] = [
    ("/", &["GET", "HEAD", "OPTIONS"]),
    ("/zoos", &["GET", "HEAD", "OPTIONS", "POST"]),
    ("/zoos/1", &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"]),
    ("/zoos/1/animals", &["GET", "HEAD", "OPTIONS", "POST"]),
    ("/zoos/1/animals/1", &["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"]),
    ("/admin", &["DELETE", "GET", "HEAD", "OPTIONS", "POST"]),
    ("/admin/1", &["DELETE", "GET", "HEAD", "OPTIONS"]),
    ("/-/health", &["GET", "HEAD", "OPTIONS"]),
    ("/-/ready", &["GET", "HEAD", "OPTIONS"]),
    ("/-/problems", &["GET", "HEAD", "OPTIONS"]),
    ("/-/problems/not-found", &["GET", "HEAD", "OPTIONS"]),
];

/// Conformance 6, 10, 40, 61: a known method that the target does not support is 405, with the same
/// `Allow` as OPTIONS.
#[test]
fn a_method_that_is_not_offered_is_answered_with_those_that_are() {
    let (_server, mut client) = zoos();
    for (target, methods) in TARGETS {
        let options = client.request("OPTIONS", target, &[], None);
        assert_eq!(options.status_line, "HTTP/1.1 200 OK");
        assert_eq!(options.allow(), methods, "{target}");
        for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "QUERY", "CONNECT"] {
            if methods.contains(&method) {
                continue;
            }
            let answer = client.request(method, target, &[], None);
            assert_eq!(answer.status_line, "HTTP/1.1 405 Method Not Allowed", "{method} {target}");
            assert_eq!(answer.problem(), "method-not-allowed");
            assert_eq!(answer.allow(), methods, "{method} {target}");
        }
    }
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

#[test]
fn the_problem_of_a_method_names_those_that_are_offered() {
    let (_server, mut client) = zoos();
    let answer = client.request("PUT", "/zoos", &[], Some(b"{}"));
    assert_eq!(
        answer.json(),
        json!({
            "type": "/-/problems/method-not-allowed", "title": "Method not allowed", "status": 405,
            "detail": "`PUT` is not allowed here; allowed are: GET, HEAD, POST, OPTIONS.", "instance": "/zoos",
        })
    );
}

/// Conformance 5, 6: method names are case-sensitive, and an unknown method is 501.
#[test]
fn a_method_that_nobody_knows_is_not_implemented() {
    let (_server, mut client) = zoos();
    for method in ["BREW", "get", "Get", "post", "options", "PROPFIND", "LINK", "X-1!"] {
        for target in ["/zoos", "/zoos/1", "/", "/-/health", "/zoos/"] {
            let answer = client.request(method, target, &[], None);
            assert_eq!(answer.status_line, "HTTP/1.1 501 Not Implemented", "{method} {target}");
            assert_eq!(answer.problem(), "not-implemented");
            assert_eq!(answer.field("allow"), None);
        }
    }
    assert_eq!(client.request("BREW", "/nowhere", &[], None).status_line, "HTTP/1.1 404 Not Found");
}

/// Conformance 7: HEAD has the status and the header fields of GET, and no content. The next
/// request on the connection works.
#[test]
fn head_equals_get_without_its_content() {
    let (_server, mut client) = zoos();
    let targets = [
        "/zoos",
        "/zoos?limit=1&count=true",
        "/zoos/1",
        "/zoos/9",
        "/zoos?x=1",
        "/nowhere",
        "/",
        "/-/health",
        "/zoos/",
    ];
    for target in targets {
        let get = client.get(target);
        let head = client.request("HEAD", target, &[], None);
        assert_eq!(head.status_line, get.status_line, "{target}");
        let fields = |answer: &crate::client::Answer| {
            let mut fields = answer.fields.clone();
            fields.retain(|(name, _)| !["date", "request-id"].contains(&&**name));
            fields.sort();
            fields
        };
        assert_eq!(fields(&head), fields(&get), "{target}");
        assert!(head.body.is_empty());
        assert_eq!(get.field("content-length").unwrap(), get.body.len().to_string());
    }
    let etag = client.get("/zoos/1").field("etag").unwrap().to_owned();
    let unchanged = client.request("HEAD", "/zoos/1", &[("if-none-match", &etag)], None);
    assert_eq!(unchanged.status_line, "HTTP/1.1 304 Not Modified");
    assert_eq!(client.get("/zoos/1").status(), 200, "the connection must stay usable after HEAD");
}

/// Conformance 10, 11, 188: OPTIONS describes a collection: its methods, formats and limits.
#[test]
fn options_describes_a_collection() {
    let (_server, mut client) = zoos();
    let answer = client.request("OPTIONS", "/zoos/1/animals", &[], None);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(answer.field("allow"), Some("GET, HEAD, POST, OPTIONS"));
    assert_eq!(answer.field("accept-post"), Some("application/json"));
    assert_eq!(answer.field("accept-patch"), None);
    let mut json = answer.json();
    let fields = json["fields"].take();
    assert_eq!(
        json,
        json!({
            "methods": ["GET", "HEAD", "POST", "OPTIONS"], "resource": "animal",
            "formats": ["application/json", "application/x-ndjson", "text/csv; charset=utf-8; header=present", "text/html; charset=utf-8"],
            "format": ["json", "ndjson", "csv", "html"],
            "description": "An animal that lives in a zoo.", "fields": null, "sort": "name,id",
            "limit": { "default": 20, "maximum": 100 },
        })
    );
    let names: Vec<_> =
        fields.as_array().unwrap().iter().map(|field| field["name"].as_str().unwrap()).collect();
    let all =
        ["id", "zoo_id", "name", "animal_type_id", "weight_kg", "born", "created_at", "updated_at"];
    assert_eq!(names, all);
    assert_eq!(
        fields[3],
        json!({
            "name": "animal_type_id", "type": "integer", "required": true, "references": "animal_type",
            "filterable": true, "sortable": true,
            "operators": ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "between", "null"],
        })
    );
}

/// Conformance 10: OPTIONS describes the constraints of each field with the keys of the schema, and
/// lists the collections below a member.
#[test]
fn options_says_what_values_are_good_and_what_stands_below() {
    let yaml = "
nouns: 1
api: { base_path: /api }
resources:
  shelf: { collection: shelves, fields: { name: string } }
  book:
    parent: shelf
    unique: [[shelf_id, title]]
    fields:
      title: { type: string, required: true, min_length: 2, max_length: 80, pattern: '^[A-Z]', ignore_case: true }
      genre: { enum: [poem, novel], default: novel }
      pages: { type: integer, minimum: 1, maximum: 9000 }
      weight: { type: number, minimum: 0.5 }
      price: { type: decimal, scale: 2, minimum: 1 }
      lent: { type: date, default: $now }
      mail: { type: string, format: email, unique: true }
  page: { parent: book, fields: { text: string } }
  note: { parent: book, fields: { text: string } }
";
    let server = TestServer::of(yaml);
    let mut client = server.client();
    let answer = client.request("OPTIONS", "/api/shelves/7/books", &[], None).json();
    assert_eq!(answer["unique"], json!([["shelf_id", "title"]]));
    assert_eq!(
        answer["collections"],
        json!([
            { "resource": "page", "collection": "/api/shelves/7/books/{book_id}/pages" },
            { "resource": "note", "collection": "/api/shelves/7/books/{book_id}/notes" },
        ])
    );
    let mut fields = answer["fields"].clone();
    for field in fields.as_array_mut().unwrap() {
        for key in ["filterable", "sortable", "operators", "type", "required"] {
            field.as_object_mut().unwrap().remove(key);
        }
    }
    assert_eq!(
        fields.as_array().unwrap()[2..9],
        [
            json!({ "name": "title", "min_length": 2, "max_length": 80, "pattern": "^[A-Z]", "ignore_case": true }),
            json!({ "name": "genre", "enum": ["poem", "novel"], "default": "novel" }),
            json!({ "name": "pages", "minimum": 1, "maximum": 9000 }),
            json!({ "name": "weight", "minimum": 0.5 }),
            json!({ "name": "price", "scale": 2, "minimum": "1.00" }),
            json!({ "name": "lent", "default": "$now" }),
            json!({ "name": "mail", "format": "email", "unique": true }),
        ]
    );
    let shelf = client.request("OPTIONS", "/api/shelves/7", &[], None).json();
    assert_eq!(
        shelf["collections"],
        json!([{ "resource": "book", "collection": "/api/shelves/7/books" }])
    );
    let note = client.request("OPTIONS", "/api/shelves/7/books/1/notes/1", &[], None).json();
    assert_eq!(note.get("collections"), None);
}

/// Conformance 10, 11: OPTIONS describes a member: its methods and its patch formats.
#[test]
fn options_describes_a_member() {
    let (_server, mut client) = zoos();
    let answer = client.request("OPTIONS", "/zoos/1", &[], None);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.field("allow"), Some("GET, HEAD, PUT, PATCH, DELETE, OPTIONS"));
    assert_eq!(answer.field("accept-post"), None);
    assert_eq!(
        answer.field("accept-patch"),
        Some("application/merge-patch+json, application/json-patch+json, application/json")
    );
    assert_eq!(answer.json()["resource"], "zoo");
    let admin = client.request("OPTIONS", "/admin/1", &[], None);
    assert_eq!(admin.field("accept-patch"), None);
    assert_eq!(
        client.request("OPTIONS", "/nowhere", &[], None).status_line,
        "HTTP/1.1 404 Not Found"
    );
}

#[test]
fn options_describes_the_server() {
    let (_server, mut client) = zoos();
    for target in ["*", "/"] {
        let answer = client.request("OPTIONS", target, &[], None);
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}");
    }
    let home = client.request("OPTIONS", "/", &[], None);
    assert_eq!(home.json(), json!({ "methods": ["GET", "HEAD", "OPTIONS"] }));
    let server = client.request("OPTIONS", "*", &[], None);
    assert_eq!(server.json()["methods"].as_array().unwrap().len(), 7);
    assert_eq!(server.allow(), ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
    assert_eq!(client.get("*").status(), 400, "`*` must be a target of OPTIONS only");
}

/// Conformance 34, 35, 36: the URL without a trailing slash is canonical. The URL with one
/// redirects to it, and keeps the query and the method.
#[test]
fn a_trailing_slash_moves_with_its_query() {
    let (_server, mut client) = zoos();
    for (target, location) in [
        ("/zoos/", "/zoos"),
        ("/zoos/1/", "/zoos/1"),
        ("/zoos/1/animals/?limit=2&name=a+b", "/zoos/1/animals?limit=2&name=a+b"),
        ("/zoos//", "/zoos"),
        ("/-/health/", "/-/health"),
    ] {
        for (method, status) in [
            ("GET", "301 Moved Permanently"),
            ("HEAD", "301 Moved Permanently"),
            ("POST", "308 Permanent Redirect"),
            ("PUT", "308 Permanent Redirect"),
            ("PATCH", "308 Permanent Redirect"),
            ("DELETE", "308 Permanent Redirect"),
        ] {
            let answer = client.request(method, target, &[], None);
            assert_eq!(answer.status_line, format!("HTTP/1.1 {status}"), "{method} {target}");
            assert_eq!(answer.field("location"), Some(location), "{method} {target}");
        }
    }
    assert_eq!(
        client.names("/zoos"),
        "Tierpark Bergzoo",
        "a redirected request must not be executed"
    );
}

/// Conformance 36: a URL with a trailing slash that would not exist without the slash is 404
/// instead of a redirect.
#[test]
fn a_trailing_slash_of_nothing_is_not_found() {
    let (_server, mut client) = zoos();
    for (target, detail) in [
        ("/nope/", "There is no collection `nope`."),
        ("/zoo/?limit=1", "There is no collection `zoo`; did you mean `zoos`?"),
        ("/zoos/x/", "`x` is not an id of `zoo`; an id is a positive whole number."),
        ("/zoos/1/nope//", "A member of `zoos` has no collection `nope`."),
        ("/-/nope/", "Under `/-/` there are docs, health, ready, metrics and problems."),
        ("//evil.example/", "There is no collection `evil.example`."),
        ("/%2F/evil.example/", "There is no collection `/`."),
    ] {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let answer = client.request(method, target, &[], None);
            assert_eq!(
                (answer.status(), answer.field("location")),
                (404, None),
                "{method} {target}"
            );
            assert_eq!(answer.field("cache-control"), Some("no-cache"));
            if method != "HEAD" {
                assert_eq!(answer.detail(), detail, "{method} {target}");
            }
        }
    }
    assert_eq!(client.get("/zoos/%zz/").status(), 400);
    assert_eq!(client.get("///").field("location"), Some("/"));
}

/// Conformance 15: a PUT that is sent twice has the effect of one PUT.
#[test]
fn a_put_that_is_sent_twice_leaves_the_same_state() {
    let (_server, mut client) = zoos();
    let body = json!({ "name": "Tierpark", "city": "Berlin" });
    let first = client.put("/zoos/1", &body);
    let second = client.put("/zoos/1", &body);
    assert_eq!((first.status(), second.status()), (200, 200));
    assert_eq!(first.still(), second.still());
    assert_eq!(client.get("/zoos/1").still(), first.still());
}

/// Conformance 18: PUT with `Content-Range` is 400, since the body would be only a part of a
/// member.
#[test]
fn a_put_of_a_part_is_refused() {
    let (_server, mut client) = zoos();
    for range in ["bytes 0-9/100", "bytes */100", "items 1-2/3", "anything"] {
        let body = br#"{"name":"Part"}"#;
        let answer = client.request("PUT", "/zoos/1", &[("content-range", range)], Some(body));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{range}");
        assert_eq!(answer.problem(), "malformed-request");
    }
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}

/// Conformance 30: only the request line determines the method. No header field or parameter
/// overrides it.
#[test]
fn no_field_and_no_parameter_overrides_a_method() {
    let (_server, mut client) = zoos();
    for name in ["x-http-method-override", "x-http-method", "x-method-override"] {
        for (method, target, status) in [("POST", "/zoos/1", 405), ("GET", "/zoos/2", 200)] {
            assert_eq!(
                client.request(method, target, &[(name, "DELETE")], None).status(),
                status,
                "`{name}` must not override the method"
            );
        }
    }
    assert_eq!(client.request("POST", "/zoos/2?_method=DELETE", &[], None).status(), 405);
    assert_eq!(client.get("/zoos/2?_method=DELETE").status(), 400);
    assert_eq!(client.names("/zoos"), "Tierpark Bergzoo");
}
