//! Uses of a resource that has a mistake are not reported as more mistakes.

use nouns::{FieldType, Id, Patch, Resource, Store};

#[derive(Clone, Debug, FieldType)]
#[field_type(format = emial)]
struct Email(String);

#[derive(Resource)]
struct City {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = City, srot = [name])]
struct Zoo {
    id: Id<Self>,
    city_id: Id<City>,
    name: String,
    #[resource(default = true)]
    open: bool,
    contact: Option<Email>,
}

#[derive(Resource)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
}

async fn rename(store: &Store, city: Id<City>, id: Id<Zoo>) -> Result<(), nouns::Error> {
    let zoos = store.of::<Zoo>().within(city);
    let new = NewZoo { contact: None, ..NewZoo::new("a".into()) };
    zoos.create(new.clone()).await?;
    let patch = ZooPatch { name: Patch::Set(String::new()), ..ZooPatch::default() };
    zoos.update(id, patch.clone()).await?;
    zoos.list(&Zoo::query().filter(|zoo| zoo.name.eq("a")).sort(|zoo| zoo.created_at.asc())).await?;
    let _ = NewAnimal::new(id);
    Ok(())
}

fn main() {}
