//! Tests that a forbidden request has the right status, and that no hidden row can be noticed.

use serde_json::{Value as Json, json};

use super::{PASSWORD, all, ask, basic, blog, nothing};

#[test]
fn a_forbidden_operation_is_401_or_403_and_a_hidden_row_is_404() {
    let server = blog();
    let mut client = server.client();
    let title = json!({ "title": "new" });
    let publish = json!({ "status": "published" });
    let of = |author: i64| json!({ "title": "t", "author_id": author });
    for (login, request, body, expected) in [
        // Nobody is signed in.
        ("", "GET /notes", nothing(), 401),
        ("", "HEAD /notes", nothing(), 401),
        ("", "POST /notes", json!({}), 401),
        ("", "GET /notes/1", nothing(), 401),
        ("", "GET /articles/1", nothing(), 404),
        ("", "GET /articles/4", nothing(), 200),
        ("", "PATCH /articles/1", title.clone(), 401),
        ("", "PATCH /articles/4", title.clone(), 401),
        ("", "PATCH /articles/99", title.clone(), 401),
        ("", "DELETE /articles/99", nothing(), 401),
        ("", "POST /blogs/2/articles", of(2), 401),
        ("", "PUT /users/1", json!({}), 401),
        ("", "GET /users", nothing(), 401),
        // A method that the resource does not have says nothing about anybody.
        ("", "DELETE /notes", nothing(), 405),
        ("ann", "DELETE /notes", nothing(), 405),
        // Rows of others.
        ("bob", "GET /articles/1", nothing(), 404),
        ("bob", "PATCH /articles/1", title.clone(), 404),
        ("bob", "DELETE /articles/1", nothing(), 404),
        ("bob", "PATCH /articles/99", title.clone(), 404),
        ("ann", "GET /articles/4", nothing(), 200),
        ("ann", "PATCH /articles/4", title.clone(), 403),
        ("ann", "DELETE /articles/4", nothing(), 403),
        ("ann", "PUT /articles/4", json!({ "title": "x", "author_id": 1, "blog_id": 2 }), 403),
        // Own rows: a draft may be changed, but not published, and not given away.
        ("ann", "PATCH /articles/1", publish.clone(), 403),
        ("ann", "PATCH /articles/1", json!({ "author_id": 1 }), 200),
        ("ann", "PATCH /articles/2", title.clone(), 403),
        ("ann", "POST /blogs/1/articles", of(1), 201),
        ("ann", "POST /blogs/1/articles", of(2), 409),
        // A role.
        ("eve", "PATCH /articles/1", publish, 200),
        ("eve", "DELETE /articles/1", nothing(), 403),
        ("root", "DELETE /articles/1", nothing(), 204),
        ("ann", "POST /users", json!({ "login": "x", "password": PASSWORD }), 403),
        ("ann", "GET /users/2", nothing(), 404),
        ("ann", "PATCH /users/2", json!({ "login": "x" }), 404),
        ("root", "GET /users/2", nothing(), 200),
        // A parent that is hidden hides its children, under every URL.
        ("", "GET /articles/2", nothing(), 404),
        ("", "PATCH /articles/2", title.clone(), 401),
        ("bob", "GET /articles/2", nothing(), 404),
        ("bob", "HEAD /articles/2", nothing(), 404),
        ("bob", "PATCH /articles/2", title.clone(), 404),
        ("bob", "DELETE /articles/2", nothing(), 404),
        ("bob", "PUT /articles/2", json!({ "title": "x", "author_id": 2, "blog_id": 2 }), 404),
        ("bob", "PATCH /articles/3", json!({ "blog_id": 1 }), 422),
        ("bob", "POST /articles", json!({ "title": "t", "author_id": 2, "blog_id": 1 }), 409),
        ("bob", "GET /blogs/1/articles", nothing(), 404),
        ("bob", "GET /blogs/1/articles/2", nothing(), 404),
        ("bob", "POST /blogs/1/articles", of(2), 404),
        ("", "GET /blogs/1/articles", nothing(), 404),
        ("ann", "GET /blogs/1/articles", nothing(), 200),
        ("ann", "GET /blogs/2/articles/4", nothing(), 200),
    ] {
        let answer = ask(&mut client, login, request, &body);
        assert_eq!(answer.status(), expected, "{login}: {request} {body}\n{answer:?}");
    }
}

/// PUT of a member that is not there creates it, so the rule for creation decides.
#[test]
fn put_creates_only_what_may_be_created() {
    let server = blog();
    let mut client = server.client();
    let text = json!({ "text": "t" });
    for (login, expected) in [("", 401), ("ann", 403), ("root", 201), ("", 200), ("ann", 200)] {
        let put = ask(&mut client, login, "PUT /tags/new", &text);
        assert_eq!(put.status(), expected, "{login}");
        let there = client.get("/tags/new").status();
        assert_eq!(there, if expected > 400 { 404 } else { 200 }, "{login}");
    }
}

#[test]
fn a_deletion_by_a_filter_deletes_all_that_is_visible_or_nothing() {
    let server = blog();
    let mut client = server.client();
    let titles =
        |client: &mut _| all(&ask(client, "root", "GET /articles?sortby=id", &nothing()), "title");
    let refused = ask(&mut client, "ann", "DELETE /articles?status=published", &nothing());
    assert_eq!(refused.status(), 403, "{refused:?}");
    assert_eq!(titles(&mut client), ["a draft", "out", "b draft", "b out"]);
    let deleted = ask(&mut client, "ann", "DELETE /articles?status=draft", &nothing());
    assert_eq!(deleted.status(), 204, "the draft of another is not there for ann");
    assert_eq!(titles(&mut client), ["out", "b draft", "b out"]);
}

/// Of a hidden row nothing can be learnt: no count, no filter, no order, no cursor, no tag, and no
/// condition says that it exists.
#[test]
fn a_hidden_row_is_the_same_as_none() {
    let (with, without) = (blog(), blog());
    without.elsewhere("DELETE FROM articles WHERE id = 1");
    let (mut one, mut other) = (with.client(), without.client());
    let plain = |mut json: Json| {
        json["request_id"] = json!(null);
        json
    };
    for request in [
        "GET /articles",
        "GET /articles?count=true",
        "GET /articles?title=a draft",
        "GET /articles?title[starts_with]=a&count=true",
        "GET /articles?sortby=title&limit=1",
        "GET /articles?id[lte]=1",
        "GET /articles?author_id=1&sortby=-id",
        "GET /articles?page=2&per_page=1&count=true",
        "GET /articles/1",
        "GET /articles/1?fields=title",
        "HEAD /articles/1",
        "PATCH /articles/1",
        "DELETE /articles/1",
        "DELETE /articles?title=a draft",
    ] {
        let request = request.replace("a draft", "a%20draft");
        let body = if request.starts_with("PATCH") { json!({ "title": "x" }) } else { nothing() };
        let mut both = [(&mut one, &with), (&mut other, &without)].map(|(client, _)| {
            let answer = ask(client, "bob", &request, &body);
            let is_problem = answer.status() >= 400 && !request.starts_with("HEAD");
            (answer.status(), if is_problem { plain(answer.json()) } else { nothing() })
        });
        assert_eq!(both[0].0, both[1].0, "{request}");
        assert_eq!(both[0].1.take(), both[1].1.take(), "{request}");
    }
    for condition in ["if-match", "if-none-match"] {
        for tag in ["*", "\"1-json-00000000\""] {
            let status = |client: &mut crate::client::Client| {
                let authorization = basic("bob", PASSWORD);
                let fields = [("authorization", authorization.as_str()), (condition, tag)];
                client.request("GET", "/articles/1", &fields, None).status()
            };
            assert_eq!(status(&mut one), status(&mut other), "{condition}: {tag}");
        }
    }
}

/// Conformance 63: what a caller may not change is forbidden, and not 412. Where only the new
/// values are refused, it is 412.
#[test]
fn what_one_may_not_change_is_forbidden_whatever_the_condition() {
    let server = blog();
    let mut client = server.client();
    let patch = json!({ "title": "x" });
    let put = json!({ "title": "x", "author_id": 1 });
    let conditions = [
        ("if-match", "\"other\""),
        ("if-match", "\"1-json-00000000\""),
        ("if-match", ""),
        ("if-none-match", "*"),
        ("if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("x-none", ""),
    ];
    let test = json!([{ "op": "replace", "path": "/title", "value": "x" }]);
    for (login, target, expected, conditional) in [
        // An article that may be read, one that may not, and one that is not there.
        ("ann", "/articles/4", 403, 403),
        ("ann", "/blogs/2/articles/4", 403, 403),
        ("ann", "/articles/3", 404, 404),
        ("ann", "/articles/9", 404, 404),
        ("", "/articles/4", 401, 401),
        // The own draft may be changed, but not to these values.
        ("bob", "/articles/3", 403, 412),
        ("bob", "/blogs/2/articles/3", 403, 412),
    ] {
        let refused_values = conditional == 412;
        let (patch, put, test) = match refused_values {
            true => (
                json!({ "status": "published" }),
                json!({ "title": "x", "author_id": 2, "status": "published" }),
                json!([{ "op": "replace", "path": "/status", "value": "published" }]),
            ),
            false => (patch.clone(), put.clone(), test.clone()),
        };
        let media = "application/json-patch+json";
        for (name, value) in conditions {
            for (method, body, kind) in [
                ("PATCH", Some(&patch), "application/json"),
                ("PATCH", Some(&test), media),
                ("PUT", Some(&put), "application/json"),
                ("DELETE", None, "application/json"),
            ] {
                if refused_values && method == "DELETE" {
                    continue;
                }
                let authorization = basic(login, PASSWORD);
                let mut fields = vec![(name, value), ("content-type", kind)];
                if !login.is_empty() {
                    fields.push(("authorization", authorization.as_str()));
                }
                let body = body.map(|body| body.to_string().into_bytes());
                let answer = client.request(method, target, &fields, body.as_deref());
                let is_conditional = name != "x-none";
                let status = if is_conditional { conditional } else { expected };
                assert_eq!(
                    answer.status(),
                    status,
                    "{login} {method} {target} {name}: {value} {answer:?}"
                );
            }
        }
    }
}

/// Conformance 63: a deletion of many is forbidden if one of the members may not be deleted,
/// whatever the condition.
#[test]
fn a_deletion_of_many_is_forbidden_before_its_condition_is_tested() {
    let server = blog();
    let mut client = server.client();
    let authorization = basic("ann", PASSWORD);
    for (target, expected) in [
        ("/articles?status=published", 403),
        ("/blogs/2/articles?status=published", 403),
        ("/blogs/1/articles?status=published", 412),
        ("/articles?author_id=1", 412),
        ("/articles?title=none", 412),
    ] {
        let fields = [("authorization", authorization.as_str()), ("if-match", "\"other\"")];
        let answer = client.request("DELETE", target, &fields, None);
        assert_eq!(answer.status(), expected, "{target} {answer:?}");
    }
    assert_eq!(server.cell("SELECT count(*) FROM articles"), "4");
}

/// A creator that may not read the new member learns its URL alone.
#[test]
fn a_creator_that_may_not_read_the_member_gets_its_location() {
    let server = blog();
    let mut client = server.client();
    let page = json!({ "text": "later", "visible_from": "2999-01-01T00:00:00Z" });
    let created = ask(&mut client, "ann", "POST /pages", &page);
    assert_eq!((created.status(), created.field("location")), (201, Some("/pages/1")));
    for name in ["etag", "content-type", "last-modified"] {
        assert_eq!(created.field(name), None, "{created:?}");
    }
    assert_eq!(created.body, b"", "{created:?}");
    assert_eq!(ask(&mut client, "ann", "GET /pages/1", &nothing()).status(), 404);
    let now = json!({ "text": "now", "visible_from": "2000-01-01T00:00:00Z" });
    let both = ask(&mut client, "ann", "POST /pages", &json!([page, now]));
    assert_eq!((both.status(), all(&both, "text")), (201, vec!["now".to_owned()]));
    let seen = ask(&mut client, "ann", "POST /pages", &now);
    assert_eq!((seen.status(), &seen.json()["text"]), (201, &json!("now")));
    assert!(seen.field("etag").is_some());
}

/// A request with `Idempotency-Key` that is sent again has the same response.
#[test]
fn a_repeated_creation_is_as_bare_as_the_first() {
    let server = blog();
    let mut client = server.client();
    let authorization = basic("ann", PASSWORD);
    let fields = [
        ("authorization", authorization.as_str()),
        ("content-type", "application/json"),
        ("idempotency-key", "\"k\""),
    ];
    for _ in 0..2 {
        let body = b"{\"visible_from\":\"2999-01-01T00:00:00Z\"}";
        let created = client.request("POST", "/pages", &fields, Some(body));
        assert_eq!((created.status(), created.field("location")), (201, Some("/pages/1")));
        assert_eq!((&*created.body, created.field("etag")), (&b""[..], None), "{created:?}");
    }
}

/// A member moves to another parent only if its caller may change it there, and may read the new
/// parent.
#[test]
fn a_member_moves_only_where_its_caller_may_change_it() {
    let yaml = "
nouns: 1
api: { title: Boards }
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { type: string, required: true }
  board:
    fields: { owner_id: { references: user }, is_open: { type: boolean, required: true } }
    access: { read: { any: [{ where: { is_open: true } }, { where: { owner_id: $account.id } }] } }
  card:
    parent: { resource: board, movable: true }
    routes: both
    fields: { text: string }
    access:
      read: public
      create: { where: { board.owner_id: $account.id } }
      update: { where: { board.owner_id: $account.id } }
";
    let server = crate::server::TestServer::of(yaml);
    super::add_accounts(&server, &[("ann", "r"), ("bob", "r")]);
    let rows = "INSERT INTO boards (owner_id, is_open) VALUES (1, TRUE), (1, FALSE), (2, TRUE), (2, FALSE);
        INSERT INTO cards (board_id) VALUES (1);";
    server.elsewhere(rows);
    let mut client = server.client();
    for (login, to, expected) in [
        ("ann", 2, 200),
        ("ann", 3, 403),
        ("ann", 4, 409),
        ("bob", 3, 404),
        ("ann", 1, 200),
        ("bob", 3, 403),
    ] {
        let moved = ask(&mut client, login, "PATCH /cards/1", &json!({ "board_id": to }));
        assert_eq!(moved.status(), expected, "{login} {to} {moved:?}");
    }
}

/// Offices that only their owners read, with rooms and desks below them.
const OFFICES: &str = "
nouns: 1
auth: { accounts: user, login: login }
resources:
  user:
    fields:
      login: { type: string, required: true, unique: true }
      password: { type: password, required: true }
      role: { type: string, required: true }
  office:
    fields: { owner_id: { references: user } }
    access: { read: { where: { owner_id: $account.id } } }
  room:
    parent: office
    fields: { text: string }
    access: { read: public, create: public, update: public, delete: public }
  desk:
    parent: { resource: room, required: false, movable: true }
    routes: both
    methods: [list, get, create, replace, update, delete, delete_many]
    fields: { text: string, next_id: { references: { resource: desk, on_delete: restrict } } }
    access: { read: public, create: public, update: public, delete: public }
";

/// A member below a hidden parent is hidden wherever its parents are not in the URL: under its own
/// URL, as the target of a reference, and as what restricts a deletion. A member without a parent
/// inherits nothing.
#[test]
fn a_hidden_parent_hides_what_is_below_it() {
    let server = crate::server::TestServer::of(OFFICES);
    super::add_accounts(&server, &[("ann", "r"), ("bob", "r")]);
    let rows = "INSERT INTO offices (owner_id) VALUES (1), (2);
        INSERT INTO rooms (office_id) VALUES (1), (2);
        INSERT INTO desks (room_id, next_id) VALUES (1, NULL), (2, NULL), (NULL, NULL), (1, 3);";
    server.elsewhere(rows);
    let mut client = server.client();
    let next = |id: u32| json!({ "next_id": id });
    let text = json!({ "text": "t" });
    for (login, request, body, expected) in [
        ("", "GET /desks/3", nothing(), 200),
        ("", "GET /desks/1", nothing(), 404),
        ("", "GET /offices/1/rooms", nothing(), 401),
        ("ann", "GET /offices/2/rooms", nothing(), 404),
        ("ann", "GET /desks/1", nothing(), 200),
        ("ann", "GET /desks/2", nothing(), 404),
        ("ann", "PATCH /desks/2", text.clone(), 404),
        ("ann", "PUT /desks/2", text.clone(), 404),
        ("ann", "DELETE /desks/2", nothing(), 404),
        ("ann", "PATCH /desks/3", next(2), 409),
        ("ann", "PATCH /desks/3", next(9), 409),
        ("ann", "PATCH /desks/3", json!({ "room_id": 2 }), 409),
        ("ann", "POST /desks", json!({ "room_id": 2 }), 409),
        ("ann", "POST /desks", json!({ "room_id": 1 }), 201),
        ("ann", "PATCH /desks/3", next(1), 200),
        // What refers to the desk is hidden, and keeps it all the same.
        ("bob", "DELETE /desks/3", nothing(), 409),
        ("bob", "DELETE /desks?text=none", nothing(), 204),
    ] {
        let answer = ask(&mut client, login, request, &body);
        assert_eq!(answer.status(), expected, "{login}: {request} {body}\n{answer:?}");
    }
    // In an array, too, a member that is hidden is as one that does not exist.
    let rooms = json!([{ "room_id": 1 }, { "room_id": 2 }, { "text": "t" }, { "room_id": 9 }]);
    let refused = ask(&mut client, "ann", "POST /desks", &rooms);
    assert_eq!(refused.faults(), "/1/room_id reference, /3/room_id reference");
    let ids = |client: &mut _, login, request| {
        let answer = ask(client, login, request, &nothing()).json();
        let ids = answer["items"].as_array().unwrap().iter().map(|one| one["id"].as_i64());
        ids.flatten().collect::<Vec<_>>()
    };
    assert_eq!(ids(&mut client, "", "GET /desks?sortby=id"), [3]);
    assert_eq!(ids(&mut client, "ann", "GET /desks?sortby=id"), [1, 3, 4, 5]);
    assert_eq!(ids(&mut client, "bob", "GET /desks?sortby=id"), [2, 3]);
    assert!(ids(&mut client, "bob", "GET /desks?room_id=1").is_empty());
    let counted = ask(&mut client, "bob", "GET /desks?count=true&limit=1", &nothing()).json();
    assert_eq!(counted["total"], 2);
    let named = |client: &mut _, login| {
        ask(client, login, "DELETE /desks/3", &nothing()).json()["detail"].to_string()
    };
    assert!(named(&mut client, "ann").contains("desk"), "{}", named(&mut client, "ann"));
}
