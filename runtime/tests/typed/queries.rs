//! Typed queries that are built in Rust or parsed from a query string. Both forms give equal
//! queries, the same canonical text, and the same errors as over HTTP.

use nouns_runtime::{Error, Id, typed::Query};
use proptest::prelude::*;
use rust_decimal::Decimal;
use serde_json::json;

use super::{
    bed::{Bed, CAMEL, refusal, sentence, wait},
    filters::{Expr, expr, keys, leaf, orders},
    staff::Keeper,
    zoo::{Animal, NewAnimal, Zoo},
};
use crate::store::bed::letters;

fn parsed(text: &str) -> Query<Keeper> {
    text.parse().unwrap()
}

/// Parses a query string, and prints it in its canonical form. Parsing and printing the result
/// again must not change it.
fn canonical(text: &str) -> String {
    let printed = parsed(text).to_string();
    assert_eq!(parsed(&printed).to_string(), printed);
    printed
}

#[test]
fn a_filter_in_rust_is_the_one_in_a_url() {
    let of = Query::<Keeper>::new;
    assert_eq!(parsed(""), of());
    assert_eq!(parsed("name=a&rank[gt]=2"), of().filter(|k| k.rank.gt(2) & k.name.eq("a")));
    assert_eq!(parsed("rank=1&rank=2"), of().filter(|k| k.rank.one_of([2, 1])));
    assert_eq!(parsed("rank[in]=1,2"), of().filter(|k| k.rank.eq(1) | k.rank.eq(2)));
    assert_eq!(parsed("rank[ne]=1&rank[ne]=2"), of().filter(|k| !(k.rank.eq(1) | k.rank.eq(2))));
    assert_eq!(parsed("rank[between]=1,2&badge[null]=false"), {
        of().filter(|k| k.badge.is_not_null()).filter(|k| k.rank.between(1, 2))
    });
    assert_eq!(parsed("pay[gte]=1.5&active=true&zoo_id=7"), {
        of().filter(|k| {
            k.pay.ge(Decimal::new(15, 1)) & k.active.eq(true) & k.zoo_id.eq(Id::<Zoo>::new(7))
        })
    });
    assert_eq!(parsed("filter[limit]=5&limit=5"), of().filter(|k| k.limit.eq(5)).limit(5));
    assert_eq!(parsed("sortby=name,-rank"), of().sort(|k| (k.name.asc(), k.rank.desc())));
    assert_eq!(parsed("sortby=name&order=desc"), of().sort(|k| k.name.desc()));
    assert_eq!(parsed("sortby=-rank"), of(), "the declared order is the default");
    assert_eq!(parsed("page=3&per_page=10&count=true"), of().limit(10).offset(20).count());
    assert_eq!(parsed("limit=20&offset=0&count=false"), of());
    assert_ne!(parsed("rank=1"), parsed("rank=2"));
    assert_ne!(parsed("sortby=name"), parsed("sortby=-name"));
}

/// A page of large members has fewer members than the limit. The next query continues after the
/// cursor of the page.
#[test]
fn a_page_of_large_members_ends_early() {
    let bed = Bed::new();
    let city = letters(20 * 1024 * 1024);
    for name in 0..8 {
        bed.database.run(&format!("INSERT INTO zoos (name, city) VALUES ('{name}', {city})"));
    }
    let list = |query: &Query<Zoo>| wait(bed.store.of::<Zoo>().list(query)).unwrap();
    let query = Query::<Zoo>::new().sort(|zoo| zoo.name.asc()).limit(10_000);
    let (mut page, mut names) = (list(&query), vec![]);
    loop {
        assert!(page.members.len() <= 3);
        names.extend(page.iter().map(|zoo| zoo.value.name.clone()));
        let Some(cursor) = page.next_cursor() else { break };
        assert!(page.has_more);
        page = list(&query.clone().after(&cursor));
    }
    assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn the_text_is_canonical() {
    assert_eq!(
        canonical("count=true&limit=5&rank=2&name=a%20b"),
        "name=a%20b&rank=2&limit=5&count=true"
    );
    assert_eq!(canonical("rank[in]=2,1,2"), "rank%5Bin%5D=1,2");
    assert_eq!(canonical("name=a&name[in]=b"), "name=a&name%5Bin%5D=b");
    assert_eq!(canonical(r"name[in]=a\,b,\\"), canonical(r"name=a,b&name=\"));
    assert_eq!(canonical("filter[limit][lt]=5"), "filter%5Blimit%5D%5Blt%5D=5");
    assert_eq!(canonical("sortby=name,id&page=2&per_page=20"), "sortby=name&offset=20");
    assert_eq!(canonical("sortby=-id,name"), "sortby=-id,name");
    assert_eq!(canonical("badge[null]=true&badge[null]=false"), {
        "badge%5Bnull%5D=true&badge%5Bnull%5D=false"
    });
    let query = Query::<Keeper>::new().filter(|k| {
        k.created_at.lt("2026-11-20T08:30:00Z".parse::<nouns_runtime::v1::Timestamp>().unwrap())
    });
    assert_eq!(query, parsed("created_at[lt]=2026-11-20T08:30:00Z"));
    assert_eq!(format!("{query:?}"), r#"Query("created_at%5Blt%5D=2026-11-20T08:30:00.000000Z")"#);
}

#[test]
fn what_only_a_program_can_say_is_printed_and_not_read() {
    let of = Query::<Keeper>::new;
    let either = of().filter(|k| k.name.eq("a") | k.rank.gt(2)).limit(5);
    assert_eq!(either.to_string(), "filter=name%20eq%20%22a%22%20or%20rank%20gt%202&limit=5");
    let refused = either.to_string().parse::<Query<Keeper>>();
    assert_eq!(refusal(refused), (400, vec![("filter".into(), "unsupported")]));
    assert!(!either.fits_url());
    assert!(!of().filter(|k| !k.rank.gt(2)).fits_url());
    assert!(
        !of().filter(|k| k.secret.eq("x")).fits_url(),
        "a request may not filter by a hidden field"
    );
    assert!(!of().limit(1000).fits_url(), "a request may not have a limit of 1000");
    assert!(of().filter(|k| !k.rank.eq(2)).sort(|k| k.badge.desc()).limit(100).fits_url());
}

#[test]
fn a_wrong_text_is_refused_as_over_http() {
    let refused = |text: &str| refusal(text.parse::<Query<Keeper>>());
    assert_eq!(refused("nam=a"), (400, vec![("nam".into(), "unknown")]));
    let two = vec![("rank[gt]".into(), "type"), ("limit".into(), "range")];
    assert_eq!(refused("rank[gt]=x&limit=0"), (400, two));
    assert_eq!(refused("secret=x").1[0].1, "unknown");
    assert_eq!(refused("after=1").1[0].1, "type");
    assert_eq!(refused("name=%zz"), (400, vec![]));
}

#[test]
fn a_store_reads_the_names_of_its_interface() {
    let bed = Bed::of(&CAMEL);
    let animals = bed.store.of::<Animal>();
    let query = animals.query("weightKg[gte]=2&sortby=-bornAt");
    assert_eq!(refusal(query).1[0].1, "unknown");
    let query = animals.query("weightKg[gte]=2&sortby=-weightKg").unwrap();
    assert_eq!(query.to_string(), "weight_kg%5Bgte%5D=2&sortby=-weight_kg");
    let zoo = bed.zoo("City");
    for weight in [1.0, 2.0, 3.0] {
        bed.animal(zoo, "x", Some(weight));
    }
    let page = wait(animals.list(&query)).unwrap();
    assert_eq!(
        page.iter().map(|animal| animal.weight_kg).collect::<Vec<_>>(),
        [Some(3.0), Some(2.0)]
    );
    let ill = NewAnimal { weight_kg: Some(-1.0), ..NewAnimal::new("x".into()) };
    let refused = wait(animals.within(zoo).create(ill));
    assert_eq!(refusal(refused), (422, vec![("/weightKg".into(), "minimum")]));
}

#[test]
fn a_query_that_cannot_be_answered_says_every_reason() {
    let bed = Bed::new();
    let keepers = bed.store.of::<Keeper>();
    let refused = |query: Query<Keeper>| refusal(wait(keepers.list(&query)));
    let of = Query::<Keeper>::new;
    let at = |place: &str, code| (place.to_owned(), code);
    let twice = of().sort(|k| [k.name.asc(), k.name.desc()]).limit(0).offset(u64::MAX);
    assert_eq!(
        refused(twice),
        (400, vec![at("sort", "repeated"), at("limit", "range"), at("offset", "range")])
    );
    assert_eq!(refused(of().limit(10_001)), (400, vec![at("limit", "range")]));
    assert_eq!(
        refused(of().filter(|k| k.notes.eq(json!(1)))),
        (400, vec![at("notes", "unfilterable")])
    );
    assert_eq!(refused(of().sort(|k| k.notes.asc())), (400, vec![at("sort", "unknown")]));
    assert_eq!(refused(of().filter(|k| k.pay.gt(Decimal::MAX))), (400, vec![at("pay", "type")]));
    assert_eq!(refused(of().filter(|k| k.name.contains("\0"))), (400, vec![at("name", "type")]));
    assert_eq!(
        refused(of().filter(|k| k.rank.one_of(0..30_001))),
        (400, vec![at("filter", "range")])
    );
    let many = (0..501).fold(of(), |query, at| query.filter(|k| k.name.contains(at.to_string())));
    assert_eq!(refused(many), (400, vec![at("filter", "range")]));
    let animals = bed.store.of::<Animal>();
    let nan = Query::<Animal>::new().filter(|a| a.weight_kg.ne(f64::NAN));
    assert_eq!(
        sentence(wait(animals.list(&nan))),
        "400: `weight_kg` must be a finite number, such as 2.5, not `NaN`."
    );
    let nested = of().filter(|k| {
        (1..500).fold(k.rank.gt(0), |nested, at| {
            let test = k.name.contains(at.to_string());
            if at % 2 == 0 { nested & test } else { nested | test }
        })
    });
    wait(keepers.list(&nested.sort(|k| (k.badge.asc(), k.name.desc())))).unwrap();
    wait(keepers.list(&of().filter(|k| k.rank.one_of(0..30_000)).limit(10_000))).unwrap();
}

/// A query parameter, valid or invalid.
fn parameter() -> impl Strategy<Value = String> {
    let field =
        prop::sample::select(vec!["name", "badge", "rank", "filter[limit]", "pay", "id", "zoo_id"]);
    let op = prop::sample::select(vec![
        "",
        "[eq]",
        "[ne]",
        "[lt]",
        "[lte]",
        "[gt]",
        "[gte]",
        "[in]",
        "[nin]",
        "[contains]",
        "[between]",
        "[null]",
    ]);
    let value = prop::sample::select(vec![
        "1", "2", "1,2", "2,1,1", "a", "a,b", r"a\,b", r"\\", "true", "false", "", "%25%26", "+",
        "1.50", "7",
    ]);
    let filter = (field, op, value).prop_map(|(field, op, value)| format!("{field}{op}={value}"));
    let paging = prop::sample::select(vec![
        "limit=5",
        "limit=20",
        "offset=3",
        "page=2",
        "per_page=7",
        "count=true",
        "count=false",
        "sortby=name",
        "sortby=-rank",
        "sortby=rank,-id,name",
        "order=desc",
    ]);
    prop_oneof![4 => filter, 1 => paging.prop_map(Into::into)]
}

fn reads_as_itself(query: &Query<Keeper>) -> Result<(), TestCaseError> {
    let text = query.to_string();
    let again: Result<Query<Keeper>, Error> = text.parse();
    let again = again.map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
    prop_assert_eq!(&again, query);
    prop_assert_eq!(again.to_string(), text);
    prop_assert!(query.fits_url());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_query_string_is_read_as_what_it_prints(parameters in prop::collection::vec(parameter(), 0..5)) {
        if let Ok(query) = parameters.join("&").parse::<Query<Keeper>>() {
            reads_as_itself(&query)?;
        }
    }

    #[test]
    fn every_conjunction_fits_a_url(tests in prop::collection::vec(leaf(), 0..5), keys in keys(), limit in 1u32..100) {
        let empty = |test: &Expr| matches!(test, Expr::NameIn(_, of) if of.is_empty())
            || matches!(test, Expr::LimitIn(_, of) if of.is_empty());
        let query = Query::<Keeper>::new().sort(|k| orders(k, &keys)).limit(limit);
        let tests = tests.iter().filter(|test| !empty(test));
        reads_as_itself(&tests.fold(query, |query, test| query.filter(|k| test.condition(k))))?;
    }

    #[test]
    fn what_is_printed_is_never_read_as_something_else(expr in expr()) {
        let query = Query::<Keeper>::new().filter(|k| expr.condition(k));
        match query.to_string().parse::<Query<Keeper>>() {
            Ok(read) => prop_assert_eq!(read, query),
            Err(_) => prop_assert!(!query.fits_url()),
        }
    }
}
