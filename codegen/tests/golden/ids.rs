use nouns::{Api, Id, Resource};

/// One `ticket`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Ticket {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `session`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = uuid)]
pub struct Session {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `invoice`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(assigned = optional))]
pub struct Invoice {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `device`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id(type = uuid, assigned = optional))]
pub struct Device {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `country`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = string)]
pub struct Country {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Ticket>()
        .resource::<Session>()
        .resource::<Invoice>()
        .resource::<Device>()
        .resource::<Country>()
}
