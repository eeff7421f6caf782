//! Typed calls: what each call does, and the errors that it returns, in terms of HTTP.

use nouns_runtime::{Id, Patch, typed::Query};
use rust_decimal::Decimal;
use serde_json::json;

use super::{
    bed::{Bed, cause, keeper, refusal, sentence, wait},
    staff::{Keeper, KeeperPatch, NewKeeper},
    zoo::{Animal, AnimalPatch, NewAnimal, NewZoo, Zoo, ZooPatch},
};

fn names(page: impl IntoIterator<Item = nouns_runtime::typed::Member<Animal>>) -> Vec<String> {
    page.into_iter().map(|animal| animal.into_inner().name).collect()
}

#[test]
fn a_member_is_created_read_changed_and_deleted() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    let animals = bed.store.of::<Animal>().within(zoo);
    wait(async {
        let bella = animals
            .create(NewAnimal { weight_kg: Some(2.5), ..NewAnimal::new("Bella".into()) })
            .await
            .unwrap();
        assert_eq!((bella.zoo_id, bella.weight_kg, bella.born), (zoo, Some(2.5), None));
        assert_eq!(bella.created_at, bella.updated_at);
        assert_eq!(animals.get(bella.id).await.unwrap(), bella);
        let patch = AnimalPatch { weight_kg: None.into(), ..AnimalPatch::default() };
        let light = animals.update(bella.id, patch).await.unwrap();
        assert_eq!((light.name.as_str(), light.weight_kg), ("Bella", None));
        assert!(light.revision > bella.revision && light.created_at == bella.created_at);
        let new = NewAnimal { mother_id: Some(bella.id), ..NewAnimal::new("Bell".into()) };
        let bell = animals.replace(bella.id, new).await.unwrap();
        assert_eq!((bell.name.as_str(), bell.mother_id), ("Bell", Some(bella.id)));
        animals.delete(bell.id).await.unwrap();
        assert_eq!(
            sentence(animals.get(bell.id).await),
            "404: There is no animal `1` under zoo `1`."
        );
    });
}

#[test]
fn a_page_has_members_a_number_and_an_end() {
    let bed = Bed::new();
    let (city, hill) = (bed.zoo("City"), bed.zoo("Hill"));
    for (zoo, name) in [(city, "b"), (city, "a"), (city, "c"), (hill, "d")] {
        bed.animal(zoo, name, None);
    }
    let animals = bed.store.of::<Animal>();
    wait(async {
        let page = animals.list(&Query::new().limit(2).count()).await.unwrap();
        assert_eq!((page.has_more, page.total, page.iter().len()), (true, Some(4), 2));
        assert_eq!(names(page), ["a", "b"]);
        let city = animals.clone().within(city);
        let page = city.list(&Query::new().offset(2)).await.unwrap();
        assert_eq!((page.has_more, page.total, page.next_cursor()), (false, None, None));
        assert_eq!(names(page), ["c"]);
        let query = Query::<Animal>::new()
            .filter(|a| a.name.gt("a"))
            .filter(|a| a.name.ne("c"))
            .sort(|a| a.id.desc());
        assert_eq!(names(animals.list(&query).await.unwrap()), ["d", "b"]);
        let all = animals.list(&Query::new()).await.unwrap();
        assert_eq!((&all).into_iter().map(|animal| &*animal.name).collect::<String>(), "abcd");
    });
}

#[test]
fn several_are_created_or_none() {
    let bed = Bed::new();
    let zoos = bed.store.of::<Zoo>();
    let new = |name: &str| NewZoo::new(name.into());
    wait(async {
        let created = zoos.create_many(vec![new("a"), new("b")]).await.unwrap();
        assert_eq!(created.iter().map(|zoo| &*zoo.name).collect::<String>(), "ab");
        assert!(zoos.create_many(vec![]).await.unwrap().is_empty());
        let taken = zoos.create_many(vec![new("c"), new("a")]).await;
        assert_eq!(refusal(taken), (409, vec![("/1/name".into(), "unique")]));
        let long = zoos.create_many(vec![new("c"), new(&"x".repeat(81))]).await;
        assert_eq!(refusal(long), (422, vec![("/1/name".into(), "max_length")]));
        let many = zoos.create_many(vec![new("c"); 1001]).await;
        assert_eq!(refusal(many), (422, vec![(String::new(), "max_items")]));
        assert_eq!(zoos.list(&Query::new().count()).await.unwrap().total, Some(2));
    });
}

#[test]
fn what_a_request_may_not_say_a_program_may_not_either() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    let animals = bed.store.of::<Animal>().within(zoo);
    let new = |weight| NewAnimal { weight_kg: Some(weight), ..NewAnimal::new("Bella".into()) };
    wait(async {
        let at = |place: &str, code| vec![(place.to_owned(), code)];
        assert_eq!(refusal(animals.create(new(-1.0)).await), (422, at("/weight_kg", "minimum")));
        assert_eq!(refusal(animals.create(new(f64::NAN)).await), (422, at("/weight_kg", "type")));
        let motherless = NewAnimal { mother_id: Some(Id::new(7)), ..new(1.0) };
        assert_eq!(refusal(animals.create(motherless).await), (409, at("/mother_id", "reference")));
        let nul = NewAnimal::new("a\0b".into());
        assert_eq!(refusal(animals.create(nul).await), (422, at("/name", "type")));
        let bella = animals.create(new(1.0)).await.unwrap();
        let heavy = AnimalPatch { weight_kg: Some(f64::INFINITY).into(), ..AnimalPatch::default() };
        assert_eq!(refusal(animals.update(bella.id, heavy).await), (422, at("/weight_kg", "type")));
        let zoos = bed.store.of::<Zoo>();
        let still = sentence(zoos.delete(zoo).await);
        assert_eq!(
            still,
            "409: Members of `animals` still refer to this `zoo`; delete or change them first."
        );
        let lost = bed.store.of::<Animal>().within(Id::new(9));
        assert_eq!(sentence(lost.list(&Query::new()).await), "404: There is no zoo `9`.");
        assert_eq!(sentence(lost.create(new(1.0)).await), "404: There is no zoo `9`.");
        assert_eq!(sentence(lost.get(bella.id).await), "404: There is no zoo `9`.");
    });
}

#[test]
fn a_write_can_be_bound_to_a_revision() {
    let bed = Bed::new();
    let id = bed.zoo("City");
    let zoos = bed.store.of::<Zoo>();
    let named = |name: &str| ZooPatch { name: name.to_owned().into(), ..ZooPatch::default() };
    wait(async {
        let old = zoos.get(id).await.unwrap().revision;
        let new = zoos.update(id, named("Town")).if_match(old).await.unwrap().revision;
        let new_zoo = || NewZoo::new("Village".into());
        assert_eq!(refusal(zoos.update(id, named("Hill")).if_match(old).await).0, 412);
        assert_eq!(refusal(zoos.replace(id, new_zoo()).if_match(old).await).0, 412);
        assert_eq!(refusal(zoos.delete(id).if_match(old).await).0, 412);
        let newest = zoos.replace(id, new_zoo()).if_match(new).await.unwrap().revision;
        zoos.delete(id).if_match(newest).await.unwrap();
        assert_eq!(refusal(zoos.delete(id).if_match(newest).await).0, 404);
    });
}

#[test]
fn many_go_by_a_filter_alone() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    for name in ["a", "b", "c"] {
        bed.animal(zoo, name, None);
    }
    let animals = bed.store.of::<Animal>();
    wait(async {
        let query = || Query::<Animal>::new().filter(|a| a.name.one_of(["a", "c"]));
        let detail = "400: Deleting many members needs a filter; to delete all members, test that `id` is not null.";
        assert_eq!(sentence(animals.delete_many(&Query::new()).await), detail);
        let paged = query().sort(|a| a.name.asc()).limit(1).offset(1).count();
        let codes = refusal(animals.delete_many(&paged).await);
        let expected =
            ["sort", "limit", "offset", "count"].map(|name| (name.to_owned(), "unknown"));
        assert_eq!(codes, (400, expected.to_vec()));
        assert_eq!(animals.clone().within(zoo).delete_many(&query()).await.unwrap(), 2);
        assert_eq!(animals.delete_many(&query()).await.unwrap(), 0);
        assert_eq!(
            animals
                .delete_many(&Query::<Animal>::new().filter(|a| a.id.is_not_null()))
                .await
                .unwrap(),
            1
        );
        let lost = animals.clone().within(Id::new(9));
        assert_eq!(sentence(lost.delete_many(&query()).await), "404: There is no zoo `9`.");
    });
}

#[test]
fn a_program_sets_what_clients_only_read_or_never_see() {
    let bed = Bed::new();
    let keepers = bed.store.of::<Keeper>();
    wait(async {
        let new = NewKeeper {
            rank: Some(3),
            secret: Some("x".into()),
            badge: Some("b".into()),
            pin: Some("1".into()),
            pay: Some(Decimal::new(1050, 2)),
            notes: Some(json!({ "a": 1 })),
            ..keeper("ann", "Ann")
        };
        let ann = keepers.create(new).await.unwrap();
        assert_eq!(
            (ann.rank, ann.secret.as_deref(), ann.badge.as_deref()),
            (3, Some("x"), Some("b"))
        );
        assert_eq!((ann.pin.as_deref(), ann.pay), (Some("1"), Some(Decimal::new(1050, 2))));
        let patch = KeeperPatch {
            rank: Patch::Set(4),
            secret: Patch::Set(Some("y".into())),
            notes: Patch::Set(Some(json!({ "b": 2 }))),
            ..KeeperPatch::default()
        };
        let ann = keepers.update(ann.id.clone(), patch).await.unwrap();
        assert_eq!((ann.rank, ann.secret.as_deref()), (4, Some("y")));
        assert_eq!(
            ann.notes,
            Some(json!({ "b": 2 })),
            "a patch from a program replaces the whole JSON value"
        );
        let low = KeeperPatch { rank: Patch::Set(0), ..KeeperPatch::default() };
        assert_eq!(
            refusal(keepers.update(ann.id.clone(), low).await).1,
            [("/rank".into(), "minimum")]
        );
    });
}

#[test]
fn defaults_are_those_of_the_declaration() {
    let bed = Bed::new();
    let bob = wait(bed.store.of::<Keeper>().create(keeper("bob", "Bob"))).unwrap();
    assert_eq!((bob.rank, bob.active, bob.secret.clone(), bob.limit), (1, true, None, None));
}

#[test]
fn a_replacement_leaves_what_no_client_could_send_back() {
    let bed = Bed::new();
    let keepers = bed.store.of::<Keeper>();
    wait(async {
        let new = NewKeeper {
            rank: Some(3),
            secret: Some("x".into()),
            pin: Some("1".into()),
            limit: Some(5),
            active: Some(false),
            badge: Some("b".into()),
            ..keeper("ann", "Ann")
        };
        let ann = keepers.create(new).await.unwrap();
        let id = ann.id.clone();
        let ann = keepers.replace(id.clone(), keeper("ann", "Anna")).await.unwrap();
        let kept = (ann.rank, ann.secret.as_deref(), ann.pin.as_deref(), ann.badge.as_deref());
        assert_eq!(kept, (3, Some("x"), Some("1"), Some("b")));
        assert_eq!((&*ann.name, ann.limit, ann.active), ("Anna", None, true));
        let replacement =
            NewKeeper { rank: Some(2), badge: Some("b".into()), ..keeper("ann", "Anna") };
        assert_eq!(keepers.replace(id.clone(), replacement).await.unwrap().rank, 2);
        let other = NewKeeper { badge: Some("c".into()), ..keeper("ann", "Anna") };
        assert_eq!(
            refusal(keepers.replace(id.clone(), other).await),
            (422, vec![("/badge".into(), "read_only")])
        );
        let named = keepers.replace(id, keeper("bob", "Anna")).await;
        assert_eq!(refusal(named), (422, vec![("/id".into(), "read_only")]));
    });
}

#[test]
fn ids_of_a_program_are_checked_and_taken_once() {
    let bed = Bed::new();
    let keepers = bed.store.of::<Keeper>();
    wait(async {
        let secret = NewKeeper { secret: Some("x".into()), ..keeper("ann", "Ann") };
        let ann = keepers.replace(Id::new("ann".into()), secret).await.unwrap();
        assert_eq!(
            (&*ann.name, ann.secret.as_deref()),
            ("Ann", Some("x")),
            "a replacement must create a member that does not exist"
        );
        assert_eq!(
            refusal(keepers.create(keeper("ann", "Bea")).await),
            (409, vec![("/id".into(), "unique")])
        );
        let same = keepers.create(keeper("bea", "ANN")).await;
        assert_eq!(refusal(same), (409, vec![("/name".into(), "unique")]));
        assert_eq!(
            refusal(keepers.create(keeper("..", "Dot")).await),
            (422, vec![("/id".into(), "format")])
        );
        let dots = || Id::new("..".into());
        let gone = "404: `..` is not an id of `keeper`.";
        assert_eq!(sentence(keepers.replace(dots(), keeper("..", "Dot")).await), gone);
        assert_eq!(sentence(keepers.get(dots()).await), gone);
        assert_eq!(sentence(keepers.delete(dots()).await), gone);
    });
}

#[test]
fn values_that_no_column_can_hold_are_refused() {
    let bed = Bed::new();
    let keepers = bed.store.of::<Keeper>();
    // A program may nest as deep as any declaration lets a client.
    let deep = (0..101).fold(json!(1), |inner, _| json!([inner]));
    let ill = NewKeeper { pay: Some(Decimal::MAX), notes: Some(deep), ..keeper("ann", "Ann") };
    let faults = ["/pay", "/notes"].map(|place| (place.to_owned(), "type"));
    assert_eq!(refusal(wait(keepers.create(ill))), (422, faults.to_vec()));
    let null = NewKeeper { notes: Some(json!(null)), ..keeper("ann", "Ann") };
    assert_eq!(wait(keepers.create(null)).unwrap().notes, None);
}

#[test]
fn a_value_that_another_program_left_is_named() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    let id = bed.animal(zoo, "Bella", None);
    bed.database.run("UPDATE animals SET born = 'yesterday'");
    let animals = bed.store.of::<Animal>();
    let sentence = "the stored value of `born` does not fit its Rust type";
    assert_eq!(cause(wait(animals.get(id))), sentence);
    assert_eq!(cause(wait(animals.list(&Query::new()))), sentence);
}

#[test]
fn ids_are_read_and_written_as_their_keys() {
    let (zoo, keeper): (Id<Zoo>, Id<Keeper>) = (Id::new(7), Id::new("ann".into()));
    let text = serde_json::to_string(&(zoo, &keeper)).unwrap();
    assert_eq!(text, r#"[7,"ann"]"#);
    assert_eq!(serde_json::from_str::<(Id<Zoo>, Id<Keeper>)>(&text).unwrap(), (zoo, keeper));
    assert!(serde_json::from_str::<Id<Zoo>>(r#""7""#).is_err());
}
