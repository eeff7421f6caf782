//! Tests of limits, offsets and page numbers at their bounds, and of counts.

use super::zoos;

/// Conformance 188: a limit, an offset or a page number has only digits, and is within its bounds.
#[test]
fn numbers_are_digits_within_their_bounds() {
    let (_server, mut client) = zoos();
    for value in [
        "0",
        "-1",
        "101",
        "",
        "%205",
        "5%20",
        "+5",
        "%2B5",
        "1e3",
        "5.0",
        "0x5",
        "five",
        "9223372036854775808",
        "01",
        "0100",
        "-0",
    ] {
        for name in ["limit", "per_page"] {
            let answer = client.get(&format!("/zoos?{name}={value}"));
            assert_eq!(
                (answer.status(), answer.faults()),
                (400, format!("{name} range")),
                "{value}"
            );
            assert_eq!(answer.detail(), format!("`{name}` must be a whole number from 1 to 100."));
        }
    }
    for value in [
        "-1",
        "",
        "%205",
        "+5",
        "%2B5",
        "1e3",
        "5.0",
        "9223372036854775808",
        "-9223372036854775809",
        "00",
        "01",
        "-0",
    ] {
        let answer = client.get(&format!("/zoos?offset={value}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, "offset range"), "{value}");
        assert_eq!(answer.detail(), "`offset` must be a whole number from 0.");
    }
    for value in ["0", "-1", "", "%205", "1e3", "9223372036854775808", "01", "-0"] {
        let answer = client.get(&format!("/zoos?page={value}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, "page range"), "{value}");
        assert_eq!(answer.detail(), "`page` must be a whole number from 1.");
    }
}

/// Conformance 188, 189: a page past the end is empty.
#[test]
fn the_largest_numbers_are_beyond_the_end_and_nothing_breaks() {
    let (_server, mut client) = zoos();
    for window in [
        "offset=9223372036854775807",
        "offset=9223372036854775806&limit=1",
        "offset=9223372036854775707&limit=100",
        "page=92233720368547758&per_page=100",
        "page=9223372036854775807&per_page=1",
    ] {
        let answer = client.get(&format!("/zoos?{window}"));
        assert_eq!(answer.status_line, "HTTP/1.1 200 OK", "{window}");
        assert_eq!(answer.json()["items"], serde_json::json!([]));
        assert_eq!(answer.link("next"), None);
        let before = answer.link("prev").unwrap();
        assert_eq!(client.get(&before).status(), 200, "{before}");
    }
}

#[test]
fn a_page_that_no_number_can_reach_is_out_of_range() {
    let (_server, mut client) = zoos();
    for window in [
        "page=9223372036854775807",
        "page=9223372036854775807&per_page=2",
        "page=4611686018427387905&per_page=2",
    ] {
        let answer = client.get(&format!("/zoos?{window}"));
        assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request", "{window}");
        assert_eq!(answer.faults(), "page range");
        assert_eq!(answer.detail(), "`page` times `per_page` is larger than any collection.");
    }
}

/// Conformance 187: `limit` or `offset` together with `page` or `per_page` is 400.
#[test]
fn the_two_families_of_windows_do_not_mix() {
    let (_server, mut client) = zoos();
    for mixed in [
        "limit=1&page=1",
        "offset=0&per_page=2",
        "limit=1&per_page=1",
        "page=1&offset=0",
        "page=1&per_page=1&limit=1",
    ] {
        let answer = client.get(&format!("/zoos?{mixed}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, "page conflict"), "{mixed}");
    }
}

/// Conformance 196: `total` counts the members that match the filter.
#[test]
fn count_adds_the_number_of_all_members() {
    let (_server, mut client) = zoos();
    assert_eq!(client.get("/zoos?count=true&limit=1").json()["total"], 3);
    assert_eq!(
        client.get("/zoos?count=true&offset=99").json()["total"],
        3,
        "the total must not depend on the offset"
    );
    assert_eq!(client.get("/zoos?count=true&name[starts_with]=a%2B").json()["total"], 1);
    assert_eq!(client.get("/zoos?count=true&id=99").json()["total"], 0);
    assert_eq!(client.get("/zoos/1/animals?count=true").json()["total"], 1);
    assert_eq!(client.get("/zoos/2/animals?count=true").json()["total"], 0);
    assert_eq!(client.get("/zoos/9/animals?count=true").status(), 404);
    assert_eq!(client.get("/zoos?count=false").json().get("total"), None);
    assert_eq!(client.get("/zoos").json().get("total"), None);
    for value in ["1", "", "TRUE", "yes"] {
        assert_eq!(client.get(&format!("/zoos?count={value}")).faults(), "count type", "{value}");
    }
}

#[test]
fn identifiers_at_their_limits_are_found_or_not() {
    let (_server, mut client) = zoos();
    assert_eq!(client.names("/zoos?id[lte]=9223372036854775807"), "a b a+b a&b=c");
    assert_eq!(client.names("/zoos?id[gte]=-9223372036854775808"), "a b a+b a&b=c");
    assert_eq!(client.names("/zoos?id=9223372036854775807"), "");
    for beyond in ["9223372036854775808", "-9223372036854775809", "99999999999999999999"] {
        assert_eq!(client.get(&format!("/zoos?id={beyond}")).faults(), "id type", "{beyond}");
    }
}
