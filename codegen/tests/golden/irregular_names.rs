use nouns::{Api, Id, Json, Resource};

/// One `child`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Child {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `news`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct News {
    /// The id.
    pub id: Id<Self>,
    /// The field `title`.
    pub title: Option<String>,
}

/// One `list`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(noun)]
pub struct List {
    /// The id.
    pub id: Id<Self>,
    /// The field `title`.
    pub title: Option<String>,
}

/// One `settings`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(collection = "settings-of-all", noun)]
pub struct Settings {
    /// The id.
    pub id: Id<Self>,
    /// The field `value`.
    pub value: Option<Json>,
}

/// One `person`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(table = "people_of_the_city")]
pub struct Person {
    /// The id.
    pub id: Id<Self>,
    /// The field `full_name`.
    #[resource(column = "name")]
    pub full_name: Option<String>,
}

/// One `admin`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(collection = "admin", table = "staff")]
pub struct Admin {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `a_1`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(name = "a_1")]
pub struct A1 {
    /// The id.
    pub id: Id<Self>,
    /// The field `b_2`.
    pub b_2: Option<String>,
    /// The field `friend_id`.
    pub friend_id: Option<Id<A1>>,
}

/// One `x_y_z`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(name = "x_y_z", parent(resource = A1, field = a_1_id))]
pub struct XYZ {
    /// The id.
    pub id: Id<Self>,
    /// The `a_1` that the member belongs to.
    pub a_1_id: Id<A1>,
    /// The field `http2_server`.
    pub http2_server: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Child>()
        .resource::<News>()
        .resource::<List>()
        .resource::<Settings>()
        .resource::<Person>()
        .resource::<Admin>()
        .resource::<A1>()
        .resource::<XYZ>()
}
