use nouns::{Api, Id, Json, Resource};

/// One `account`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Account {
    /// Its id.
    pub id: Id<Self>,
    /// Its `rating`.
    #[resource(default = 1000, read_only)]
    pub rating: i64,
    /// Its `pin`.
    #[resource(write_only)]
    pub pin: Option<String>,
    /// Its `slug`.
    #[resource(format = slug, create_only)]
    pub slug: String,
    /// Its `note`.
    #[resource(hidden)]
    pub note: Option<String>,
    /// Its `nickname`.
    #[resource(filterable = false, sortable = false, column = "nick", deprecated)]
    pub nickname: Option<String>,
    /// Its `quiet`.
    #[resource(sortable = false)]
    pub quiet: Option<String>,
    /// Its `data`.
    #[resource(read_only)]
    pub data: Option<Json>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Account>()
}
