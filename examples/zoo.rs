//! The API of `schemas/zoo.yaml`, declared in Rust and served.
//!
//! Run this example with `cargo run --example zoo`, then `curl --json '{"name": "City Zoo"}'
//! http://127.0.0.1:8080/zoos`.

use std::error::Error;

use nouns::{Api, Contact, Date, Id, License, Resource};

/// A park in which animals live.
#[derive(Clone, Debug, PartialEq, Resource)]
pub(crate) struct Zoo {
    pub(crate) id: Id<Self>,
    #[resource(unique, max_length = 80, example = "Tierpark")]
    pub(crate) name: String,
    #[resource(index, example = "Berlin")]
    pub(crate) city: Option<String>,
    pub(crate) opened: Option<Date>,
}

/// A kind of animal.
#[derive(Clone, Debug, PartialEq, Resource)]
pub(crate) struct AnimalType {
    pub(crate) id: Id<Self>,
    #[resource(unique, example = "Red panda")]
    pub(crate) name: String,
}

/// An animal that lives in a zoo.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent = Zoo, sort = [name], limit(default = 20, maximum = 100))]
pub(crate) struct Animal {
    pub(crate) id: Id<Self>,
    pub(crate) zoo_id: Id<Zoo>,
    #[resource(example = "Bella")]
    pub(crate) name: String,
    pub(crate) animal_type_id: Id<AnimalType>,
    #[resource(minimum = 0, example = 4.5)]
    pub(crate) weight_kg: Option<f64>,
    /// The day of its birth if we know it.
    pub(crate) born: Option<Date>,
}

/// Somebody who may change all this.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(collection = "admin", methods = [list, create, get, delete, delete_many])]
pub(crate) struct Admin {
    pub(crate) id: Id<Self>,
    #[resource(unique, example = "ada")]
    pub(crate) name: String,
}

/// The API with its four resources.
pub(crate) fn api() -> Api {
    Api::new("City zoos")
        .description("The zoos of our city and the animals that live in them.")
        .contact(Contact::new().name("The zoo office").email("office@zoo.example.org"))
        .license(License::new("CC BY 4.0").identifier("CC-BY-4.0"))
        .resource::<Zoo>()
        .resource::<AnimalType>()
        .resource::<Animal>()
        .resource::<Admin>()
}

/// Serves the API until a signal stops the program.
pub(crate) fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    nouns::serve(api().open("zoo.db")?, "127.0.0.1:8080")?;
    Ok(())
}
