//! Tests of request bodies: which bodies are accepted, the errors of rejected bodies, and the
//! stored values.

mod arrays;
mod client_ids;
mod costly;
mod creation;
mod faults;
mod forms;
mod ids;
mod media;
mod modes;
mod rules;
mod syntax;
mod writes;

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// A schema with a collection under a parent. Its members have a field of most kinds.
const NOTES: &str = "
nouns: 1
resources:
  board:
    fields:
      name: { type: string, required: true }
  note:
    parent: board
    fields:
      name:   { type: string, required: true, max_length: 20 }
      rank:   { type: integer, required: true, default: 5 }
      weight: number
      price:  { type: decimal, scale: 2 }
      done:   { type: boolean, default: false }
      due:    date
      extra:  json
";

/// Starts a server that has one board without notes.
fn board() -> (TestServer, Client) {
    let server = TestServer::of(NOTES);
    let mut client = server.client();
    client.create("/boards", &json!({ "name": "Kitchen" }));
    (server, client)
}
