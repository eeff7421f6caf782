use nouns::{Api, Id, Resource};

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `house`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent = Zoo, routes = both, unique = [[zoo_id, name]])]
pub struct House {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Id<Zoo>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `cage`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent(resource = House, on_delete = cascade),
    sort = [-house_id, number, -created_at],
)]
pub struct Cage {
    /// The id.
    pub id: Id<Self>,
    /// The `house` that the member belongs to.
    pub house_id: Id<House>,
    /// The field `number`.
    pub number: i64,
}

/// One `animal`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Cage, field = lives_in), routes = flat)]
pub struct Animal {
    /// The id.
    pub id: Id<Self>,
    /// The `cage` that the member belongs to.
    pub lives_in: Id<Cage>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `a_1`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(name = "a_1", parent(resource = Zoo, field = type, on_delete = cascade))]
pub struct A1 {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub r#type: Id<Zoo>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `nest`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Cage, movable))]
pub struct Nest {
    /// The id.
    pub id: Id<Self>,
    /// The `cage` that the member belongs to.
    pub cage_id: Id<Cage>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `stray`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Zoo, on_delete = set_null), routes = flat)]
pub struct Stray {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Option<Id<Zoo>>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `visitor`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent(resource = Zoo, field = visits, movable),
    routes = both,
    sort = [name, visits],
)]
pub struct Visitor {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub visits: Option<Id<Zoo>>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `perch`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    parent(resource = House, field = within, on_delete = cascade, movable),
    routes = both,
)]
pub struct Perch {
    /// The id.
    pub id: Id<Self>,
    /// The `house` that the member belongs to.
    pub within: Id<House>,
    /// The field `name`.
    pub name: Option<String>,
}

/// One `leaf`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = A1, field = a_1_id))]
pub struct Leaf {
    /// The id.
    pub id: Id<Self>,
    /// The `a_1` that the member belongs to.
    pub a_1_id: Id<A1>,
    /// The field `name`.
    pub name: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .resource::<Zoo>()
        .resource::<House>()
        .resource::<Cage>()
        .resource::<Animal>()
        .resource::<A1>()
        .resource::<Nest>()
        .resource::<Stray>()
        .resource::<Visitor>()
        .resource::<Perch>()
        .resource::<Leaf>()
}
