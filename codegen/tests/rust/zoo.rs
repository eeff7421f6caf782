//! The twin of schemas/zoo.yaml.

use nouns::{Api, Contact, Date, Id, License, Resource};

/// A park in which animals live.
#[derive(Resource)]
struct Zoo {
    id: Id<Self>,
    #[resource(unique, max_length = 80, example = Tierpark)]
    name: String,
    #[resource(index, example = Berlin)]
    city: Option<String>,
    opened: Option<Date>,
}

/// A kind of animal.
#[derive(Resource)]
struct AnimalType {
    id: Id<Self>,
    #[resource(unique, example = "Red panda")]
    name: String,
}

/// An animal that lives in a zoo.
#[derive(Resource)]
#[resource(parent = Zoo, sort = [name], limit(default = 20, maximum = 100))]
struct Animal {
    id: Id<Animal>,
    zoo_id: Id<Zoo>,
    #[resource(example = Bella)]
    name: String,
    animal_type_id: Id<AnimalType>,
    #[resource(minimum = 0, example = 4.5)]
    weight_kg: Option<f64>,
    /// The day of its birth if we know it.
    born: Option<Date>,
}

/// Somebody who may change all this.
#[derive(Resource)]
#[resource(collection = admin, methods = [list, create, get, delete, delete_many])]
struct Admin {
    id: Id<Self>,
    #[resource(unique, example = ada)]
    name: String,
}

pub fn api() -> Api {
    Api::new("City zoos")
        .description("The zoos of our city and the animals that live in them.")
        .contact(Contact::new().name("The zoo office").email("office@zoo.example.org"))
        .license(License::new("CC BY 4.0").identifier("CC-BY-4.0"))
        .resource::<Zoo>()
        .resource::<AnimalType>()
        .resource::<Animal>()
        .resource::<Admin>()
}
