//! Typed queries in a background task. They have the same checks and query plans as HTTP requests.
//!
//! Run this example with `cargo run --example typed_queries`.

use std::{
    error::Error,
    io::{Write, stdout},
    sync::Arc,
};

use nouns::{Api, Id, Patch, Resource, Store, StoreOptions};

/// A park in which animals live.
#[derive(Clone, Debug, Resource)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    pub(crate) name: String,
}

/// An animal that lives in a zoo.
#[derive(Clone, Debug, Resource)]
#[resource(parent = Zoo)]
pub(crate) struct Animal {
    pub(crate) id: Id<Self>,
    pub(crate) zoo_id: Id<Zoo>,
    pub(crate) name: String,
    #[resource(minimum = 0)]
    pub(crate) weight_kg: Option<f64>,
}

/// Adds 0.5 kg to every light animal of a zoo, page by page, and returns the animals' names.
async fn feed(store: Store, zoo: Id<Zoo>) -> Result<Vec<String>, nouns::Error> {
    let animals = store.of::<Animal>().within(zoo);
    let light = Animal::query()
        .filter(|a| a.weight_kg.lt(10.0) & !a.name.eq("Rex"))
        .sort(|a| a.name.asc())
        .limit(2);
    let (mut query, mut fed) = (light.clone(), vec![]);
    loop {
        let page = animals.list(&query).await?;
        for animal in &page {
            let heavier = Patch::Set(animal.weight_kg.map(|weight| weight + 0.5));
            let patch = AnimalPatch { weight_kg: heavier, ..AnimalPatch::default() };
            fed.push(
                animals.update(animal.id, patch).if_match(animal.revision).await?.into_inner().name,
            );
        }
        let Some(next) = page.next_cursor() else { return Ok(fed) };
        query = light.clone().after(&next);
    }
}

/// Creates a zoo with animals, and calls `feed` in a separate task.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let model = Api::new("City zoos").resource::<Zoo>().resource::<Animal>().build()?;
    let path = folder.path().join("zoo.db");
    let options = StoreOptions::new(path);
    let (store, _) = Store::open(&Arc::clone(&model), &options)?;

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let zoo = store.of::<Zoo>().create(NewZoo::new("City Zoo".into())).await?;
        let animals = store.of::<Animal>().within(zoo.id);
        for (name, weight) in
            [("Bella", 2750.0), ("Ada", 4.5), ("Rani", 2.0), ("Rex", 1.0), ("Kim", 7.25)]
        {
            let new = NewAnimal { weight_kg: Some(weight), ..NewAnimal::new(name.into()) };
            animals.create(new).await?;
        }
        let fed = tokio::spawn(feed(store.clone(), zoo.id)).await??;
        writeln!(stdout(), "fed: {}", fed.join(", "))?;
        store.close().await;
        Ok(())
    })
}
