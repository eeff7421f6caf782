//! Members that move to another parent: in typed calls of the store, in hooks, and in handlers.

use std::sync::{Arc, Mutex};

use nouns::{Api, Id, Member, Patch, Resource};
use serde_json::{Value as Json, json};

use crate::bed::Bed;

#[derive(Clone, Debug, PartialEq, Resource)]
struct Zoo {
    id: Id<Self>,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Zoo, movable), routes = both)]
struct House {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = House, movable))]
struct Animal {
    id: Id<Self>,
    house_id: Id<House>,
    name: String,
}

/// A member that may have no parent.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Zoo, movable, on_delete = set_null), routes = both)]
struct Stray {
    id: Id<Self>,
    zoo_id: Option<Id<Zoo>>,
    name: String,
}

/// The lines that the hooks of a test recorded, in order.
type HookLog = Arc<Mutex<Vec<String>>>;

fn api() -> Api {
    Api::new("Zoos").resource::<Zoo>().resource::<House>().resource::<Animal>().resource::<Stray>()
}

/// Creates a service with zoos 1 and 2, house 1 in zoo 1, house 2 in zoo 2, and animal 1 in house
/// 1.
fn filled(api: Api) -> Bed {
    let bed = Bed::of(api);
    for (target, name) in [
        ("POST /zoos", "a"),
        ("POST /zoos", "b"),
        ("POST /zoos/1/houses", "a"),
        ("POST /zoos/2/houses", "b"),
        ("POST /zoos/1/houses/1/animals", "Bella"),
    ] {
        assert_eq!(
            bed.ask(target, &json!({ "name": name })).0,
            201,
            "`{target}` must create a member"
        );
    }
    bed
}

fn location(headers: &http::HeaderMap) -> &str {
    headers["content-location"].to_str().unwrap()
}

#[test]
fn typed_calls_give_another_parent() {
    let bed = filled(api());
    let animals = bed.store().of::<Animal>();
    bed.wait(async {
        let to = |house: i64| AnimalPatch {
            house_id: Patch::Set(Id::new(house)),
            ..AnimalPatch::default()
        };
        let moved = animals.clone().within(Id::new(1)).update(Id::new(1), to(2)).await.unwrap();
        assert_eq!((*moved.house_id.key(), &*moved.name), (2, "Bella"));
        let gone = animals.clone().within(Id::new(1)).get(Id::new(1)).await.unwrap_err();
        assert_eq!(gone.status().as_u16(), 404);
        let dangling = animals.update(Id::new(1), to(9)).await.unwrap_err();
        assert_eq!(dangling.status().as_u16(), 409);

        let kept = animals.replace(Id::new(1), NewAnimal::new("Cora".into())).await.unwrap();
        assert_eq!((*kept.house_id.key(), &*kept.name), (2, "Cora"));
        let new = NewAnimal { house_id: Some(Id::new(1)), ..NewAnimal::new("Dora".into()) };
        let moved = animals.replace(Id::new(1), new.clone()).await.unwrap();
        assert_eq!(*moved.house_id.key(), 1);
        let elsewhere = animals.clone().within(Id::new(2)).create(new).await.unwrap_err();
        assert_eq!(
            elsewhere.status().as_u16(),
            422,
            "`create` must refuse a new member whose parent differs from the parent of the call"
        );
    });
}

#[test]
fn a_member_is_made_without_a_parent_gets_one_and_loses_it() {
    let bed = filled(api());
    let strays = bed.store().of::<Stray>();
    bed.wait(async {
        let stray = strays.create(NewStray::new("a".into())).await.unwrap();
        assert_eq!(stray.zoo_id, None);
        let inside = strays
            .clone()
            .within(Some(Id::new(2)))
            .create(NewStray::new("b".into()))
            .await
            .unwrap();
        assert_eq!(inside.zoo_id, Some(Id::new(2)));
        let new = NewStray { zoo_id: Some(Id::new(1)).into(), ..NewStray::new("c".into()) };
        assert_eq!(strays.create(new).await.unwrap().zoo_id, Some(Id::new(1)));

        let to = |zoo: Option<i64>| StrayPatch {
            zoo_id: Patch::Set(zoo.map(Id::new)),
            ..StrayPatch::default()
        };
        let inside = strays.update(stray.id, to(Some(1))).await.unwrap();
        assert_eq!(inside.zoo_id, Some(Id::new(1)));
        let kept = strays.replace(stray.id, NewStray::new("d".into())).await.unwrap();
        assert_eq!(kept.zoo_id, Some(Id::new(1)));
        let out = NewStray { zoo_id: Patch::Set(None), ..NewStray::new("d".into()) };
        assert_eq!(strays.replace(stray.id, out).await.unwrap().zoo_id, None);
        assert_eq!(strays.update(stray.id, to(Some(9))).await.unwrap_err().status().as_u16(), 409);
        let none = Stray::query().filter(|stray| stray.zoo_id.is_null());
        assert_eq!(strays.list(&none).await.unwrap().members.len(), 1);
    });
}

/// Formats the house of an animal before and after a change.
fn houses(before: Option<&Member<Animal>>, after: Option<&Member<Animal>>) -> String {
    let of = |member: Option<&Member<Animal>>| member.map(|animal| animal.house_id);
    format!("{:?} to {:?}", of(before), of(after))
}

#[test]
fn hooks_see_both_parents_and_may_give_another() {
    let lines = HookLog::default();
    let (before, within, after) = (Arc::clone(&lines), Arc::clone(&lines), Arc::clone(&lines));
    let bed = filled(api().hooks::<Animal>(move |hooks| {
        hooks
            .before_update(move |context, _, patch: AnimalPatch| {
                before.lock().unwrap().push(format!(
                    "before {:?} {:?}",
                    context.parent::<House>(),
                    patch.house_id
                ));
                async move {
                    let name = patch.name.clone();
                    let house_id = if name == Patch::Set("stray".into()) {
                        Patch::Set(Id::new(1))
                    } else {
                        patch.house_id
                    };
                    Ok(AnimalPatch { house_id, ..patch })
                }
            })
            .before_replace(|_, _, new: NewAnimal| async move {
                let house_id = if new.name == "taken back" { None } else { new.house_id };
                Ok(NewAnimal { house_id, ..new })
            })
            .within_update(move |_, change| {
                let text = houses(change.before.as_ref(), change.after.as_ref());
                within.lock().unwrap().push(format!("within {text}"));
                Ok(())
            })
            .after_update(move |_, change| {
                let after = Arc::clone(&after);
                async move {
                    let text = houses(change.before.as_ref(), change.after.as_ref());
                    after.lock().unwrap().push(format!("after {text}"));
                    Ok(())
                }
            })
    }));
    let (status, headers, json) =
        bed.ask("PATCH /zoos/1/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_eq!(
        (status, &json["house_id"]),
        (200, &json!(2)),
        "PATCH must move the animal to house 2: {json}"
    );
    assert_eq!(location(&headers), "/zoos/2/houses/2/animals/1");
    let (status, headers, _) =
        bed.ask("PATCH /zoos/2/houses/2/animals/1", &json!({ "name": "stray" }));
    assert_eq!((status, location(&headers)), (200, "/zoos/1/houses/1/animals/1"));
    let put = json!({ "name": "taken back", "house_id": 2 });
    let (status, _, json) = bed.ask("PUT /zoos/1/houses/1/animals/1", &put);
    assert_eq!(
        (status, &json["house_id"]),
        (200, &json!(1)),
        "without `house_id`, the house stays"
    );
    bed.wait(bed.store().close());
    let lines = lines.lock().unwrap().clone();
    let expected = [
        "before Some(house(1)) Set(house(2))",
        "within Some(house(1)) to Some(house(2))",
        "before Some(house(2)) Keep",
        "within Some(house(2)) to Some(house(1))",
        "after Some(house(1)) to Some(house(2))",
        "after Some(house(2)) to Some(house(1))",
    ];
    let mut found = lines.clone();
    found.sort_by_key(|line| line.starts_with("after"));
    assert_eq!(found, expected);
}

#[test]
fn a_hook_within_the_write_may_move_the_member_on() {
    let bed = filled(api().hooks::<Animal>(|hooks| {
        hooks.within_update(|tx, change| {
            let on = AnimalPatch { house_id: Patch::Set(Id::new(1)), ..AnimalPatch::default() };
            let id = change
                .after
                .as_ref()
                .map(|animal| animal.id)
                .ok_or_else(|| nouns::Error::internal("gone"))?;
            tx.as_system().of::<Animal>().update(id, on).map(drop)
        })
    }));
    let (status, headers, json) =
        bed.ask("PATCH /zoos/1/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_eq!(
        (status, &json["house_id"]),
        (200, &json!(1)),
        "the hook must move the animal back to house 1: {json}"
    );
    assert_eq!(location(&headers), "/zoos/1/houses/1/animals/1");
}

#[test]
fn a_handler_gets_the_new_parent_and_the_answer_says_the_url() {
    let bed = filled(api().hooks::<Animal>(|hooks| {
        hooks
            .instead_of_update(|context, id, patch| async move {
                context.store().of::<Animal>().update(id, patch).await
            })
            .instead_of_replace(|context, id, new| async move {
                context.store().of::<Animal>().replace(id, new).await
            })
    }));
    let (status, headers, json) =
        bed.ask("PATCH /zoos/1/houses/1/animals/1", &json!({ "house_id": 2 }));
    assert_eq!(
        (status, &json["house_id"]),
        (200, &json!(2)),
        "the handler must move the animal to house 2: {json}"
    );
    assert_eq!(location(&headers), "/zoos/2/houses/2/animals/1");
    let put = json!({ "name": "x", "house_id": 1 });
    let (status, headers, _) = bed.ask("PUT /zoos/2/houses/2/animals/1", &put);
    assert_eq!((status, location(&headers)), (200, "/zoos/1/houses/1/animals/1"));
    let (status, headers, _) = bed.ask("PUT /zoos/1/houses/1/animals/1", &json!({ "name": "y" }));
    assert_eq!((status, headers.get("content-location")), (200, None));
    assert_eq!(bed.ask("GET /zoos/1/houses/1/animals/1", &Json::Null).0, 200);
}
