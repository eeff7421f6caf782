use nouns::{Api, Contact, Date, Id, License, Resource};

/// A park in which animals live.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, max_length = 80, example = "Tierpark")]
    pub name: String,
    /// The field `city`.
    #[resource(index, example = "Berlin")]
    pub city: Option<String>,
    /// The field `opened`.
    pub opened: Option<Date>,
}

/// A kind of animal.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct AnimalType {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, example = "Red panda")]
    pub name: String,
}

/// An animal that lives in a zoo.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent = Zoo, sort = [name])]
pub struct Animal {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Id<Zoo>,
    /// The field `name`.
    #[resource(example = "Bella")]
    pub name: String,
    /// The field `animal_type_id`.
    pub animal_type_id: Id<AnimalType>,
    /// The field `weight_kg`.
    #[resource(minimum = 0, example = 4.5)]
    pub weight_kg: Option<f64>,
    /// The day of its birth if we know it.
    pub born: Option<Date>,
}

/// Somebody who may change all this.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(collection = "admin", methods = [list, create, get, delete, delete_many])]
pub struct Admin {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, example = "ada")]
    pub name: String,
}

/// The builder of the API.
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
