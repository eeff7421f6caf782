//! Cursors. A walk over all pages returns each member once, even while other members are created
//! and deleted.

use nouns_runtime::{
    Id, Patch,
    typed::{Collection, Query},
};
use proptest::prelude::*;

use super::{
    bed::{Bed, keeper, refusal, wait},
    filters::{expr, filled, keys, orders},
    staff::{Keeper, KeeperPatch, NewKeeper},
    zoo::Animal,
};

/// The ids on all pages of a query. Calls `between` after each page.
fn walk(
    keepers: &Collection<Keeper>,
    query: &Query<Keeper>,
    mut between: impl FnMut(usize),
) -> Vec<Id<Keeper>> {
    let mut ids = vec![];
    let mut page = wait(keepers.list(query)).unwrap();
    for at in 0.. {
        assert!(at < 100, "a walk must end within 100 pages");
        ids.extend(page.iter().map(|keeper| keeper.id.clone()));
        let Some(cursor) = page.next_cursor() else { break };
        between(at);
        page = wait(keepers.list(&query.clone().after(&cursor))).unwrap();
    }
    ids
}

#[test]
fn a_walk_sees_what_one_page_would_show() {
    let (bed, _) = filled();
    let keepers = bed.store.of::<Keeper>();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(200));
    let strategy = (expr(), keys(), 1u32..5);
    let outcome = runner.run(&strategy, |(expr, keys, limit)| {
        let query = Query::<Keeper>::new().filter(|k| expr.condition(k)).sort(|k| orders(k, &keys));
        let whole = wait(keepers.list(&query.clone().limit(100))).unwrap();
        let walked = walk(&keepers, &query.limit(limit), |_| ());
        prop_assert_eq!(walked, whole.iter().map(|keeper| keeper.id.clone()).collect::<Vec<_>>());
        Ok(())
    });
    outcome.unwrap();
}

/// A creation or deletion of a member during a walk. The walk may return this member or not.
#[derive(Clone, Debug)]
struct Event {
    id: u8,
    badge: Option<String>,
    limit: Option<i32>,
    gone: bool,
}

fn event() -> impl Strategy<Value = Event> {
    let badge =
        prop::option::of(prop::sample::select(vec!["a", "A", "ab", "b"]).prop_map(str::to_owned));
    (0u8..6, badge, prop::option::of(0..3), any::<bool>())
        .prop_map(|(id, badge, limit, gone)| Event { id, badge, limit, gone })
}

async fn happen(keepers: &Collection<Keeper>, event: &Event) {
    let id: Id<Keeper> = Id::new(format!("x{}", event.id));
    if event.gone {
        keepers.delete(id).await.ok();
        return;
    }
    let name = format!("{}{}", ["A", "b", "Z"][usize::from(event.id) % 3], event.id);
    let new =
        NewKeeper { badge: event.badge.clone(), limit: event.limit, ..keeper(id.key(), &name) };
    if keepers.create(new).await.is_err() {
        let patch = KeeperPatch { limit: Patch::Set(event.limit), ..KeeperPatch::default() };
        keepers.update(id, patch).await.unwrap();
    }
}

#[test]
fn who_is_there_all_the_time_is_seen_once() {
    let (bed, all) = filled();
    let keepers = bed.store.of::<Keeper>();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(60));
    let strategy = (keys(), 1u32..4, prop::collection::vec(event(), 1..12));
    let outcome = runner.run(&strategy, |(keys, limit, events)| {
        let query = Query::<Keeper>::new().sort(|k| orders(k, &keys)).limit(limit);
        let walked =
            walk(&keepers, &query, |at| wait(happen(&keepers, &events[at % events.len()])));
        let mut seen: Vec<_> = walked.into_iter().filter(|id| id.key().starts_with('k')).collect();
        seen.sort();
        let mut expected: Vec<_> = all.iter().map(|keeper| keeper.id.clone()).collect();
        expected.sort();
        prop_assert_eq!(seen, expected);
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_cursor_goes_with_its_own_filter_and_order_alone() {
    let (bed, _) = filled();
    let keepers = bed.store.of::<Keeper>();
    let query = Query::<Keeper>::new().filter(|k| k.rank.gt(1)).sort(|k| k.name.asc()).limit(2);
    let page = wait(keepers.list(&query)).unwrap();
    let cursor = page.next_cursor().unwrap();
    let refused = |query: Query<Keeper>| refusal(wait(keepers.list(&query.after(&cursor))));
    let conflict = (400, vec![("after".to_owned(), "conflict")]);
    assert_eq!(refused(query.clone().filter(|k| k.rank.lt(3))), conflict);
    assert_eq!(refused(query.clone().sort(|k| k.rank.asc())), conflict);
    assert_eq!(refused(Query::new()), conflict);
    let same = Query::<Keeper>::new()
        .sort(|k| (k.name.asc(), k.id.asc()))
        .filter(|k| k.rank.ge(2) & k.rank.gt(1));
    assert_eq!(refused(same), conflict);
    let wider = query.clone().limit(5).count().after(&cursor);
    let rest = wait(keepers.list(&wider)).unwrap();
    assert_eq!(
        rest.total,
        Some(8),
        "the total must count all members of the query, not only those after the cursor"
    );
    assert!(wider.fits_url());
    let text = wider.to_string();
    assert!(
        text.starts_with("rank%5Bgt%5D=1&sortby=name&limit=5&after=")
            && text.ends_with("&count=true")
    );
    assert_eq!(text.parse::<Query<Keeper>>().unwrap(), wider);
    assert_eq!(keepers.query(&text).unwrap(), wider);
    let elsewhere = text.replace("rank%5Bgt%5D=1", "rank%5Bgt%5D=2");
    assert_eq!(refusal(elsewhere.parse::<Query<Keeper>>()), conflict);
    let back = text.replace("after", "before");
    assert_eq!(
        refusal(back.parse::<Query<Keeper>>()).1,
        [("before".to_owned(), "unknown")],
        "typed queries must not support `before`"
    );
    assert_ne!(wider, wider.clone().offset(2));
    assert_eq!(
        wider.clone().offset(0),
        query.limit(5).count(),
        "an offset must remove the cursor of the query"
    );
}

#[test]
fn missing_values_are_passed_over_once() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    for name in ["a", "b", "b", "c"] {
        bed.animal(zoo, name, None);
    }
    let animals = bed.store.of::<Animal>().within(zoo);
    let query = Query::<Animal>::new().sort(|a| (a.weight_kg.desc(), a.name.desc())).limit(2);
    let first = wait(animals.list(&query)).unwrap();
    let second = wait(animals.list(&query.after(&first.next_cursor().unwrap()))).unwrap();
    let names: String = first.iter().chain(&second).map(|animal| &*animal.name).collect();
    assert_eq!((names.as_str(), second.next_cursor()), ("cbba", None));
}
