//! A new member of a resource with a parent must be created within a parent.

use nouns::{Id, Resource, Store};

#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
}

#[derive(Resource)]
#[resource(parent = Zoo)]
struct Animal {
    id: Id<Self>,
    zoo_id: Id<Zoo>,
    name: String,
}

fn main() {}

async fn create(store: &Store) {
    let _ = store.of::<Animal>().create(NewAnimal::new("Bella".into())).await;
}
