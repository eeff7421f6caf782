use nouns::{Api, Id, Resource};

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Zoo>()
}
