//! Tests of the slots that a process has leased.

use std::thread;

use super::*;

fn begin_anew(slots: &CounterSlots, database: &Arc<str>, numbers: &[i32]) {
    assert!(!slots.lock().hold(database) && slots.renewal(database).is_none());
    slots.lock().begin(database, numbers, Instant::now());
}

fn leased(numbers: &[i32]) -> (Arc<CounterSlots>, Arc<str>) {
    let (slots, database) = (CounterSlots::new(), Arc::from("a"));
    begin_anew(&slots, &database, numbers);
    (slots, database)
}

/// Renews the leases, after their time or that of a pause.
fn renew(slots: &CounterSlots, database: &Arc<str>, lost: &[i32]) -> Vec<i32> {
    slots.lock().renewal = Instant::now();
    let renewal = slots.renewal(database).unwrap();
    let kept = |number: &&i32| !lost.contains(number);
    slots.lock().renewed(&renewal, &renewal.kept.iter().filter(kept).copied().collect::<Vec<_>>());
    renewal.kept
}

fn number(slot: Option<&UsedSlot>) -> Option<i32> {
    slot.map(UsedSlot::number)
}

#[test]
fn the_first_slot_that_nobody_uses_is_used_next() {
    let (slots, database) = leased(&[3, 1, 2]);
    let mut used: Vec<_> = (0..4).map(|_| slots.unused(&database)).collect();
    let numbers: Vec<_> = used.iter().map(|slot| number(slot.as_ref())).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3), None]);
    used.remove(1);
    assert_eq!(number(slots.unused(&database).as_ref()), Some(2));
}

#[test]
fn what_is_lost_is_not_used_again_and_what_is_used_stays_so() {
    let (slots, database) = leased(&[1, 2, 3]);
    let used = [(); 3].map(|()| slots.unused(&database));
    assert_eq!(renew(&slots, &database, &[1]), [1, 2, 3]);
    assert!(slots.unused(&database).is_none());
    drop(used);
    let last = [(); 3].map(|()| slots.unused(&database));
    assert_eq!(last.each_ref().map(|slot| number(slot.as_ref())), [Some(2), Some(3), None]);
}

#[test]
fn what_was_not_used_for_a_while_is_given_back_but_for_one_slot() {
    let (slots, database) = leased(&[1, 2, 3, 4]);
    let look = || {
        slots.lock().look = Instant::now();
        slots.lock().without_unused(&database).map(|renewal| (renewal.kept, renewal.given))
    };
    let long = slots.unused(&database);
    drop(slots.unused(&database));
    assert_eq!(look(), Some((vec![1, 2], vec![3, 4])));
    assert!(slots.lock().without_unused(&database).is_none(), "it is too early for another look");
    assert_eq!(look(), Some((vec![1], vec![2])), "1 was used all the time");
    drop(long);
    assert_eq!(look(), None);
    assert_eq!(look(), None, "one is kept");
    assert_eq!(number(slots.unused(&database).as_ref()), Some(1));
}

/// One more slot is asked for by one of many, until somebody has leased it or found one.
#[test]
fn more_slots_are_wanted_one_after_the_other() {
    let (slots, database) = leased(&[1]);
    let used = slots.unused(&database);
    assert!(slots.wants_more() && !slots.wants_more());
    drop(slots.turn(&database).ok().unwrap());
    assert!(slots.wants_more() && !slots.wants_more());
    drop(used);
    assert!(slots.turn(&database).is_err());
    assert!(slots.wants_more());
}

#[test]
fn leases_end_and_those_of_another_database_do_not_count() {
    let (slots, database) = leased(&[1]);
    let (other, used) = (Arc::from("b"), slots.unused(&database));
    assert!(slots.lock().hold("a") && !slots.lock().hold("b") && slots.unused(&other).is_none());
    begin_anew(&slots, &other, &[1]);
    let of_other = slots.unused(&other);
    drop(used);
    assert!(slots.unused(&other).is_none(), "a slot of the former database was given back");
    drop(of_other);
    assert!(slots.unused(&other).is_some());
    slots.lock().until = Instant::now();
    assert!(slots.unused(&other).is_none() && !slots.lock().hold("b"));
    assert!(slots.renewal(&other).is_none());
    begin_anew(&slots, &other, &[1]);
    assert!(slots.lock().hold("b"));
}

#[test]
fn one_of_many_renews_the_leases() {
    let (slots, database) = leased(&[1]);
    assert!(slots.renewal(&database).is_none());
    slots.lock().renewal = Instant::now();
    assert!(slots.renewal(&database).is_some() && slots.renewal(&database).is_none());
    assert!(slots.unused(&database).is_some(), "the leases still hold");
}

#[test]
fn a_lost_slot_is_not_used_again() {
    let (slots, database) = leased(&[1, 2]);
    let lost = slots.unused(&database).unwrap();
    assert!(lost.is_held());
    lost.lose();
    assert!(!lost.is_held());
    drop(lost);
    let used = [slots.unused(&database), slots.unused(&database)];
    assert_eq!(used.each_ref().map(|slot| number(slot.as_ref())), [Some(2), None]);
}

/// What is shared stays used by those who had it first.
#[test]
fn a_shared_slot_is_not_given_back() {
    let (slots, database) = leased(&[1]);
    let used = slots.unused(&database);
    let mut shared = UsedSlot::new(&slots, &database, 1);
    shared.is_shared = true;
    drop(shared);
    assert!(slots.unused(&database).is_none());
    drop(used);
    assert!(slots.unused(&database).is_some());
}

/// Those who wait for the turn of another one take what becomes unused.
#[test]
fn many_who_come_at_once_lease_one_after_the_other() {
    let (slots, database) = leased(&[1]);
    let used = slots.unused(&database).unwrap();
    let turn = slots.turn(&database).ok().unwrap();
    thread::scope(|scope| {
        let waits = scope.spawn(|| slots.turn(&database).err().map(|slot| slot.number()));
        drop(used);
        assert_eq!(waits.join().unwrap(), Some(1));
        let used = slots.unused(&database).unwrap();
        let waits = scope.spawn(|| slots.turn(&database).is_ok());
        drop(turn);
        assert!(waits.join().unwrap(), "it leases another one");
        drop(used);
    });
}
