//! Rules that compare with the time of the request. What callers may read changes without a write,
//! so no validator stands for it.

use serde_json::json;

use super::{ask, blog, nothing, with};

#[test]
fn what_depends_on_the_time_has_no_validators() {
    let server = blog();
    let client = &mut server.client();
    let page = json!({ "text": "a", "visible_from": "2026-01-01T00:00:00Z" });
    assert_eq!(ask(client, "", "POST /pages", &page).status(), 201);
    for format in ["application/json", "application/x-ndjson", "text/csv", "text/html"] {
        let accept = ("accept", format);
        let first = with(client, accept, "GET /pages?count=true", &nothing());
        assert_eq!(first.status(), 200, "{format}");
        for name in ["etag", "last-modified", "accept-ranges"] {
            assert_eq!(first.field(name), None, "{format}: {name}");
        }
        // No date, tag or part of an earlier response is current.
        for condition in [
            ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"),
            ("if-none-match", "\"0000000000000001-json\""),
            ("if-range", "Fri, 01 Jan 2100 00:00:00 GMT"),
        ] {
            let fields = [accept, condition, ("range", "bytes=0-3")];
            let again = client.request("GET", "/pages?count=true", &fields, None);
            assert_eq!(again.status(), 200, "{format} {condition:?}");
        }
    }
    // The member is read with its rule, and its own row decides its tag.
    let member = ask(client, "", "GET /pages/1", &nothing());
    let tag = member.field("etag").unwrap().to_owned();
    let unchanged = with(client, ("if-none-match", &tag), "GET /pages/1", &nothing());
    assert_eq!(unchanged.status(), 304);
    // Other collections keep theirs.
    assert!(ask(client, "ann", "GET /notes", &nothing()).field("etag").is_some());
}
