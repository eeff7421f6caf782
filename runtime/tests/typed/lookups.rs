//! Short forms of typed reads: a member that may be missing, the first one, their number, all.

use std::{future::poll_fn, pin::Pin};

use futures_core::Stream;
use nouns_runtime::{Id, Query, Resource as _};

use super::zoo::{Animal, NewAnimal, NewZoo, Zoo};
use crate::{hooks::bed::Bed, store::bed::wait};

fn bed() -> Bed {
    let api = nouns_runtime::Api::new("Zoos").resource::<Zoo>().resource::<Animal>();
    let bed = Bed::new(api);
    wait(async {
        for zoo in ["North", "South"] {
            let zoo = bed.store.of::<Zoo>().create(NewZoo::new(zoo.into())).await.unwrap();
            let animals = (0..7).map(|number| NewAnimal::new(format!("animal {number}")));
            let animals = animals.collect();
            bed.store.of::<Animal>().within(zoo.id).create_many(animals).await.unwrap();
        }
    });
    bed
}

#[test]
fn what_is_missing_is_none_and_everything_else_an_error() {
    let bed = bed();
    wait(async {
        let zoos = bed.store.of::<Zoo>();
        assert_eq!(zoos.find(Id::new(1)).await.unwrap().unwrap().name, "North");
        assert!(zoos.find(Id::new(9)).await.unwrap().is_none());
        let elsewhere = bed.store.of::<Animal>().within(Id::new(2));
        assert!(elsewhere.find(Id::new(1)).await.unwrap().is_none());
        assert!(zoos.get(Id::new(9)).await.unwrap_err().is_not_found());
        let first = zoos.first(&Zoo::query().sort(|zoo| zoo.name.desc())).await.unwrap();
        assert_eq!(first.unwrap().name, "South");
        let none = Zoo::query().filter(|zoo| zoo.name.eq("none"));
        assert!(zoos.first(&none).await.unwrap().is_none());
        assert!(!zoos.exists(&none).await.unwrap() && zoos.exists(&Query::new()).await.unwrap());
    });
}

#[test]
fn a_count_is_of_all_pages() {
    let bed = bed();
    wait(async {
        let animals = bed.store.of::<Animal>();
        assert_eq!(animals.count(&Query::new().limit(2).offset(3)).await.unwrap(), 14);
        let some = Animal::query().filter(|animal| animal.name.one_of(["animal 1", "animal 9"]));
        assert_eq!(animals.count(&some).await.unwrap(), 2);
        assert_eq!(animals.within(Id::new(1)).count(&some).await.unwrap(), 1);
    });
}

#[test]
fn a_stream_has_every_member_once_and_ends_after_an_error() {
    let bed = bed();
    wait(async {
        let query = Animal::query().sort(|animal| animal.name.asc()).limit(4);
        let mut members = bed.store.of::<Animal>().stream(&query);
        let mut ids = vec![];
        while let Some(animal) = members.next().await {
            ids.push(animal.unwrap().id);
        }
        ids.sort_by_key(|id| format!("{id:?}"));
        ids.dedup();
        assert_eq!(ids.len(), 14);
        assert!(members.next().await.is_none());

        let mut broken = bed.store.of::<Animal>().within(Id::new(9)).stream(&query);
        let broken = &mut broken;
        let first = poll_fn(|context| Pin::new(&mut *broken).poll_next(context)).await;
        assert!(first.unwrap().unwrap_err().is_not_found());
        assert!(broken.next().await.is_none());
    });
}

#[test]
fn a_cursor_stays_valid_when_a_condition_is_added() {
    let bed = bed();
    wait(async {
        let animals = bed.store.of::<Animal>().within(Id::new(1));
        let query = Animal::query().limit(3);
        let cursor = animals.list(&query).await.unwrap().next_cursor().unwrap();
        let more = query.after(&cursor).filter(|animal| animal.name.ne("animal 4"));
        let page = animals.list(&more).await.unwrap();
        assert_eq!((page.len(), page.is_empty()), (3, false));
        let names: Vec<_> = page.into_members().into_iter().map(|one| one.name.clone()).collect();
        assert_eq!(names, ["animal 3", "animal 5", "animal 6"]);
    });
}
