//! Tests of edge cases of query strings: unknown and invalid names, and errors in values.

mod cursors;
mod decoding;
mod links;
mod windows;

use serde_json::{Value, json};

use crate::{client::Client, server::TestServer};

/// Starts a server with three zoos whose names need percent-encoding.
fn zoos() -> (TestServer, Client) {
    let server = TestServer::zoo();
    let mut client = server.client();
    client.create(
        "/zoos",
        &json!([{ "name": "a b" }, { "name": "a+b" }, { "name": "a&b=c", "city": "" }]),
    );
    client.create("/animal_types", &json!({ "name": "Elephant" }));
    client.create(
        "/zoos/1/animals",
        &json!({ "name": "Bella", "animal_type_id": 1, "weight_kg": 2750 }),
    );
    (server, client)
}

/// Conformance 191, 193: an unknown parameter or field is 400, with the most similar known name as
/// a hint.
#[test]
fn what_is_unknown_is_said_with_the_nearest_known_name() {
    let (_server, mut client) = zoos();
    let errors = |answer: crate::client::Answer| {
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
        answer.json()["errors"].clone()
    };
    assert_eq!(
        errors(client.get("/zoos?citty=Berlin")),
        json!([{
            "parameter": "citty", "code": "unknown", "detail": "`zoo` has no field or parameter `citty`.",
            "hint": "Did you mean `city`?",
        }])
    );
    assert_eq!(errors(client.get("/zoos?limt=3"))[0]["hint"], "Did you mean `limit`?");
    assert_eq!(errors(client.get("/zoos?sort_by=name"))[0]["hint"], "Did you mean `sortby`?");
    assert_eq!(errors(client.get("/zoos?perpage=3"))[0]["hint"], "Did you mean `per_page`?");
    for (theirs, ours) in [
        ("sort", "sortby"),
        ("order_by", "sortby"),
        ("orderby", "sortby"),
        ("ordering", "sortby"),
        ("select", "fields"),
        ("columns", "fields"),
        ("per-page", "per_page"),
        ("pageSize", "per_page"),
        ("size", "per_page"),
        ("page_size", "per_page"),
        ("skip", "offset"),
        ("cursor", "after"),
        ("ending_before", "before"),
        ("$top", "limit"),
        ("name__icontains", "name[contains]"),
        ("name__gt", "name[gt]"),
        ("opened__gte", "opened[gte]"),
        ("city__isnull", "city[null]"),
        ("name[ilike]", "contains"),
    ] {
        let hint = errors(client.get(&format!("/zoos?{theirs}=1")))[0]["hint"].clone();
        let (near, more) =
            hint.as_str().unwrap().split_once("? ").unwrap_or((hint.as_str().unwrap(), ""));
        assert_eq!(near.trim_end_matches('?'), format!("Did you mean `{ours}`"), "{theirs}");
        assert_eq!(
            !more.is_empty(),
            theirs.contains("il") || theirs.contains("icon"),
            "{theirs}: {more}"
        );
    }
    assert_eq!(
        errors(client.get("/zoos?opened__icontains=1"))[0].get("hint"),
        None,
        "a text operator on a date must have no hint"
    );
    assert_eq!(
        errors(client.get("/zoos?elephants=3"))[0]["hint"],
        Value::Null,
        "a name without a similar name must have no hint"
    );
    assert_eq!(errors(client.get("/zoos?NAME=a"))[0]["code"], "unknown", "case must matter");
    assert_eq!(errors(client.get("/zoos?revision=1"))[0]["code"], "unknown");
    assert_eq!(errors(client.get("/zoos?filter[nam]=a"))[0]["hint"], "Did you mean `name`?");
    let operators =
        "eq, ne, lt, lte, gt, gte, in, nin, contains, starts_with, ends_with, between, null";
    assert_eq!(
        errors(client.get("/zoos?name[startswith]=a")),
        json!([{
            "parameter": "name[startswith]", "code": "operator",
            "detail": format!("There is no operator `startswith`; the operators are: {operators}."),
            "hint": "Did you mean `starts_with`?",
        }])
    );
}

/// Conformance 191, 193: a malformed parameter name is 400.
#[test]
fn what_is_no_name_is_refused() {
    let (_server, mut client) = zoos();
    for odd in [
        "name[",
        "name]",
        "[name]",
        "name[]",
        "name[eq",
        "name[eq][eq]",
        "filter[]",
        "filter[name][eq][eq]",
        "=1",
    ] {
        let answer = client.get(&format!("/zoos?{odd}=a"));
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (400, "invalid-parameter"),
            "{odd}"
        );
    }
}

#[test]
fn what_is_planned_says_that_it_is_not_supported_yet() {
    let (_server, mut client) = zoos();
    for (parameter, value) in [("expand", "zoo"), ("q", "berlin"), ("filter", "a")] {
        let answer = client.get(&format!("/zoos?{parameter}={value}"));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
        assert_eq!(
            answer.json()["errors"],
            json!([{
                "parameter": parameter, "code": "unsupported", "detail": format!("`{parameter}` is not supported yet."),
            }])
        );
    }
}

#[test]
fn a_hint_is_a_name_that_works_and_is_near() {
    let (_server, mut client) = zoos();
    let hint = |answer: crate::client::Answer| answer.json()["errors"][0]["hint"].clone();
    for unknown in ["", "x", "expnd"] {
        assert_eq!(hint(client.get(&format!("/zoos?{unknown}=1"))), Value::Null, "{unknown}");
    }
    for (unknown, near) in [
        ("limt", "limit"),
        ("afterr", "after"),
        ("nam", "name"),
        ("i", "id"),
        ("sort_by", "sortby"),
    ] {
        let expected = format!("Did you mean `{near}`?");
        assert_eq!(hint(client.get(&format!("/zoos?{unknown}=1"))), expected, "{unknown}");
    }
}

#[test]
fn the_detail_names_the_parameter() {
    let (_server, mut client) = zoos();
    for (query, detail) in [
        ("name[null]=x", "`name[null]`: `null` takes true or false."),
        ("id[between]=1", "`id[between]`: `between` takes two values with a comma between them."),
        ("count=1", "`count` must be true or false."),
        ("=1", "A parameter must have a name before the `=`."),
    ] {
        assert_eq!(client.get(&format!("/zoos?{query}")).detail(), detail);
    }
}

/// Conformance 37, 141: the 400 lists all errors in parameters, each with the name of its
/// parameter.
#[test]
fn all_faults_are_listed_at_once() {
    let (_server, mut client) = zoos();
    let answer = client
        .get("/zoos?limit=0&id=x&sortby=nam&order=up&colour=red&name[like]=a&count=yes&page=0");
    assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
    assert_eq!(
        answer.faults(),
        "limit range, id type, sortby unknown, order type, colour unknown, name[like] operator, count type, page range"
    );
    assert_eq!(answer.detail(), "`limit` must be a whole number from 1 to 100; and 7 more.");
}

#[test]
fn parameters_that_have_one_value_stand_once() {
    let (_server, mut client) = zoos();
    for parameter in ["limit=1", "offset=1", "page=1", "per_page=1", "sortby=name", "count=true"] {
        let name = parameter.split('=').next().unwrap();
        let answer = client.get(&format!("/zoos?{parameter}&{parameter}"));
        assert_eq!((answer.status(), answer.faults()), (400, format!("{name} repeated")));
    }
    assert_eq!(client.get("/zoos?sortby=name&order=asc&order=asc").faults(), "order repeated");
}

/// Conformance 191: `sortby` is a list of declared fields with directions.
#[test]
fn an_order_needs_keys_and_has_one_way_to_say_directions() {
    let (_server, mut client) = zoos();
    for (query, faults) in [
        ("order=asc", "order conflict"),
        ("order=desc&sortby=-name", "order conflict"),
        ("order=asc&sortby=name,-city", "order conflict"),
        ("order=asc,desc&sortby=name", "order conflict"),
        ("order=asc,desc,asc&sortby=name,city", "order conflict"),
        ("order=ASC&sortby=name", "order type"),
        ("order=&sortby=name", "order type"),
        ("order=ascending&sortby=name", "order type"),
        ("sortby=", "sortby unknown"),
        ("sortby=-", "sortby unknown"),
        ("sortby=--name", "sortby unknown"),
        ("sortby=name,", "sortby unknown"),
        ("sortby=name,-name", "sortby repeated"),
        ("sortby=name%20desc", "sortby unknown"),
        ("sortby=revision", "sortby unknown"),
    ] {
        let answer = client.get(&format!("/zoos?{query}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, faults), "{query}");
    }
    assert_eq!(
        client.get("/zoos?sortby=nam").json()["errors"],
        json!([{
            "parameter": "sortby", "code": "unknown", "hint": "Did you mean `name`?",
            "detail": "`nam` is not a field to sort by; these are: id, name, city, opened, created_at, updated_at.",
        }])
    );
}

#[test]
fn a_query_and_a_filter_have_a_size() {
    let (_server, mut client) = zoos();
    let repeated = |count: usize| vec!["name=a"; count].join("&");
    assert_eq!(client.get(&format!("/zoos?{}", repeated(100))).status(), 200);
    let answer = client.get(&format!("/zoos?{}", repeated(101)));
    assert_eq!((answer.status(), answer.problem().as_str()), (400, "invalid-parameter"));
    assert_eq!(answer.detail(), "A query has at most 100 parameters.");

    let listed = |count: usize| vec!["1"; count].join(",");
    assert_eq!(client.names(&format!("/zoos?id[in]={}", listed(500))), "a b");
    let answer = client.get(&format!("/zoos?id[in]={}", listed(501)));
    assert_eq!((answer.status(), answer.faults().as_str()), (400, "id[in] range"));
    let answer = client.get(&format!("/zoos?id[in]={0}&name[in]={0}&city=a", listed(300)));
    assert_eq!((answer.status(), answer.faults().as_str()), (400, "name[in] range"));
}

#[test]
fn an_order_has_at_most_eight_keys() {
    let fields: String = (1..=9).map(|at| format!("      f{at}: integer\n")).collect();
    let server = TestServer::of(&format!("nouns: 1\nresources:\n  row:\n    fields:\n{fields}"));
    let mut client = server.client();
    assert_eq!(client.get("/rows?sortby=f1,f2,f3,f4,f5,f6,f7,-f8").status(), 200);
    let answer = client.get("/rows?sortby=f1,f2,f3,f4,f5,f6,f7,f8,f9");
    assert_eq!((answer.status(), answer.faults().as_str()), (400, "sortby range"));
    assert_eq!(answer.detail(), "`sortby` has at most 8 keys.");
}

#[test]
fn what_takes_no_parameters_says_so() {
    let (_server, mut client) = zoos();
    for target in ["/?page=1", "/-/health?x=1", "/zoos/1?limit=1", "/-/problems/not-found?x"] {
        let answer = client.get(target);
        assert_eq!(
            (answer.status(), answer.problem().as_str()),
            (400, "invalid-parameter"),
            "{target}"
        );
    }
    assert_eq!(
        client.post("/zoos?dry_run=true", &json!({ "name": "x" })).faults(),
        "dry_run unknown"
    );
    assert_eq!(client.delete("/zoos/2?force").faults(), "force unknown");
    assert_eq!(client.names("/zoos"), "a b a+b a&b=c", "a refused request must not be executed");
}

#[test]
fn a_target_that_is_too_long_is_a_414() {
    let (_server, mut client) = zoos();
    let target = |bytes: usize| format!("/zoos?name={}", "x".repeat(bytes - "/zoos?name=".len()));
    assert_eq!(
        client.get(&target(8_000)).status_line,
        "HTTP/1.1 200 OK",
        "RFC 9112 §3 recommends to support 8,000 bytes"
    );
    assert_eq!(client.get(&target(16_384)).status_line, "HTTP/1.1 200 OK");
    let answer = client.get(&target(16_385));
    assert_eq!(answer.status_line, "HTTP/1.1 414 URI Too Long");
    assert_eq!(
        (answer.problem().as_str(), answer.detail().as_str()),
        ("uri-too-long", "The target has more than 16384 bytes.")
    );
    assert_eq!(
        client.get("/zoos?id=1").status(),
        200,
        "the connection must stay usable after the 414"
    );
    let answer = client.get(&format!("/{}", "x".repeat(20_000)));
    assert_eq!(
        answer.status_line, "HTTP/1.1 414 URI Too Long",
        "a path that is too long must be 414"
    );
}

/// Conformance 198: no text of a request becomes SQL.
#[test]
fn what_no_word_can_break_out_of_is_a_value() {
    let (_server, mut client) = zoos();
    for value in ["'", "';DROP%20TABLE%20zoos;--", "1%20OR%201=1", "%22", "$1", "?1", ":id"] {
        assert_eq!(client.names(&format!("/zoos?name={value}")), "", "{value}");
        assert_eq!(client.get(&format!("/zoos?id={value}")).status(), 400, "{value}");
        assert_eq!(client.get(&format!("/zoos?sortby={value}")).status(), 400, "{value}");
        assert_eq!(
            client.get(&format!("/zoos?{}=1", value.replace('=', "%3D"))).status(),
            400,
            "{value}"
        );
        assert_eq!(
            client.get(&format!("/zoos?name[{}]=1", value.replace('=', "%3D"))).status(),
            400,
            "{value}"
        );
    }
    assert_eq!(client.names("/zoos"), "a b a+b a&b=c");
}
