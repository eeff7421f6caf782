use nouns::{Api, Id, Json, Resource};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// Its id.
    pub id: Id<Self>,
    /// Its `nothing`.
    #[resource(default = null)]
    pub nothing: Option<Json>,
    /// Its `truth`.
    #[resource(default = true, example = false)]
    pub truth: Option<Json>,
    /// Its `number`.
    #[resource(default = -2.50, example = -1e40)]
    pub number: Option<Json>,
    /// Its `big`.
    #[resource(default = 9999999999999999999)]
    pub big: Option<Json>,
    /// Its `text`.
    #[resource(default = "$now", example = "")]
    pub text: Option<Json>,
    /// Its `list`.
    #[resource(default = [], example = [1, [2, "x"], null])]
    pub list: Option<Json>,
    /// Its `object`.
    #[resource(
        default = {},
        example = {
            type = "a",
            "two words" = { "true" = null, deep = [{ a = 1 }] },
            "" = 0,
            "Big" = 1,
        },
    )]
    pub object: Option<Json>,
    /// Its `long`.
    #[resource(
        default = {
            alpha = ["one", "two", "three", "four", "five"],
            beta = ["six", "seven", "eight", "nine"],
            gamma = { delta = "epsilon" },
        },
    )]
    pub long: Option<Json>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
