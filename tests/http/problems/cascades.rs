//! A deletion that is restricted deep below is a conflict, however deep that is.

use serde_json::json;

use crate::server::TestServer;

#[test]
fn what_restricts_is_named_as_far_as_is_looked_and_refuses_beyond() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  category:
    fields: { up_id: { references: { resource: category, as: up, on_delete: cascade } } }
  item:
    fields: { category_id: { references: category, required: true } }
",
    );
    let mut client = server.client();
    client.create("/categories", &json!({}));
    for up in 1..12 {
        client.create("/categories", &json!({ "up_id": up }));
    }
    client.create("/items", &json!({ "category_id": 12 }));
    for (id, who) in [(12, "`items`"), (10, "`items`"), (1, "others")] {
        let answer = client.delete(&format!("/categories/{id}"));
        assert_eq!((answer.status(), answer.problem().as_str()), (409, "still-referenced"), "{id}");
        assert!(answer.detail().contains(who), "{id}: {}", answer.detail());
    }
    assert_eq!(client.get("/categories?count=true").json()["total"], 12, "nothing is gone");
}
