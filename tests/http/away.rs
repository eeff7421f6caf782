//! A database that goes away under the server: nothing is acknowledged that is written to nowhere.

use std::fs;

use serde_json::json;

use crate::server::TestServer;

#[test]
fn a_write_to_a_deleted_database_is_refused_until_the_file_is_back() {
    let server = TestServer::zoo();
    let mut client = server.client();
    assert_eq!(client.post("/zoos", &json!({ "name": "kept" })).status(), 201);
    let aside = server.database.with_extension("aside");
    fs::rename(&server.database, &aside).unwrap();
    let answer = client.post("/zoos", &json!({ "name": "lost" }));
    assert_eq!((answer.status(), answer.field("retry-after")), (503, Some("10")), "{answer:?}");
    assert_eq!(answer.problem(), "unavailable");
    fs::rename(&aside, &server.database).unwrap();
    assert_eq!(client.post("/zoos", &json!({ "name": "later" })).status(), 201);
    assert_eq!(client.names("/zoos?sortby=id"), "kept later");
}
