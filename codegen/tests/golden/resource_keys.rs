use nouns::{Api, Date, Id, Resource};

/// A park in which animals live.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    methods = [list, get, delete_many],
    sort = [name, -opened, id],
    limit(default = 50, maximum = 500),
    unique = [[name, city], [opened]],
    indexes = [[city, opened]],
    timestamps = false,
    label = city,
    deprecated,
)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: String,
    /// The field `city`.
    pub city: Option<String>,
    /// The field `opened`.
    pub opened: Option<Date>,
}

/// One `short`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(limit(maximum = 10))]
pub struct Short {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `shorter`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(limit(default = 5, maximum = 10))]
pub struct Shorter {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `usual`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(methods = [list], limit(default = 100))]
pub struct Usual {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Zoo>()
        .resource::<Short>()
        .resource::<Shorter>()
        .resource::<Usual>()
}
