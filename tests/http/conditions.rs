//! Entity tags of members and collections, and the preconditions that name them (RFC 9110 §8.8.3,
//! §13.1).

mod dates;
mod order;
mod reads;
mod writes;

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!([{ "name": "Tierpark" }, { "name": "Bergzoo" }]));
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create("/zoos/1/animals", &json!({ "name": "Bella", "animal_type_id": 1 }));
    (server, client)
}

/// The entity tag of a target, after its form was checked: strong, opaque, in quotes.
fn tag(client: &mut Client, target: &str) -> String {
    let answer = client.get(target);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}");
    let tag = answer.field("etag").unwrap().to_owned();
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    tag
}

/// Two tags that no representation has.
const OTHERS: &str = "\"somebody-else's\", \"0-json\"";
