//! Tests of the entity tags of members and collections, and of preconditions with these tags (RFC
//! 9110 §8.8.3, §13.1).

mod ciphers;
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

/// Returns the entity tag of a target. Panics if the tag is weak or has no quotes.
fn tag(client: &mut Client, target: &str) -> String {
    let answer = client.get(target);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{target}");
    let tag = answer.field("etag").unwrap().to_owned();
    assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    tag
}

/// A list of two entity tags that no representation has.
const OTHERS: &str = "\"somebody-else's\", \"0-json\"";
