//! Tests of sort orders: every kind of field, members without a value, code points, case, mixed
//! directions.

use serde_json::json;

use super::{THINGS, things};
use crate::{client::Client, server::TestServer};

#[test]
fn members_without_a_value_come_last_in_both_directions() {
    let (_server, mut client) = things();
    for field in
        ["label", "rank", "weight", "price", "day", "clock", "moment", "code", "maker_id", "limit"]
    {
        assert_eq!(
            client.names(&format!("/things?sortby={field}")),
            "one two three none",
            "{field}"
        );
        assert_eq!(
            client.names(&format!("/things?sortby=-{field}")),
            "three two one none",
            "-{field}"
        );
        assert_eq!(
            client.names(&format!("/things?sortby={field}&order=desc")),
            "three two one none"
        );
    }
    assert_eq!(client.names("/things?sortby=active"), "one three two none");
    assert_eq!(client.names("/things?sortby=-active"), "two three one none");
    assert_eq!(client.names("/things?sortby=id&order=desc"), "none three two one");
    assert_eq!(client.names("/things?sortby=created_at,updated_at"), "one two three none");
}

/// Starts a server with the combinations of two names with two ranks and no rank.
fn squares() -> (TestServer, Client) {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let mut members = vec![];
    for label in ["b", "a"] {
        for rank in [Some(2), None, Some(1)] {
            let name = format!("{label}{}", rank.map_or("-".into(), |rank| rank.to_string()));
            members.push(json!({ "name": name, "label": label, "rank": rank }));
        }
    }
    client.create("/things", &members.into());
    (server, client)
}

#[test]
fn every_key_has_its_own_direction() {
    let (_server, mut client) = squares();
    for (order, names) in [
        ("sortby=label,rank", "a1 a2 a- b1 b2 b-"),
        ("sortby=label,-rank", "a2 a1 a- b2 b1 b-"),
        ("sortby=-label,rank", "b1 b2 b- a1 a2 a-"),
        ("sortby=-label,-rank", "b2 b1 b- a2 a1 a-"),
        ("sortby=rank,label", "a1 b1 a2 b2 a- b-"),
        ("sortby=rank,-label", "b1 a1 b2 a2 b- a-"),
        ("sortby=-rank,label", "a2 b2 a1 b1 a- b-"),
        ("sortby=rank,label&order=desc", "b2 a2 b1 a1 b- a-"),
        ("sortby=rank,label&order=desc,asc", "a2 b2 a1 b1 a- b-"),
        ("sortby=rank", "b1 a1 b2 a2 b- a-"),
        ("sortby=rank,-id", "a1 b1 a2 b2 a- b-"),
        ("sortby=-id", "a1 a- a2 b1 b- b2"),
    ] {
        assert_eq!(client.names(&format!("/things?{order}")), names, "{order}");
        assert_eq!(
            client.names(&format!("/things?{order}&offset=2&limit=3")),
            names[6..14],
            "a page in the middle of {order} must have the same order"
        );
    }
}

#[test]
fn text_is_ordered_by_code_point() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let names = ["😀", "zebra", "~", "Zebra", "～", "äffin", "Ape", "a", "", "aa", "1", "Ä"];
    client.create("/things", &names.iter().map(|name| json!({ "name": name })).collect());
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(client.names("/things?sortby=name"), sorted.join(" "));
    sorted.reverse();
    assert_eq!(client.names("/things?sortby=-name"), sorted.join(" "));
    assert_eq!(
        client.names("/things?name[gt]=%EF%BD%9E"),
        "😀",
        "texts must be compared by code point, not by UTF-16 unit"
    );
    assert_eq!(client.names("/things?name[lt]=A&sortby=name"), " 1");
}

#[test]
fn what_ignores_case_is_ordered_without_it() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let names = ["b", "A", "a", "B", "_", "Ä"];
    client.create(
        "/things",
        &names.iter().map(|name| json!({ "name": name, "label": name })).collect(),
    );
    assert_eq!(client.names("/things?sortby=name"), "A B _ a b Ä");
    assert_eq!(
        client.names("/things?sortby=label"),
        "_ A a b B Ä",
        "members that are equal without case must be sorted by id"
    );
    assert_eq!(client.names("/things?sortby=-label"), "Ä B b a A _");
}

#[test]
fn the_declared_order_is_that_of_a_collection_unless_another_is_asked_for() {
    let server = TestServer::of(
        "
nouns: 1
resources:
  book:
    sort: [-year, name]
    fields:
      name: { type: string, required: true }
      year: integer
",
    );
    let mut client = server.client();
    let book = |name: &str, year: Option<i64>| json!({ "name": name, "year": year });
    let books = [
        book("d", None),
        book("c", Some(1)),
        book("b", Some(2)),
        book("a", Some(2)),
        book("e", Some(3)),
    ];
    client.create("/books", &books.to_vec().into());
    assert_eq!(client.names("/books"), "e a b c d");
    assert_eq!(client.names("/books?sortby=name"), "a b c d e");
    assert_eq!(client.names("/books?sortby=id"), "d c b a e");
}

#[test]
fn integers_decimals_and_numbers_are_ordered_by_value_at_their_limits() {
    let server = TestServer::of(THINGS);
    let mut client = server.client();
    let thing = |name: &str, rank: i64, weight: f64, price: &str| json!({ "name": name, "rank": rank, "weight": weight, "price": price });
    let things = [
        thing("max", i64::MAX, f64::MAX, "92233720368547758.07"),
        thing("ten", 10, 10.0, "10"),
        thing("nine", 9, 9.0, "9"),
        thing("zero", 0, -0.0, "-0"),
        thing("minus", -9, -9.0, "-9"),
        thing("min", i64::MIN, f64::MIN, "-92233720368547758.08"),
    ];
    client.create("/things", &things.to_vec().into());
    for field in ["rank", "weight", "price"] {
        assert_eq!(client.names(&format!("/things?sortby={field}")), "min minus zero nine ten max");
        assert_eq!(
            client.names(&format!("/things?sortby=-{field}")),
            "max ten nine zero minus min"
        );
    }
    assert_eq!(client.names("/things?rank=9223372036854775807"), "max");
    assert_eq!(client.names("/things?rank=-9223372036854775808"), "min");
    assert_eq!(client.names("/things?rank[gte]=9223372036854775807"), "max");
    assert_eq!(client.names("/things?price=92233720368547758.07"), "max");
    assert_eq!(client.names("/things?weight=1.7976931348623157e308"), "max");
    assert_eq!(client.names("/things?weight=0"), "zero");
    assert_eq!(client.names("/things?weight=-0"), "zero");
}

/// Names that SQL reads as values, as keywords, or as columns that every table has.
#[test]
fn fields_may_have_the_names_of_sql() {
    let names = [
        "true",
        "false",
        "null",
        "rowid",
        "oid",
        "user",
        "order",
        "select",
        "current_date",
        "value",
        "default",
        "group",
        "t",
        "p",
        "e",
        "v",
    ];
    let fields: String = names.map(|name| format!("      \"{name}\": string\n")).concat();
    let server = TestServer::of(&format!(
        "nouns: 1\nresources:\n  table:\n    fields:\n      n: integer\n      name: string\n{fields}"
    ));
    let mut client = server.client();
    let member = |at: usize| {
        let values = names.map(|name| (name.to_owned(), json!(format!("{name} {at}"))));
        let mut member: serde_json::Map<_, _> = values.into_iter().collect();
        member.insert("n".into(), (at < 2).then_some(at).into());
        member.insert("name".into(), json!(format!("{at}")));
        member
    };
    client.create("/tables", &json!([member(0), member(1), member(2), member(3)]));
    let mut orders = vec!["n".to_owned(), "-n".to_owned()];
    orders.extend(names.iter().flat_map(|name| [format!("{name},n"), format!("n,-{name}")]));
    for order in orders {
        let (mut url, mut seen) = (format!("/tables?sortby={order}&limit=1"), vec![]);
        let mut last = url.clone();
        for _ in 0..4 {
            let page = client.get(&url);
            assert_eq!(page.status(), 200, "{url}: {page:?}");
            seen.push(page.json()["items"][0].clone());
            last.clone_from(&url);
            url = page.json()["links"]["next"].as_str().unwrap_or_default().to_owned();
        }
        assert_eq!((seen.len(), url.as_str()), (4, ""), "{order}");
        let before = client.get(&last).json()["links"]["prev"].as_str().unwrap().to_owned();
        assert_eq!(client.get(&before).json()["items"][0], seen[2], "{order}: {before}");
    }
    for name in names {
        let found = client.names(&format!("/tables?filter[{name}]={name}%202"));
        assert_eq!(found, "2", "{name}");
    }
}
