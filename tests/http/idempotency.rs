//! Tests of POST with an `Idempotency-Key`: a request is executed once, however often it is sent
//! (draft-ietf-httpapi-idempotency-key-header).

mod kept;

use std::{collections::BTreeSet, sync::Barrier, thread};

use serde_json::{Value, json};

use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// Sends a POST with this `Idempotency-Key`.
fn post(client: &mut Client, target: &str, key: &str, body: &Value) -> Answer {
    let fields = [("content-type", "application/json"), ("idempotency-key", key)];
    client.request("POST", target, &fields, Some(body.to_string().as_bytes()))
}

fn assert_same(one: &Answer, other: &Answer) {
    assert_eq!((&one.status_line, &one.body), (&other.status_line, &other.body));
    let without_date = |answer: &Answer| {
        answer.fields.iter().filter(|(name, _)| name != "date").cloned().collect::<Vec<_>>()
    };
    assert_eq!(without_date(one), without_date(other));
}

/// Conformance 161: a repeated request gets the first response, and is not executed again.
#[test]
fn a_request_that_is_sent_again_gets_the_first_answer() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = json!({ "name": "Tierpark", "city": "Berlin" });
    let first = post(&mut client, "/zoos", "\"a\"", &body);
    assert_eq!(first.status_line, "HTTP/1.1 201 Created");
    assert!(first.field("location").is_some() && first.field("etag").is_some());
    let collection = client.get("/zoos").field("etag").unwrap().to_owned();
    assert_same(&post(&mut client, "/zoos", "\"a\"", &body), &first);
    assert_eq!(
        client.get("/zoos").field("etag"),
        Some(&*collection),
        "the repeated request must write nothing"
    );

    client.patch("/zoos/1", &json!({ "name": "Zoo" }));
    assert_same(&post(&mut client, "/zoos", "\"a\"", &body), &first);
    client.delete("/zoos/1");
    assert_same(&post(&mut client, "/zoos", "\"a\"", &body), &first);
    assert_eq!(
        client.names("/zoos"),
        "",
        "the repeated request must not create the deleted zoo again"
    );
}

/// Conformance 41, 161: a repeated request gets the first response even if the client does not
/// accept its format. A 406 would mean that nothing was executed.
#[test]
fn what_is_accepted_does_not_refuse_what_was_done() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let mut accepting = |key: Option<&str>, accept: &str| {
        let mut fields = vec![("content-type", "application/json"), ("accept", accept)];
        fields.extend(key.map(|key| ("idempotency-key", key)));
        let body = json!({ "name": key.unwrap_or_default() });
        client.request("POST", "/zoos", &fields, Some(body.to_string().as_bytes()))
    };
    assert_eq!(accepting(None, "image/png").status(), 406);
    let first = accepting(Some("a"), "text/csv");
    assert_eq!(first.status(), 201);
    assert_same(&accepting(Some("a"), "image/png"), &first);
    let other = accepting(Some("b"), "image/png");
    assert_eq!((other.status(), other.field("content-type")), (201, Some("application/json")));
    assert_eq!(client.names("/zoos"), "a b");
}

/// Conformance 161: an array that is sent again is created only once.
#[test]
fn an_array_that_is_sent_again_gets_the_first_answer() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = json!([{ "name": "a" }, { "name": "b" }]);
    let first = post(&mut client, "/zoos", "\"a\"", &body);
    assert_eq!(first.status(), 201);
    assert_same(&post(&mut client, "/zoos", "\"a\"", &body), &first);
    assert_eq!(client.names("/zoos"), "a b");
}

/// Conformance 161: the precondition of a repeated request is not tested again.
#[test]
fn a_precondition_that_held_is_not_asked_again() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let tag = client.get("/zoos").field("etag").unwrap().to_owned();
    let fields = [("idempotency-key", "\"a\""), ("if-match", tag.as_str())];
    let body = br#"{"name":"Tierpark"}"#;
    let first = client.request("POST", "/zoos", &fields, Some(body));
    assert_eq!(first.status(), 201);
    assert_same(&client.request("POST", "/zoos", &fields, Some(body)), &first);
    let other = [("idempotency-key", "\"b\""), ("if-match", tag.as_str())];
    assert_eq!(client.request("POST", "/zoos", &other, Some(body)).status(), 412);
}

/// Conformance 161: the same key with another body is 422, and the request is not executed.
#[test]
fn another_body_under_the_same_key_is_refused() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let first = post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Tierpark" }));
    let other = post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Bergzoo" }));
    assert_eq!((other.status(), other.problem()), (422, "idempotency-key-reused".to_owned()));
    assert!(other.detail().contains("`Idempotency-Key`"));
    assert_eq!(client.names("/zoos"), "Tierpark");
    assert_same(&post(&mut client, "/zoos", "\"a\"", &json!({ "name": "Tierpark" })), &first);
}

/// Conformance 161: a key is valid for one collection. The same key on another collection is a new
/// key.
#[test]
fn the_same_key_elsewhere_is_another() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "a" }, { "name": "b" }]));
    assert_eq!(
        post(&mut client, "/animal_types", "\"a\"", &json!({ "name": "Lion" })).status(),
        201
    );
    assert_eq!(post(&mut client, "/admin", "\"a\"", &json!({ "name": "Lion" })).status(), 201);
    let animal = json!({ "name": "Bella", "animal_type_id": 1 });
    for zoo in ["/zoos/1/animals", "/zoos/2/animals"] {
        let answer = post(&mut client, zoo, "\"a\"", &animal);
        assert!(answer.field("location").unwrap().starts_with(zoo), "{answer:?}");
        assert_same(&post(&mut client, zoo, "\"a\"", &animal), &answer);
        assert_eq!(client.names(zoo), "Bella");
    }
    assert_eq!(client.names("/admin"), "Lion");
}

/// Conformance 161: a refused request was not executed, so it can be retried with its key.
#[test]
fn a_request_that_was_refused_can_be_tried_again() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = json!({ "name": "Tierpark" });
    client.create("/zoos", &body);
    assert_eq!(post(&mut client, "/zoos", "\"a\"", &json!({ "name": 1 })).status(), 422);
    assert_eq!(post(&mut client, "/zoos", "\"a\"", &body).problem(), "already-exists");
    client.delete("/zoos/1");
    assert_eq!(post(&mut client, "/zoos", "\"a\"", &body).status(), 201);
    assert_eq!(
        post(&mut client, "/zoos/9/animals", "\"a\"", &json!({ "name": "x", "animal_type_id": 1 }))
            .status(),
        404
    );
}

/// Conformance 161: a UUID as key needs no quotes. An invalid key is 400, and is not ignored.
#[test]
fn what_is_no_key_is_a_bad_request() {
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = json!({ "name": "Tierpark" });
    for key in ["a b", "", "\"\"", "\"a", "\"a\", \"b\"", ":YQ==:", &"a".repeat(256)] {
        let answer = post(&mut client, "/zoos", key, &body);
        assert_eq!(
            (answer.status(), answer.problem()),
            (400, "malformed-request".to_owned()),
            "{key}"
        );
    }
    let twice = [("idempotency-key", "\"a\""), ("idempotency-key", "\"a\"")];
    assert_eq!(
        client.request("POST", "/zoos", &twice, Some(body.to_string().as_bytes())).status(),
        400
    );
    assert_eq!(client.names("/zoos"), "");
    let uuid = "8e03978e-40d5-43e8-bc93-6894a57f9324";
    let first = post(&mut client, "/zoos", uuid, &body);
    assert_same(&post(&mut client, "/zoos", &format!("\"{uuid}\""), &body), &first);
}

/// Conformance 161: of many concurrent requests with one key, exactly one is executed. The others
/// get 409 until it is done, and then its response.
#[test]
fn of_many_requests_with_one_key_exactly_one_is_done() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 10;
    let server = TestServer::zoo();
    for round in 0..ROUNDS {
        let start = Barrier::new(CLIENTS);
        let attempt = || {
            let mut client = server.client();
            let (key, body) = (format!("\"{round}\""), json!({ "name": round.to_string() }));
            start.wait();
            loop {
                let answer = post(&mut client, "/zoos", &key, &body);
                if answer.status() != 409 {
                    return answer;
                }
                assert_eq!(answer.problem(), "request-in-progress");
                assert_eq!(answer.field("retry-after"), Some("1"));
            }
        };
        let answers: Vec<Answer> = thread::scope(|scope| {
            let threads: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(attempt)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        answers.iter().for_each(|answer| assert_same(answer, &answers[0]));
        assert_eq!(answers[0].status(), 201);
    }
    let names = server.client().names("/zoos?limit=100");
    let names: Vec<_> = names.split(' ').collect();
    assert_eq!((names.len(), names.iter().collect::<BTreeSet<_>>().len()), (ROUNDS, ROUNDS));
}

/// Conformance 161: a repeated request gets the first response in its first format, whatever the
/// repeated request accepts.
#[test]
fn the_first_answer_keeps_its_format() {
    const CSV: (&str, &str) = ("accept", "text/csv");
    const MINIMAL: (&str, &str) = ("prefer", "return=minimal");
    const REPRESENTATION: (&str, &str) = ("prefer", "return=representation");
    let server = TestServer::zoo();
    let mut client = server.client();
    let body = br#"[{"name":"a"},{"name":"b"}]"#;
    for (at, first) in [&[][..], &[CSV], &[MINIMAL], &[REPRESENTATION]].into_iter().enumerate() {
        let key = format!("\"{at}\"");
        let key = ("idempotency-key", &*key);
        let mut send = |with: &[(&str, &str)]| {
            let fields: Vec<_> = [key].iter().chain(with).copied().collect();
            client.request("POST", "/zoos", &fields, Some(body))
        };
        let answer = send(first);
        assert_eq!(answer.status(), 201);
        assert_same(&send(first), &answer);
        for other in [&[][..], &[CSV], &[MINIMAL]] {
            let again = send(other);
            assert_eq!((again.status(), &again.body), (201, &answer.body), "{first:?} {other:?}");
            assert_eq!(again.field("content-type"), answer.field("content-type"));
        }
        client.request("DELETE", &format!("/zoos/{}", at * 2 + 1), &[], None);
        client.request("DELETE", &format!("/zoos/{}", at * 2 + 2), &[], None);
    }
}

/// Conformance 161: methods that are idempotent ignore `Idempotency-Key`.
#[test]
fn other_methods_do_without_a_key() {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "a" }));
    for name in ["b", "c"] {
        let fields = [("idempotency-key", "\"a\"")];
        let body = json!({ "name": name }).to_string();
        let answer = client.request("PATCH", "/zoos/1", &fields, Some(body.as_bytes()));
        assert_eq!((answer.status(), &answer.json()["name"]), (200, &json!(name)));
    }
}
