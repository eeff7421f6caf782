//! Tests of the canonical form in which a value is stored and returned.

use serde_json::json;

use crate::{client::Client, server::TestServer};

fn events() -> (TestServer, Client) {
    let server = TestServer::of(
        "
nouns: 1
resources:
  event:
    fields:
      name:   string
      rank:   integer
      weight: number
      price:  { type: decimal, scale: 2 }
      whole:  { type: decimal, scale: 0 }
      fine:   { type: decimal, scale: 18 }
      day:    date
      clock:  time
      moment: datetime
      code:   uuid
      extra:  json
",
    );
    let client = server.client();
    (server, client)
}

/// A body may have what the document describes, and no more.
#[test]
fn more_digits_than_documented_are_refused() {
    let (_server, mut client) = events();
    for (field, given, detail) in [
        ("price", "12.500", "must be a decimal number with at most 2 fraction digits."),
        ("price", "007.50", "must be a decimal number without leading zeros."),
        ("price", "-00.50", "must be a decimal number without leading zeros."),
        ("whole", "12.0", "must be a decimal number without fraction digits, such as 12."),
        ("clock", "12:00:00.1234567", "must be a time of day with at most six fraction digits."),
    ] {
        let answer = client.post("/events", &json!({ field: given }));
        assert_eq!(answer.faults(), format!("/{field} type"), "{given}");
        let detail = format!("`{field}` {detail}");
        assert_eq!(answer.json()["errors"][0]["detail"], detail, "{given}");
    }
    let precise = json!({ "moment": "2026-11-20T08:30:00.1234567Z" });
    let kept = client.create("/events", &precise).json()["moment"].clone();
    assert_eq!(kept, "2026-11-20T08:30:00.123456Z", "RFC 3339 allows any number of digits");
}

#[test]
fn texts_become_their_canonical_form() {
    let (_server, mut client) = events();
    for (field, given, kept) in [
        ("price", "1.5", "1.50"),
        ("price", "-0", "0.00"),
        ("price", "-0.05", "-0.05"),
        ("price", "92233720368547758.07", "92233720368547758.07"),
        ("whole", "12", "12"),
        ("fine", "-9.223372036854775808", "-9.223372036854775808"),
        ("fine", "0.000000000000000001", "0.000000000000000001"),
        ("day", "2024-02-29", "2024-02-29"),
        ("day", "0000-01-01", "0000-01-01"),
        ("day", "9999-12-31", "9999-12-31"),
        ("clock", "08:30:00", "08:30:00"),
        ("clock", "08:30:00.500", "08:30:00.5"),
        ("clock", "23:59:59.999999", "23:59:59.999999"),
        ("moment", "2026-11-20T08:30:00Z", "2026-11-20T08:30:00.000000Z"),
        ("moment", "2026-11-20T08:30:00.5+02:00", "2026-11-20T06:30:00.500000Z"),
        ("moment", "2026-11-20t08:30:00.123456z", "2026-11-20T08:30:00.123456Z"),
        ("moment", "2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00.000000Z"),
        ("code", "01890A5D-AC96-774B-BCCE-B302099A8057", "01890a5d-ac96-774b-bcce-b302099a8057"),
    ] {
        let answer = client.create("/events", &json!({ field: given }));
        assert_eq!(answer.json()[field], kept, "{field}: {given}");
        let location = answer.field("location").unwrap();
        assert_eq!(
            client.get(location).body,
            answer.body,
            "the stored value must be the returned one"
        );
        let filter = format!(
            "/events?{field}={}&id={}",
            given.replace('+', "%2B"),
            &location["/events/".len()..]
        );
        assert_eq!(client.get(&filter).json()["items"].as_array().unwrap().len(), 1, "{filter}");
    }
}

/// The error for a decimal that does not fit names its range, or its maximum number of fraction
/// digits.
#[test]
fn a_decimal_that_does_not_fit_is_told_why() {
    let (_server, mut client) = events();
    for (field, given, rule) in [
        (
            "price",
            "92233720368547758.08",
            "a decimal number from -92233720368547758.08 to 92233720368547758.07",
        ),
        (
            "price",
            "-1000000000000000000000",
            "a decimal number from -92233720368547758.08 to 92233720368547758.07",
        ),
        ("price", "1.005", "a decimal number with at most 2 fraction digits"),
        (
            "whole",
            "9223372036854775808",
            "a decimal number from -9223372036854775808 to 9223372036854775807",
        ),
        ("whole", "1.5", "a decimal number without fraction digits, such as 12"),
        ("fine", "10", "a decimal number from -9.223372036854775808 to 9.223372036854775807"),
    ] {
        let answer = client.post("/events", &json!({ field: given }));
        assert_eq!(answer.detail(), format!("`{field}` must be {rule}."), "{given}");
        let filter = client.get(&format!("/events?{field}={given}"));
        assert_eq!(filter.detail(), format!("`{field}` must be {rule}, not `{given}`."));
    }
}

#[test]
fn texts_of_another_form_are_refused() {
    let (_server, mut client) = events();
    for (field, wrong) in [
        (
            "price",
            vec!["1.005", "", "1.", ".5", "+1", "1e2", "92233720368547758.08", " 1", "1,5", "NaN"],
        ),
        ("whole", vec!["1.5", "9223372036854775808"]),
        ("fine", vec!["9.223372036854775808", "10"]),
        (
            "day",
            vec![
                "2026-02-29",
                "2026-13-01",
                "2026-1-1",
                "26-01-01",
                "20260101",
                "2026-01-01T00:00:00Z",
                "",
            ],
        ),
        (
            "clock",
            vec!["24:00:00", "23:60:00", "23:59:60", "8:30:00", "08:30", "08:30:00Z", "08:30:00."],
        ),
        (
            "moment",
            vec![
                "2026-11-20",
                "2026-11-20T08:30:00",
                "2026-11-20T08:30Z",
                "2026-02-30T00:00:00Z",
                "2026-11-20 08:30:00Z",
                "2026-11-20T08:30:00+0100",
                "2026-11-20T08:30:00+24:00",
                "2026-11-20T08:30:00.Z",
                "9999-12-31T23:59:59-01:00",
            ],
        ),
        (
            "code",
            vec![
                "01890a5dac96774bbcceb302099a8057",
                "{01890a5d-ac96-774b-bcce-b302099a8057}",
                "x",
                "",
            ],
        ),
    ] {
        for value in wrong {
            let answer = client.post("/events", &json!({ field: value }));
            assert_eq!(
                (answer.status(), answer.faults()),
                (422, format!("/{field} type")),
                "{field}: {value}"
            );
        }
    }
}

#[test]
fn every_character_comes_back_as_it_went() {
    let (_server, mut client) = events();
    let controls: String = (1..0x20).map(char::from).collect();
    for text in [
        "",
        " ",
        "\"quoted\" \\ back/slash",
        "🦁 löwe e\u{301} \u{2028}\u{2029}\u{feff}\u{7f}\u{80}\u{ffff}\u{10ffff}",
        "</script><!--",
        "%00 \\u0000 ' -- ;",
        &controls,
        &"x".repeat(100_000),
    ] {
        let answer = client.create("/events", &json!({ "name": text }));
        assert_eq!(answer.json()["name"], text);
        assert_eq!(client.get(answer.field("location").unwrap()).json()["name"], text);
    }
}

#[test]
fn numbers_are_doubles_and_keep_their_value() {
    let (_server, mut client) = events();
    for number in
        [0.0, 1.0, -1.0, 0.1, 1e-7, 1e21, 123_456_789.123, 5e-324, f64::MAX, f64::MIN_POSITIVE]
    {
        let answer = client.create("/events", &json!({ "weight": number }));
        assert_eq!(answer.json()["weight"], number);
        let filter = format!("/events?weight={number:e}&sortby=-id&limit=1");
        assert_eq!(client.get(&filter).json()["items"][0]["weight"], number, "{filter}");
    }
    let zero = client.request("POST", "/events", &[], Some(b"{\"weight\":-0.0}")).json();
    assert_eq!(
        zero["weight"].as_f64().unwrap().to_bits(),
        0.0_f64.to_bits(),
        "-0.0 must become 0.0"
    );
}

#[test]
fn json_is_kept_as_it_came() {
    let (_server, mut client) = events();
    for extra in [
        r#"{"b": 1.0, "a": [ 1, 2.50 ], "b2": "\u00e9"}"#,
        "123456789012345678901234567890",
        "[]",
        "false",
        "\"text\"",
        r#"{"id":7,"__proto__":null}"#,
    ] {
        let answer = client.request(
            "POST",
            "/events",
            &[],
            Some(format!("{{\"extra\":{extra}}}").as_bytes()),
        );
        assert_eq!(answer.status(), 201);
        let text = String::from_utf8(answer.body.clone()).unwrap();
        assert!(text.contains(&format!("\"extra\":{extra},")), "{text}");
        assert_eq!(client.get(answer.field("location").unwrap()).body, answer.body);
    }
    assert!(client.create("/events", &json!({ "extra": null })).json()["extra"].is_null());
}
