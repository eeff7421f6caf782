//! Tests of filter values: the spellings that a field accepts, and the errors of invalid ones.

use serde_json::json;

use super::things;
use crate::client::Client;

#[test]
fn what_is_written_otherwise_is_the_same_value() {
    let (_server, mut client) = things();
    for test in [
        "moment=2026-11-20T03:30:00%2B01:00",
        "moment=2026-11-20t02:30:00.000z",
        "moment=2026-11-19T21:30:00-05:00",
        "price=2.5",
        "price=2.500",
        "weight=25e-1",
        "weight=2.50",
        "code=02890A5D-AC96-774B-BCCE-B302099A8057",
        "clock=12:30:00.000",
    ] {
        assert_eq!(client.names(&format!("/things?{test}")), "two", "{test}");
    }
}

/// Stored times have microseconds. More digits of a value are not cut.
#[test]
fn a_time_between_two_stored_ones_is_equal_to_none() {
    let (_server, mut client) = things();
    for (test, found) in [
        ("clock[gte]=12:30:00.0000001", "three"),
        ("clock[gt]=12:30:00.0000001", "three"),
        ("clock[lt]=12:30:00.0000001", "one two"),
        ("clock[lte]=12:30:00.0000001", "one two"),
        ("clock[between]=11:30:00.0000001,13:30:00", "two three"),
        ("clock[in]=12:30:00.0000001,11:30:00", "one"),
        ("clock[ne]=12:30:00.0000001", "one two three none"),
        ("clock=12:30:00.0000001", ""),
        ("clock=12:30:00.0000001&clock=11:30:00", "one"),
        ("moment=2026-11-20T02:30:00.000000001Z", ""),
        ("moment[lt]=2026-11-20T04:30:00.000000001%2B02:00", "one two"),
        ("moment[gt]=2026-11-20T02:30:00.000000001Z", "three"),
        ("moment=2026-11-20T02:30:00.000000000Z", "two"),
    ] {
        assert_eq!(client.names(&format!("/things?{test}&sortby=id")), found, "{test}");
    }
}

/// Conformance 37, 192: a value that is not of the field's type is 400.
#[test]
fn a_value_must_be_of_the_type_of_its_field() {
    let (_server, mut client) = things();
    for (field, wrong) in [
        ("rank", "two 1.0 1e3 0x1 null true 02 00 -0 -02 %2B2"),
        ("weight", "heavy NaN inf 1e999 .5 5. 0x1 02 02.5"),
        ("price", "1.005 cheap 1e2 1."),
        ("active", "1 0 yes True TRUE"),
        ("day", "2026-02-30 20261120 today 2026-11-20T00:00:00Z"),
        ("clock", "24:00:00 12:30 noon 12:60:00"),
        ("moment", "2026-11-20 2026-11-20T02:30:00 now"),
        ("code", "02890a5dac96774bbcceb302099a8057 two"),
        ("maker_id", "Ada 1.5 01 -0"),
        ("id", "01 -0 1.0"),
    ] {
        for value in wrong.split(' ') {
            for test in [field.to_owned(), format!("{field}[ne]"), format!("{field}[in]")] {
                let answer = client.get(&format!("/things?{test}={value}"));
                assert_eq!(answer.status(), 400, "{test}={value}");
                assert_eq!(answer.faults(), format!("{test} type"), "{value}");
            }
        }
    }
}

#[test]
fn a_blank_in_an_instant_is_said_to_be_a_plus() {
    let (_server, mut client) = things();
    let answer = client.get("/things?moment=2026-11-20T03:30:00+01:00");
    assert_eq!(answer.status_line, "HTTP/1.1 400 Bad Request");
    let detail = "`moment` must be a valid RFC 3339 date-time with offset, such as 2026-11-20T08:30:00Z, \
                  not `2026-11-20T03:30:00 01:00`.";
    assert_eq!(
        answer.json()["errors"],
        json!([{
            "parameter": "moment", "code": "type", "detail": detail,
            "hint": "A `+` in a query means a space; write it as `%2B`.",
        }])
    );
}

#[test]
fn a_blank_that_was_no_plus_stands_in_the_place_of_the_t() {
    let (_server, mut client) = things();
    let hint = |client: &mut Client, value: &str| {
        let answer = client.get(&format!("/things?moment[gte]={value}"));
        assert_eq!(answer.status(), 400, "{value}");
        answer.json()["errors"][0]["hint"].as_str().map(str::to_owned)
    };
    let t = Some("Write `T` between the date and the time.".to_owned());
    assert_eq!(hint(&mut client, "2026-11-20%2003:30:00Z"), t);
    assert_eq!(hint(&mut client, "2026-11-20%2003:30:00%2B01:00"), t);
    assert_eq!(hint(&mut client, "2026-11-20%20half%20past"), None);
}

#[test]
fn json_is_neither_filterable_nor_sortable() {
    let (_server, mut client) = things();
    assert_eq!(client.get("/things?extra=1").faults(), "extra unfilterable");
    assert_eq!(client.get("/things?extra[null]=true").faults(), "extra[null] unfilterable");
    assert_eq!(client.get("/things?sortby=extra").faults(), "sortby unknown");
}

#[test]
fn operators_of_text_are_for_text_alone() {
    let (_server, mut client) = things();
    for field in
        ["rank", "weight", "price", "active", "day", "clock", "moment", "code", "maker_id", "id"]
    {
        for op in ["contains", "starts_with", "ends_with"] {
            let answer = client.get(&format!("/things?{field}[{op}]=1"));
            assert_eq!(answer.faults(), format!("{field}[{op}] operator"));
        }
    }
}

#[test]
fn between_takes_two_values_and_null_takes_true_or_false() {
    let (_server, mut client) = things();
    for test in ["rank[between]=1", "rank[between]=1,2,3", "rank[between]=", "rank[between]=1,"] {
        let answer = client.get(&format!("/things?{test}"));
        assert_eq!(
            (answer.status(), answer.faults().as_str()),
            (400, "rank[between] type"),
            "{test}"
        );
    }
    for test in ["rank[null]=", "rank[null]=1", "rank[null]=TRUE", "rank[null]=null"] {
        let answer = client.get(&format!("/things?{test}"));
        assert_eq!((answer.status(), answer.faults().as_str()), (400, "rank[null] type"), "{test}");
    }
}
