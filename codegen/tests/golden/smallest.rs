use nouns::{Api, Id, Resource};

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// Its id.
    pub id: Id<Self>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Zoo>()
}
