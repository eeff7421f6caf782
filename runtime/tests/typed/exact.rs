//! The values in filter conditions are never rounded. A value that the column could not store is
//! compared exactly, or is an error.

use nouns_runtime::{
    Resource as _,
    typed::{Condition, Page, Query},
};
use rust_decimal::Decimal;

use super::{
    bed::{Bed, keeper, refusal, sentence, wait},
    staff::{Keeper, KeeperFields, NewKeeper},
};

/// The number of members that match a condition.
fn found(bed: &Bed, test: impl FnOnce(&KeeperFields) -> Condition<Keeper>) -> usize {
    wait(bed.store.of::<Keeper>().list(&Keeper::query().filter(test))).unwrap().members.len()
}

#[test]
fn a_decimal_with_more_digits_than_its_field_is_refused_as_over_http() {
    let bed = Bed::new();
    let new = NewKeeper { pay: Some(Decimal::new(1, 0)), ..keeper("bob", "Bob") };
    wait(bed.store.of::<Keeper>().create(new)).unwrap();
    assert_eq!(found(&bed, |k| k.pay.lt(Decimal::new(1010, 3))), 1);
    let query = Keeper::query().filter(|k| k.pay.lt(Decimal::new(1005, 3)));
    let refused = || wait(bed.store.of::<Keeper>().list(&query));
    assert_eq!(refusal(refused()), (400, vec![("pay".into(), "type")]));
    let over_http = bed.store.of::<Keeper>().query("pay[lt]=1.005");
    assert_eq!(sentence(refused()), sentence(over_http));
    let query = Keeper::query().filter(|k| k.pay.one_of([Decimal::ONE, Decimal::new(1005, 3)]));
    assert_eq!(refusal(wait(bed.store.of::<Keeper>().delete_many(&query))).0, 400);
}

#[test]
fn a_time_between_two_that_can_be_kept_finds_exactly_what_it_says() {
    let bed = Bed::new();
    let bob = wait(bed.store.of::<Keeper>().create(keeper("bob", "Bob"))).unwrap();
    let at = bob.created_at;
    let after = at + std::time::Duration::from_nanos(1);
    let before = at - std::time::Duration::from_nanos(1);
    assert_eq!(found(&bed, |k| k.created_at.lt(after)), 1);
    assert_eq!(found(&bed, |k| k.created_at.lt(at)), 0);
    assert_eq!(found(&bed, |k| k.created_at.le(after)), 1);
    assert_eq!(found(&bed, |k| k.created_at.gt(before)), 1);
    assert_eq!(found(&bed, |k| k.created_at.ge(after)), 0);
    assert_eq!(found(&bed, |k| k.created_at.eq(after)), 0);
    assert_eq!(found(&bed, |k| k.created_at.ne(after)), 1);
    assert_eq!(found(&bed, |k| k.created_at.one_of([after, at])), 1);
    assert_eq!(found(&bed, |k| k.created_at.between(before, after)), 1);
    assert_eq!(found(&bed, |k| k.created_at.between(after, after)), 0);
}

#[test]
fn a_page_can_be_of_a_programs_own_making() {
    let bed = Bed::new();
    wait(bed.store.of::<Keeper>().create(keeper("bob", "Bob"))).unwrap();
    let members = wait(bed.store.of::<Keeper>().list(&Query::new())).unwrap().members;
    let page = Page::of(members, true, Some(7));
    assert_eq!((page.members.len(), page.has_more, page.total), (1, true, Some(7)));
    assert!(page.next_cursor().is_none());
}
