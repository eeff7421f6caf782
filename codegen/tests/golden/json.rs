use nouns::{Api, Id, Json, Resource};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// The id.
    pub id: Id<Self>,
    /// The field `nothing`.
    #[resource(default = null)]
    pub nothing: Option<Json>,
    /// The field `truth`.
    #[resource(default = true, example = false)]
    pub truth: Option<Json>,
    /// The field `number`.
    #[resource(default = -2.50, example = -1e40)]
    pub number: Option<Json>,
    /// The field `big`.
    #[resource(default = 9999999999999999999)]
    pub big: Option<Json>,
    /// The field `text`.
    #[resource(default = "$now", example = "")]
    pub text: Option<Json>,
    /// The field `list`.
    #[resource(default = [], example = [1, [2, "x"], null])]
    pub list: Option<Json>,
    /// The field `object`.
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
    /// The field `long`.
    #[resource(
        default = {
            alpha = ["one", "two", "three", "four", "five"],
            beta = ["six", "seven", "eight", "nine"],
            gamma = { delta = "epsilon" },
        },
    )]
    pub long: Option<Json>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
