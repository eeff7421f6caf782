use nouns::{Api, Id, Resource};

/// One `ticket`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Ticket {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `session`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = uuid)]
pub struct Session {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `invoice`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(assigned = optional))]
pub struct Invoice {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `device`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(type = uuid, assigned = optional))]
pub struct Device {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// One `country`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = string)]
pub struct Country {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Ticket>()
        .resource::<Session>()
        .resource::<Invoice>()
        .resource::<Device>()
        .resource::<Country>()
}
