use nouns::{Api, Id, Json, Resource};

/// One `account`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Account {
    /// The id.
    pub id: Id<Self>,
    /// The field `rating`.
    #[resource(default = 1000, read_only)]
    pub rating: i64,
    /// The field `pin`.
    #[resource(write_only)]
    pub pin: Option<String>,
    /// The field `slug`.
    #[resource(format = slug, create_only)]
    pub slug: String,
    /// The field `note`.
    #[resource(hidden)]
    pub note: Option<String>,
    /// The field `nickname`.
    #[resource(filterable = false, sortable = false, column = "nick", deprecated)]
    pub nickname: Option<String>,
    /// The field `quiet`.
    #[resource(sortable = false)]
    pub quiet: Option<String>,
    /// The field `data`.
    #[resource(read_only)]
    pub data: Option<Json>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Account>()
}
