//! Tests of each query parameter: limits, offsets, page numbers, sort orders, and any field as a
//! filter.

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

/// Starts a server with a zoo of 25 animals, `a01` to `a25`. Every fifth animal has the second
/// animal type.
fn zoo() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create("/zoos", &json!({ "name": "Tierpark" }));
    client.create("/animal_types", &json!([{ "name": "Elephant" }, { "name": "Red panda" }]));
    let kind = |at: u32| if at.is_multiple_of(5) { 2 } else { 1 };
    let animal = |at| json!({ "name": format!("a{at:02}"), "animal_type_id": kind(at), "weight_kg": 100 - at });
    let animals: Vec<Value> = (1..=25).map(animal).collect();
    client.create("/zoos/1/animals", &animals.into());
    (server, client)
}

/// Returns the names of these animals, joined like the result of [`Client::names`].
fn from_to(first: u32, last: u32) -> String {
    (first..=last).map(|at| format!("a{at:02}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn limit_is_the_number_of_records_to_return() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?limit=3"), "a01 a02 a03");
    assert_eq!(client.names("/zoos/1/animals?limit=1"), "a01");
    assert_eq!(client.names("/zoos/1/animals?limit=100"), from_to(1, 25));
    assert_eq!(client.get("/zoos/1/animals?limit=3").json()["limit"], 3);
}

/// Conformance 188: without `limit`, a page has the declared default size.
#[test]
fn without_a_limit_there_are_twenty_records() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals"), from_to(1, 20));
    assert_eq!(client.names("/zoos/1/animals?offset=20"), from_to(21, 25));
    assert_eq!(client.get("/zoos/1/animals").json()["limit"], 20);
}

/// Conformance 188: a limit above the declared maximum is 400.
#[test]
fn more_than_the_maximum_is_refused_and_the_maximum_named() {
    let (_server, mut client) = zoo();
    for name in ["limit", "per_page"] {
        let answer = client.get(&format!("/zoos/1/animals?{name}=101"));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
        assert_eq!(
            answer.json(),
            json!({
                "type": "/-/problems/invalid-parameter", "title": "Invalid query parameter", "status": 400,
                "detail": format!("`{name}` must be a whole number from 1 to 100."),
                "instance": "/zoos/1/animals",
                "errors": [{
                    "parameter": name, "code": "range",
                    "detail": format!("`{name}` must be a whole number from 1 to 100."),
                }],
            })
        );
    }
}

#[test]
fn offset_is_the_position_of_the_first_record() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?offset=0&limit=2"), "a01 a02");
    assert_eq!(client.names("/zoos/1/animals?offset=7&limit=2"), "a08 a09");
    assert_eq!(client.names("/zoos/1/animals?offset=24&limit=2"), "a25");
    assert_eq!(
        client.names("/zoos/1/animals?offset=25&limit=2"),
        "",
        "a page past the end must be empty"
    );
}

#[test]
fn page_is_the_page_number_and_per_page_the_records_of_one() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?page=1&per_page=10"), from_to(1, 10));
    assert_eq!(client.names("/zoos/1/animals?page=3&per_page=10"), from_to(21, 25));
    assert_eq!(client.names("/zoos/1/animals?page=4&per_page=10"), "");
    assert_eq!(
        client.names("/zoos/1/animals?page=2"),
        from_to(21, 25),
        "the default of `per_page` must be 20"
    );
    assert_eq!(
        client.names("/zoos/1/animals?per_page=4"),
        from_to(1, 4),
        "the default of `page` must be 1"
    );
    assert_eq!(client.get("/zoos/1/animals?page=3&per_page=7").json()["limit"], 7);
}

/// Conformance 187: `page` and `per_page` select the same members as the equivalent `limit` and
/// `offset`.
#[test]
fn a_page_equals_its_limit_and_offset() {
    let (_server, mut client) = zoo();
    for (page, per_page) in [(1, 1), (1, 25), (2, 7), (4, 7), (5, 6), (13, 2), (26, 1)] {
        let offset = (page - 1) * per_page;
        let by_page =
            client.get(&format!("/zoos/1/animals?page={page}&per_page={per_page}")).json();
        let by_offset =
            client.get(&format!("/zoos/1/animals?limit={per_page}&offset={offset}")).json();
        assert_eq!(by_page["items"], by_offset["items"], "page {page} with {per_page} members");
        assert_eq!(by_page["limit"], by_offset["limit"]);
    }
}

/// Conformance 191: `sortby` accepts each declared field.
#[test]
fn sortby_names_the_attribute_to_sort_by() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?sortby=weight_kg&limit=3"), "a25 a24 a23");
    assert_eq!(client.names("/zoos/1/animals?sortby=name&limit=3"), "a01 a02 a03");
    assert_eq!(client.names("/zoos/1/animals?sortby=id&limit=3"), "a01 a02 a03");
    assert_eq!(
        client.names("/zoos/1/animals?sortby=-animal_type_id,-weight_kg&limit=3"),
        "a05 a10 a15"
    );
}

/// Conformance 190: members with equal keys are ordered by id, so the order is total.
#[test]
fn ties_are_broken_by_the_id() {
    let (_server, mut client) = zoo();
    assert_eq!(
        client.names("/zoos/1/animals?sortby=animal_type_id&limit=100&animal_type_id=2"),
        "a05 a10 a15 a20 a25"
    );
    assert_eq!(
        client.names("/zoos/1/animals?sortby=-animal_type_id&limit=6"),
        "a25 a20 a15 a10 a05 a24"
    );
    assert_eq!(
        client.names("/zoos/1/animals?sortby=-animal_type_id,id&limit=6"),
        "a05 a10 a15 a20 a25 a01"
    );
}

/// Conformance 191: `order` is `asc` or `desc`.
#[test]
fn order_is_the_direction_of_sorting() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?sortby=name&order=asc&limit=3"), "a01 a02 a03");
    assert_eq!(client.names("/zoos/1/animals?sortby=name&order=desc&limit=3"), "a25 a24 a23");
    let two = "/zoos/1/animals?sortby=animal_type_id,name&limit=3";
    assert_eq!(
        client.names(&format!("{two}&order=desc")),
        "a25 a20 a15",
        "one `order` must apply to every key"
    );
    assert_eq!(client.names(&format!("{two}&order=desc,asc")), "a05 a10 a15");
    assert_eq!(client.names(&format!("{two}&order=asc,desc")), "a24 a23 a22");
}

#[test]
fn animal_type_id_filters_by_the_kind_of_animal() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?animal_type_id=2"), "a05 a10 a15 a20 a25");
    assert_eq!(client.names("/zoos/1/animals?animal_type_id=2&limit=2&offset=1"), "a10 a15");
    assert_eq!(
        client.names("/zoos/1/animals?animal_type_id=9"),
        "",
        "a filter by a type that does not exist must match nothing"
    );
    let answer = client.get("/zoos/1/animals?animal_type_id=abc");
    assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
    assert_eq!(answer.faults(), "animal_type_id type");
}

/// Conformance 192: every field is a filter, whose value has the type of the field.
#[test]
fn every_attribute_is_a_filter() {
    let (_server, mut client) = zoo();
    let seventh = client.get("/zoos/1/animals/7").json();
    client.patch("/zoos/1/animals/7", &json!({ "born": "2020-02-29" }));
    assert_eq!(client.names("/zoos/1/animals?id=7"), "a07");
    assert_eq!(client.names("/zoos/1/animals?name=a07"), "a07");
    assert_eq!(client.names("/zoos/1/animals?weight_kg=93"), "a07");
    assert_eq!(client.names("/zoos/1/animals?born=2020-02-29"), "a07");
    assert_eq!(client.names("/zoos/1/animals?zoo_id=1&limit=1&offset=6"), "a07");
    assert_eq!(client.names("/zoos/1/animals?zoo_id=2"), "");
    let created = seventh["created_at"].as_str().unwrap();
    assert!(client.names(&format!("/zoos/1/animals?created_at={created}")).contains("a07"));
    let changed = client.get("/zoos/1/animals/7").json();
    assert_eq!(
        client.names(&format!(
            "/zoos/1/animals?updated_at={}",
            changed["updated_at"].as_str().unwrap()
        )),
        "a07"
    );
}

/// Conformance 192: a member must match all filters.
#[test]
fn filters_of_several_attributes_must_all_hold() {
    let (_server, mut client) = zoo();
    assert_eq!(client.names("/zoos/1/animals?animal_type_id=2&name=a10"), "a10");
    assert_eq!(client.names("/zoos/1/animals?animal_type_id=1&name=a10"), "");
    let all = "/zoos/1/animals?animal_type_id=2&weight_kg[gt]=80&sortby=name&order=desc&page=1&per_page=2&count=true";
    let answer = client.get(all).json();
    assert_eq!(client.names(all), "a15 a10");
    assert_eq!(answer["total"], 3);
}
