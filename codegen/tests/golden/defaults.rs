use nouns::{Api, Date, Decimal, Id, Resource, Time, Timestamp, Uuid};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// The id.
    pub id: Id<Self>,
    /// The field `text`.
    #[resource(default = "say \"hi\" \\ and\nbye", example = "5")]
    pub text: Option<String>,
    /// The field `whole`.
    #[resource(default = -5, example = 5)]
    pub whole: Option<i64>,
    /// The field `real`.
    #[resource(default = 1, example = 2.5)]
    pub real: Option<f64>,
    /// The field `tiny`.
    #[resource(default = -1e-300, example = 0.001)]
    pub tiny: Option<f64>,
    /// The field `exact`.
    #[resource(default = "0.50", scale = 2, example = "-12.30")]
    pub exact: Option<Decimal>,
    /// The field `truth`.
    #[resource(default = false, example = true)]
    pub truth: Option<bool>,
    /// The field `day`.
    #[resource(default = "2026-11-20", example = "2026-11-21")]
    pub day: Option<Date>,
    /// The field `today`.
    #[resource(default = "$now")]
    pub today: Option<Date>,
    /// The field `clock`.
    #[resource(default = "23:59:59.5")]
    pub clock: Option<Time>,
    /// The field `instant`.
    #[resource(default = "2026-11-20T08:00:00.000000Z")]
    pub instant: Option<Timestamp>,
    /// The field `now`.
    #[resource(default = "$now")]
    pub now: Timestamp,
    /// The field `key`.
    #[resource(default = "0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10")]
    pub key: Option<Uuid>,
    /// The field `other_id`.
    #[resource(default = 1)]
    pub other_id: Option<Id<Thing>>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
