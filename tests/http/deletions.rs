//! Tests of DELETE on a collection with a filter: all matching members are deleted, or none.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn shelves() -> (TestServer, Client) {
    let server = TestServer::of(
        "
nouns: 1
resources:
  shelf:
    collection: shelves
    methods: [list, create, get, delete, delete_many]
    fields:
      name: { type: string, required: true }
  book:
    parent: shelf
    methods: [list, create, get, delete_many]
    fields:
      name:      { type: string, required: true }
      year:      integer
      before_id: { references: { resource: book, as: before } }
",
    );
    let mut client = server.client();
    client.create("/shelves", &json!([{ "name": "A" }, { "name": "B" }]));
    let books =
        json!([{ "name": "one", "year": 1 }, { "name": "two", "year": 2 }, { "name": "none" }]);
    client.create("/shelves/1/books", &books);
    client.create("/shelves/2/books", &books);
    (server, client)
}

#[test]
fn what_passes_the_filter_goes() {
    let (_server, mut client) = shelves();
    let answer = client.delete("/shelves/1/books?year[lte]=1");
    assert_eq!(answer.status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/shelves/1/books"), "two none");
    assert_eq!(client.delete("/shelves/1/books?year[null]=true&name=none").status(), 204);
    assert_eq!(client.names("/shelves/1/books"), "two");
    assert_eq!(
        client.names("/shelves/2/books"),
        "one two none",
        "only members of this parent must be deleted"
    );
    assert_eq!(client.delete("/shelves/2/books?filter[year][in]=1,2").status(), 204);
    assert_eq!(client.names("/shelves/2/books"), "none");
    assert_eq!(
        client.delete("/shelves/1/books?shelf_id=2").status(),
        204,
        "the filter must match no book of this shelf"
    );
    assert_eq!(client.names("/shelves/2/books"), "none");
}

#[test]
fn where_nothing_passes_nothing_goes_and_that_is_well() {
    let (_server, mut client) = shelves();
    let before = client.get("/shelves/1/books").field("etag").unwrap().to_owned();
    assert_eq!(client.delete("/shelves/1/books?year=99").status_line, "HTTP/1.1 204 No Content");
    assert_eq!(
        client.get("/shelves/1/books").field("etag"),
        Some(&*before),
        "a deletion without matching members must not change the tag"
    );
    let absent = client.delete("/shelves/9/books?year=1");
    assert_eq!((absent.status(), absent.detail().as_str()), (404, "There is no shelf `9`."));
}

#[test]
fn a_filter_must_be_said_and_must_be_right() {
    let (_server, mut client) = shelves();
    for (query, faults) in [
        ("", ""),
        ("?", ""),
        ("?&", ""),
        ("?years=1", "years unknown"),
        ("?year=x", "year type"),
        ("?year[like]=1", "year[like] operator"),
        ("?year=1&limit=1", "limit unknown"),
        ("?year=1&offset=1", "offset unknown"),
        ("?year=1&sortby=name", "sortby unknown"),
        ("?year=1&count=true", "count unknown"),
        ("?year=1&q=x", "q unsupported"),
        ("?page=1&x=1", "page unknown, x unknown"),
    ] {
        let answer = client.delete(&format!("/shelves/1/books{query}"));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{query}");
        assert_eq!(
            (answer.problem().as_str(), answer.faults().as_str()),
            ("invalid-parameter", faults),
            "{query}"
        );
    }
    let nothing = client.delete("/shelves/1/books");
    let detail = "DELETE on a collection needs a filter that selects members, such as `?id=3`.";
    assert_eq!(nothing.detail(), detail);
    assert_eq!(client.names("/shelves/1/books"), "one two none");
}

#[test]
fn where_one_is_still_referenced_all_stay() {
    let (_server, mut client) = shelves();
    client.create("/shelves/2/books", &json!({ "name": "sequel", "before_id": 2 }));
    let answer = client.delete("/shelves/1/books?id[gte]=1");
    assert_eq!(answer.status_line, "HTTP/1.1 409 Conflict");
    assert_eq!(answer.problem(), "still-referenced");
    assert_eq!(
        answer.detail(),
        "Members of `books` still refer to this `book`; delete or change them first."
    );
    assert_eq!(client.names("/shelves/1/books"), "one two none");
    let parent = client.delete("/shelves?name[in]=A,B");
    assert_eq!((parent.status(), parent.problem().as_str()), (409, "still-referenced"));
    assert_eq!(client.names("/shelves"), "A B");
    assert_eq!(client.delete("/shelves/1/books?name[ne]=two").status(), 204);
    assert_eq!(client.names("/shelves/1/books"), "two");
}

#[test]
fn a_deletion_changes_the_tag_of_the_collection() {
    let (_server, mut client) = shelves();
    let before = client.get("/shelves/1/books").field("etag").unwrap().to_owned();
    client.delete("/shelves/1/books?year=1");
    let answer = client.request("GET", "/shelves/1/books", &[("if-none-match", &before)], None);
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
}

#[test]
fn a_precondition_on_many_is_that_of_the_collection() {
    let (_server, mut client) = shelves();
    let stale = client.get("/shelves/1/books").field("etag").unwrap().to_owned();
    client.create("/shelves/1/books", &json!({ "name": "three", "year": 3 }));
    let refused =
        client.request("DELETE", "/shelves/1/books?year=1", &[("if-match", &stale)], None);
    assert_eq!(refused.status_line, "HTTP/1.1 412 Precondition Failed");
    let refused =
        client.request("DELETE", "/shelves/1/books?year=1", &[("if-none-match", "*")], None);
    assert_eq!(refused.status_line, "HTTP/1.1 412 Precondition Failed");
    assert_eq!(client.names("/shelves/1/books"), "one two none three");
    let any = client.request("DELETE", "/shelves/1/books?year=1", &[("if-match", "*")], None);
    assert_eq!(any.status_line, "HTTP/1.1 204 No Content");
    assert_eq!(client.names("/shelves/1/books"), "two none three");
}

/// Conformance 81: `If-Match` on the deletion of many members must have the tag of the same URL.
#[test]
fn the_tag_of_the_same_url_admits_a_deletion_and_any_other_does_not() {
    let (_server, mut client) = shelves();
    let mut tag = |target: &str| client.get(target).field("etag").unwrap().to_owned();
    let (whole, other) = (tag("/shelves/1/books"), tag("/shelves/1/books?year=2"));
    let same = tag("/shelves/1/books?year=1");
    for (tag, status) in [(&whole, 412), (&other, 412), (&same, 204)] {
        let answer =
            client.request("DELETE", "/shelves/1/books?year=1", &[("if-match", tag)], None);
        assert_eq!(answer.status(), status, "{tag}");
    }
    assert_eq!(client.names("/shelves/1/books"), "two none");
}

#[test]
fn a_member_is_added_to_the_collection_that_was_seen_or_not_at_all() {
    let (_server, mut client) = shelves();
    let tag = client.get("/shelves/1/books").field("etag").unwrap().to_owned();
    let fields = [("content-type", "application/json"), ("if-match", &*tag)];
    let mut add =
        || client.request("POST", "/shelves/1/books", &fields, Some(br#"{"name":"x"}"#)).status();
    assert_eq!(
        (add(), add()),
        (201, 412),
        "the first POST must change the tag, so the second must fail"
    );
}
