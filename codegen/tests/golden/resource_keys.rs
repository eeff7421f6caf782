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
    deprecated,
)]
pub struct Zoo {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: String,
    /// Its `city`.
    pub city: Option<String>,
    /// Its `opened`.
    pub opened: Option<Date>,
}

/// One `short`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(limit(maximum = 10))]
pub struct Short {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `shorter`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(limit(default = 5, maximum = 10))]
pub struct Shorter {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `usual`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(methods = [list], limit(default = 100))]
pub struct Usual {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Zoo>()
        .resource::<Short>()
        .resource::<Shorter>()
        .resource::<Usual>()
}
