//! Tests of the cost of requests: the number of SQL statements that the store executes for each.

use http::{Method, Request};
use nouns::__runtime::{Body, reply::Reply};
use serde_json::{Value as Json, json};

use crate::{database, server::TestServer};

const SCHEMA: &str = "
nouns: 1
resources:
  continent: { fields: { name: { type: string, unique: true } } }
  country: { parent: continent, fields: { name: string } }
  city: { parent: country, fields: { name: string } }
  street: { parent: city, fields: { name: string, mayor_id: { references: mayor } } }
  house: { parent: street, fields: { name: string }, methods: [list, create, get, replace, update, delete, delete_many] }
  mayor: { fields: { name: { type: string, unique: true } } }
";

const COLLECTIONS: [&str; 5] = ["continents", "countries", "cities", "streets", "houses"];

/// A server whose service the tests call without a socket.
struct StatementBed {
    server: TestServer,
    runtime: tokio::runtime::Runtime,
}

impl StatementBed {
    fn new() -> Self {
        Self::of(SCHEMA)
    }

    fn of(schema: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { server: TestServer::of(schema), runtime }
    }

    fn send(&self, method: Method, target: &str, body: &Json) -> Reply {
        self.conditional(method, target, body, &[])
    }

    fn conditional(
        &self,
        method: Method,
        target: &str,
        body: &Json,
        fields: &[(&str, &str)],
    ) -> Reply {
        let bytes = if body.is_null() { vec![] } else { body.to_string().into_bytes() };
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        self.runtime.block_on(self.server.service.reply(request.body(Body::from(bytes)).unwrap()))
    }

    /// Creates a member in a collection, and returns its URL. Checks that it takes one statement.
    fn create(&self, collection: &str, body: &Json) -> String {
        let reply = self.send(Method::POST, collection, body);
        assert_eq!((reply.status.as_u16(), reply.statements), (201, 1), "{collection}");
        reply.headers["location"].to_str().unwrap().to_owned()
    }

    #[track_caller]
    fn costs(&self, method: &Method, target: &str, body: &Json, status: u16, statements: u32) {
        let reply = self.send(method.clone(), target, body);
        assert_eq!(
            (reply.status.as_u16(), reply.statements),
            (status, statements),
            "{method} {target}"
        );
    }
}

#[test]
fn a_plain_request_is_one_statement_at_every_depth() {
    let bed = StatementBed::new();
    let mut above = String::new();
    for (depth, collection) in COLLECTIONS.into_iter().enumerate() {
        let collection = format!("{above}/{collection}");
        let name = json!({ "name": format!("at {depth}") });
        bed.costs(&Method::GET, &collection, &Json::Null, 200, 1);
        let member = bed.create(&collection, &name);
        bed.costs(&Method::GET, &collection, &Json::Null, 200, 1);
        bed.costs(&Method::HEAD, &collection, &Json::Null, 200, 1);
        bed.costs(
            &Method::GET,
            &format!("{collection}?name[ne]=x&sortby=-name&limit=3"),
            &Json::Null,
            200,
            1,
        );
        let counted = if database::is_postgres() { 1 } else { 2 };
        bed.costs(&Method::GET, &format!("{collection}?count=true"), &Json::Null, 200, counted);
        bed.costs(&Method::GET, &member, &Json::Null, 200, 1);
        bed.costs(&Method::PATCH, &member, &json!({ "name": "patched" }), 200, 1);
        bed.costs(&Method::PUT, &member, &json!({ "name": "put" }), 200, 1);
        let gone = bed.create(&collection, &json!({ "name": "gone" }));
        bed.costs(&Method::DELETE, &gone, &Json::Null, 204, 1);
        above = member;
    }
    let houses = above.rsplit_once('/').unwrap().0;
    // One statement finds the matching members on a read connection, and another deletes them.
    bed.costs(&Method::DELETE, &format!("{houses}?name=put"), &Json::Null, 204, 2);
}

/// A move to another parent takes one statement, which checks the old chain of parents and the new
/// parent. It also returns the new URL.
#[test]
fn another_parent_is_one_statement_at_every_depth() {
    let bed = StatementBed::of(
        &SCHEMA.replace("city, fields", "{ resource: city, movable: true }, fields"),
    );
    let mut cities = vec![];
    for name in ["a", "b"] {
        let mut above = String::new();
        for collection in &COLLECTIONS[..3] {
            above = bed.create(&format!("{above}/{collection}"), &json!({ "name": name }));
        }
        cities.push(above);
    }
    let street = bed.create(&format!("{}/streets", cities[0]), &json!({ "name": "x" }));
    let city: u32 = cities[1].rsplit('/').next().unwrap().parse().unwrap();
    let moved = bed.send(Method::PATCH, &street, &json!({ "city_id": city }));
    assert_eq!((moved.status.as_u16(), moved.statements), (200, 1), "{:?}", moved.body);
    assert_eq!(moved.headers["content-location"], format!("{}/streets/1", cities[1]));
    let back = bed.send(
        Method::PUT,
        &format!("{}/streets/1", cities[1]),
        &json!({ "name": "y", "city_id": 1 }),
    );
    assert_eq!((back.status.as_u16(), back.statements), (200, 1), "{:?}", back.body);
    let dangling = bed.send(Method::PATCH, &street, &json!({ "city_id": 99 }));
    assert_eq!((dangling.status.as_u16(), dangling.statements <= CONFLICT_MAX), (409, true));
}

#[test]
fn an_array_is_one_statement_a_member() {
    let bed = StatementBed::new();
    let body = Json::Array((0..10).map(|at| json!({ "name": at.to_string() })).collect());
    bed.costs(&Method::POST, "/mayors", &body, 201, 10);
}

#[test]
fn what_needs_nothing_of_the_store_asks_it_nothing() {
    let bed = StatementBed::new();
    for (method, target, status) in [
        (Method::GET, "/", 200),
        (Method::GET, "/-/health", 200),
        (Method::OPTIONS, "/mayors", 200),
        (Method::GET, "/mayor", 404),
        (Method::GET, "/mayors/x", 404),
        (Method::GET, "/mayors?nam=x", 400),
        (Method::GET, "/mayors/", 301),
        (Method::TRACE, "/mayors", 405),
    ] {
        bed.costs(&method, target, &Json::Null, status, 0);
    }
    for nothing in [json!({ "name": 1 }), json!([])] {
        bed.costs(&Method::POST, "/mayors", &nothing, 422, 0);
    }
}

#[test]
fn an_unchanged_collection_is_not_asked_for() {
    let bed = StatementBed::new();
    bed.create("/mayors", &json!({ "name": "Ada" }));
    let first = bed.send(Method::GET, "/mayors?sortby=name", &Json::Null);
    let tag = first.headers["etag"].to_str().unwrap();
    let again =
        bed.conditional(Method::GET, "/mayors?sortby=name", &Json::Null, &[("if-none-match", tag)]);
    assert_eq!((again.status.as_u16(), again.statements), (304, 0));
}

/// The maximum number of statements for a URL with a missing parent: the request's statement, and
/// one that finds which parent is missing.
const REFUSED_MAX: u32 = 2;

/// The maximum number of statements for a conflict in this test: the request's statement, and one
/// for each of two possible causes.
const CONFLICT_MAX: u32 = 3;

#[test]
fn a_refusal_costs_at_most_one_statement_more() {
    let bed = StatementBed::new();
    let mayor = bed.create("/mayors", &json!({ "name": "Ada" }));
    let other = bed.create("/mayors", &json!({ "name": "Grace" }));
    let mut above = String::new();
    for (depth, collection) in COLLECTIONS.into_iter().enumerate() {
        let collection = format!("{above}/{collection}");
        let absent = format!("{collection}/999999");
        let reply = bed.send(Method::GET, &absent, &Json::Null);
        // At depth 0 only the member itself can be missing, so no second statement is needed.
        let expected = if depth == 0 { 1 } else { REFUSED_MAX };
        assert_eq!((reply.status.as_u16(), reply.statements <= expected), (404, true), "{absent}");
        for method in [Method::PATCH, Method::PUT, Method::DELETE] {
            let body = if method == Method::DELETE { Json::Null } else { json!({ "name": "x" }) };
            let reply = bed.send(method.clone(), &absent, &body);
            assert_eq!(
                (reply.status.as_u16(), reply.statements <= REFUSED_MAX),
                (404, true),
                "{method} {absent}"
            );
        }
        above = bed.create(&collection, &json!({ "name": "x" }));
    }
    let street = above.rsplit_once("/houses").unwrap().0;
    let member =
        bed.send(Method::GET, &mayor, &Json::Null).headers["etag"].to_str().unwrap().to_owned();
    let name = json!({ "name": "Ada" });
    for (reply, status) in [
        (bed.send(Method::POST, "/mayors", &name), 409),
        (bed.send(Method::PATCH, &other, &name), 409),
        (bed.send(Method::PATCH, street, &json!({ "mayor_id": 999 })), 409),
        (bed.send(Method::DELETE, street, &Json::Null), 409),
        (bed.conditional(Method::PATCH, &other, &json!({}), &[("if-match", &member)]), 412),
        (bed.conditional(Method::DELETE, &other, &Json::Null, &[("if-match", "\"0-json\"")]), 412),
    ] {
        assert_eq!(reply.status.as_u16(), status, "{:?}", reply.body);
        assert!(
            (1..=CONFLICT_MAX).contains(&reply.statements),
            "the conflict took {} statements: {:?}",
            reply.statements,
            reply.body
        );
    }
}
