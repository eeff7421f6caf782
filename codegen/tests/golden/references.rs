use nouns::{Api, Id, Resource};

/// One `team`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Team {
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: String,
    /// Its `captain_id`.
    #[resource(references(on_delete = set_null))]
    pub captain_id: Option<Id<Player>>,
}

/// One `player`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(id = uuid)]
pub struct Player {
    /// Its id.
    pub id: Id<Self>,
    /// Its `team_id`.
    #[resource(references(on_delete = cascade, children = players))]
    pub team_id: Id<Team>,
    /// Its `mentor_id`.
    #[resource(references(as = teacher, on_delete = set_null, children = pupils))]
    pub mentor_id: Option<Id<Player>>,
    /// Its `country`.
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
    /// Its id.
    pub id: Id<Self>,
    /// Its `name`.
    pub name: Option<String>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Team>().resource::<Player>().resource::<Country>()
}
