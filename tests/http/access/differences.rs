//! Two servers that differ only in rows and fields that a caller may not read answer all its
//! requests alike: pages, forms, exports, problems, and requests with tokens of each scope.

use serde_json::json;

use super::{
    PASSWORD, ask, basic,
    pages::{clubs, requests},
};
use crate::{
    client::{Answer, Client},
    server::TestServer,
};

/// What the other server has besides, and has otherwise: nothing of it is for readers.
const HIDDEN: &str = "
    UPDATE clubs SET motto = 'other', vault = NULL, code = 'x' || code, memo = 'other', stage = NULL;
    UPDATE clubs SET name = 'other' WHERE id = 3;
    UPDATE desks SET pin = 'other';
    UPDATE desks SET text = 'other' WHERE club_id = 3;
    UPDATE users SET nick = NULL;
    INSERT INTO users (login, password, role, nick) SELECT 'dan', password, role, 'Dan' FROM users WHERE id = 1;
    INSERT INTO clubs (name, motto, is_open, owner_id) VALUES ('more', 'more', FALSE, 3), ('most', NULL, FALSE, 4);
    INSERT INTO desks (club_id, text) VALUES (3, 'more'), (4, 'most');
";

/// The status, the content, and the header fields of a response that do not depend on time and on
/// the number of writes.
fn plain(answer: &Answer) -> (u16, String, Vec<(String, String)>) {
    let words = String::from_utf8_lossy(&answer.body).into_owned();
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let mut text = String::new();
    for word in words.split_inclusive(|letter| !is_word(letter)) {
        let bare = word.trim_end_matches(|letter| !is_word(letter));
        let is_tag = bare.contains("-html-") || bare.contains("-json-");
        let is_request_id = bare.len() == 36 && bare.matches('-').count() == 4;
        text.push_str(if is_tag || is_request_id { "…" } else { bare });
        text.push_str(&word[bare.len()..]);
    }
    let momentary = ["etag", "last-modified", "date", "request-id", "content-length"];
    let fields = answer.fields.iter().filter(|(name, _)| !momentary.contains(&name.as_str()));
    (answer.status(), text, fields.cloned().collect())
}

/// The values of `Authorization` of the callers, by their names. One has a token of each scope.
fn callers(client: &mut Client) -> Vec<(&'static str, String)> {
    let mut all = vec![("nobody", String::new())];
    all.extend(["ann", "bob"].map(|login| (login, basic(login, PASSWORD))));
    for (name, scopes) in
        [("read", json!(["read"])), ("write", json!(["write"])), ("both", json!(["read", "write"]))]
    {
        let made = ask(client, "ann", "POST /tokens", &json!({ "name": name, "scopes": scopes }));
        all.push((name, format!("Bearer {}", made.json()["token"].as_str().unwrap())));
    }
    all
}

fn send(
    client: &mut Client,
    authorization: &str,
    accept: &str,
    (method, target, body): (&str, &str, &str),
) -> Answer {
    let mut fields = vec![("accept", accept), ("sec-fetch-site", "same-origin")];
    if !authorization.is_empty() {
        fields.push(("authorization", authorization));
    }
    if method == "POST" {
        fields.push(("content-type", "application/x-www-form-urlencoded"));
    }
    client.request(method, target, &fields, (method == "POST").then_some(body.as_bytes()))
}

#[test]
fn what_a_caller_may_not_read_changes_nothing_for_it() {
    let servers: [TestServer; 2] = [clubs(), clubs()];
    servers[1].elsewhere(HIDDEN);
    let mut clients = servers.each_ref().map(TestServer::client);
    let [one, other] = clients.each_mut().map(callers);
    for ((name, one), (_, other)) in one.iter().zip(&other) {
        for (method, target, body) in requests() {
            // Only a page has a form, and a write is sent once.
            let formats = ["text/html", "application/json", "text/csv", "application/x-ndjson"];
            let formats = if method == "GET" { &formats[..] } else { &formats[..1] };
            for accept in formats {
                let turns = if method == "GET" && *accept != "text/html" { 3 } else { 1 };
                let mut first = None;
                // The response cache has the third response.
                for _ in 0..turns {
                    let [one, other] = [(0, one), (1, other)].map(|(at, authorization)| {
                        let request = (method, &*target, body);
                        plain(&send(&mut clients[at], authorization, accept, request))
                    });
                    assert_eq!(one, other, "{name}: {method} {target} {accept}");
                    assert_eq!(*first.get_or_insert_with(|| one.clone()), one, "{name} {target}");
                }
            }
        }
    }
}
