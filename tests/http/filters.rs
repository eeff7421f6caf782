//! Tests of filters and sort orders: every operator on every kind of field, lists, repeated
//! parameters, null, case and code points.

mod hints;
mod orders;
mod texts;
mod values;

use serde_json::json;

use crate::{client::Client, server::TestServer};

/// A schema with a field of every kind, and a field with the name of a query parameter.
const THINGS: &str = "
nouns: 1
resources:
  maker:
    fields:
      name: { type: string, required: true }
  thing:
    fields:
      name:     { type: string, required: true }
      label:    { type: string, ignore_case: true }
      rank:     integer
      weight:   number
      price:    { type: decimal, scale: 2 }
      active:   boolean
      day:      date
      clock:    time
      moment:   datetime
      code:     uuid
      extra:    json
      maker_id: { references: maker }
      limit:    integer
";

/// Starts a server with three things whose values ascend in every field, and a thing that has only
/// a name.
fn things() -> (TestServer, Client) {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    client.create("/makers", &json!([{ "name": "Ada" }, { "name": "Bob" }, { "name": "Kim" }]));
    let thing = |name: &str, at: i64| {
        json!({
            "name": name, "label": format!("L{at}"), "rank": at, "weight": at as f64 + 0.5,
            "price": format!("{at}.50"), "day": format!("2026-11-2{at}"), "clock": format!("1{at}:30:00"),
            "moment": format!("2026-11-20T0{at}:30:00Z"), "extra": { "at": at }, "maker_id": at,
            "code": format!("0{at}890a5d-ac96-774b-bcce-b302099a8057"), "active": at == 2, "limit": at,
        })
    };
    let things = json!([thing("one", 1), thing("two", 2), thing("three", 3), { "name": "none" }]);
    client.create("/things", &things);
    (server, client)
}

/// Each field whose kind has an order, and its values in the three things.
const ORDERED: [(&str, [&str; 3]); 10] = [
    ("label", ["L1", "L2", "L3"]),
    ("rank", ["1", "2", "3"]),
    ("weight", ["1.5", "2.5", "3.5"]),
    ("price", ["1.50", "2.50", "3.50"]),
    ("day", ["2026-11-21", "2026-11-22", "2026-11-23"]),
    ("clock", ["11:30:00", "12:30:00", "13:30:00"]),
    ("moment", ["2026-11-20T01:30:00Z", "2026-11-20T02:30:00Z", "2026-11-20T03:30:00Z"]),
    (
        "code",
        [
            "01890a5d-ac96-774b-bcce-b302099a8057",
            "02890a5d-ac96-774b-bcce-b302099a8057",
            "03890a5d-ac96-774b-bcce-b302099a8057",
        ],
    ),
    ("maker_id", ["1", "2", "3"]),
    ("filter[limit]", ["1", "2", "3"]),
];

#[test]
fn every_operator_works_on_every_kind_that_has_an_order() {
    let (_server, mut client) = things();
    for (field, [low, middle, high]) in ORDERED {
        let mut has = |test: String, names: &str| {
            assert_eq!(client.names(&format!("/things?{field}{test}")), names, "{field}{test}");
        };
        has(format!("={middle}"), "two");
        has(format!("[eq]={middle}"), "two");
        has(format!("[ne]={middle}"), "one three none");
        has(format!("[lt]={middle}"), "one");
        has(format!("[lte]={middle}"), "one two");
        has(format!("[gt]={middle}"), "three");
        has(format!("[gte]={middle}"), "two three");
        has(format!("[in]={low},{high}"), "one three");
        has(format!("[in]={high}"), "three");
        has(format!("[nin]={low},{high}"), "two none");
        has(format!("[between]={low},{middle}"), "one two");
        has(format!("[between]={middle},{middle}"), "two");
        has(format!("[between]={high},{low}"), "");
        has("[null]=true".into(), "none");
        has("[null]=false".into(), "one two three");
    }
}

#[test]
fn booleans_are_true_or_false_or_neither() {
    let (_server, mut client) = things();
    for (test, names) in [
        ("active=true", "two"),
        ("active=false", "one three"),
        ("active[ne]=true", "one three none"),
        ("active[in]=true,false", "one two three"),
        ("active[nin]=false", "two none"),
        ("active[gt]=false", "two"),
        ("active[null]=true", "none"),
        ("active[null]=false", "one two three"),
    ] {
        assert_eq!(client.names(&format!("/things?{test}")), names, "{test}");
    }
}

#[test]
fn a_member_without_a_value_passes_ne_nin_and_null_and_no_other_test() {
    let (_server, mut client) = things();
    for (test, passes) in [
        ("rank[ne]=7", true),
        ("rank[nin]=7,8", true),
        ("rank[null]=true", true),
        ("rank=7", false),
        ("rank[lt]=7", false),
        ("rank[lte]=7", false),
        ("rank[gt]=-7", false),
        ("rank[gte]=-7", false),
        ("rank[in]=7,8", false),
        ("rank[between]=-7,7", false),
        ("rank[null]=false", false),
        ("label[contains]=", false),
        ("label[starts_with]=", false),
        ("label[ends_with]=", false),
        ("label=", false),
    ] {
        let names = client.names(&format!("/things?{test}"));
        assert_eq!(names.contains("none"), passes, "{test}: {names}");
    }
}

/// Conformance 192: a repeated parameter with `=` matches any of its values.
#[test]
fn an_equality_that_stands_twice_means_any_of_the_values() {
    let (_server, mut client) = things();
    assert_eq!(client.names("/things?rank=1&rank=3"), "one three");
    assert_eq!(client.names("/things?rank=1&rank=2&filter[rank]=3"), "one two three");
    assert_eq!(client.names("/things?rank=1&rank=1"), "one");
    assert_eq!(client.names("/things?rank=1&rank=3&name=three&name=two"), "three");
}

#[test]
fn an_operator_that_stands_twice_must_hold_twice() {
    let (_server, mut client) = things();
    assert_eq!(client.names("/things?rank[gt]=1&rank[gt]=2"), "three");
    assert_eq!(client.names("/things?rank[gte]=2&rank[lt]=3"), "two");
    assert_eq!(client.names("/things?rank[ne]=1&rank[ne]=3"), "two none");
    assert_eq!(client.names("/things?name[contains]=o&name[contains]=n"), "one none");
    assert_eq!(client.names("/things?rank[in]=1,2&rank[in]=2,3"), "two");
    assert_eq!(client.names("/things?rank[eq]=1&rank[eq]=2"), "");
    assert_eq!(client.names("/things?rank[eq]=2&filter[rank][eq]=2"), "two");
    assert_eq!(client.names("/things?rank[nin]=1&rank[nin]=2"), "three none");
    assert_eq!(client.names("/things?rank[between]=1,2&rank[between]=2,3"), "two");
    assert_eq!(client.names("/things?rank[null]=true&rank[null]=false"), "");
    assert_eq!(client.names("/things?rank[lt]=3&rank[lt]=2"), "one");
}

#[test]
fn alternatives_and_operators_of_one_field_hold_together() {
    let (_server, mut client) = things();
    assert_eq!(client.names("/things?rank=1&rank=2&rank[eq]=2"), "two");
    assert_eq!(client.names("/things?rank=1&rank[eq]=2"), "");
    assert_eq!(client.names("/things?rank=1&rank=2&rank[in]=2,3"), "two");
    assert_eq!(
        client.names("/things?rank[eq]=2&rank=1&rank=2"),
        "two",
        "the order of the parameters must not matter"
    );
    let page = client.get("/things?rank[eq]=2&rank[eq]=2&limit=1&sortby=name");
    assert_eq!(page.status(), 200);
}

#[test]
fn the_long_form_reaches_every_field_also_one_named_like_a_parameter() {
    let (_server, mut client) = things();
    assert_eq!(client.names("/things?filter[limit]=2"), "two");
    assert_eq!(client.names("/things?filter[limit][gte]=2"), "two three");
    assert_eq!(client.names("/things?filter[rank][lt]=2"), "one");
    assert_eq!(
        client.names("/things?limit=2"),
        "one two",
        "`limit` must be the parameter, not the field"
    );
    assert_eq!(client.names("/things?limit=2&filter[limit][gte]=2"), "two three");
    assert_eq!(client.get("/things?limit[gte]=2").faults(), "limit[gte] unknown");
    assert_eq!(
        client.names("/things?filter%5Blimit%5D%5Bgte%5D=2"),
        "two three",
        "brackets may be percent-encoded"
    );
    assert_eq!(
        client.names("/things?sortby=-limit&limit=1"),
        "three",
        "`sortby` must accept the name of a field that is also a parameter"
    );
}
