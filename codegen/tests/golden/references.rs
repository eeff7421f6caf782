use nouns::{Api, Id, Resource};

/// One `team`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Team {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: String,
    /// The field `captain_id`.
    #[resource(references(on_delete = set_null))]
    pub captain_id: Option<Id<Player>>,
}

/// One `player`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = uuid)]
pub struct Player {
    /// The id.
    pub id: Id<Self>,
    /// The field `team_id`.
    #[resource(references(on_delete = cascade, children = players))]
    pub team_id: Id<Team>,
    /// The field `mentor_id`.
    #[resource(references(as = teacher, on_delete = set_null, children = pupils))]
    pub mentor_id: Option<Id<Player>>,
    /// The field `country`.
    #[resource(default = "de", index, example = "fr")]
    pub country: Id<Country>,
    /// Where it began.
    #[resource(references(children = type), default = 7, "x-note" = "kept")]
    pub home_id: Option<Id<Team>>,
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
    Api::new("API").resource::<Team>().resource::<Player>().resource::<Country>()
}
