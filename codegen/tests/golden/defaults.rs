use nouns::{Api, Date, Decimal, Id, Resource, Time, Timestamp, Uuid};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// Its id.
    pub id: Id<Self>,
    /// Its `text`.
    #[resource(default = "say \"hi\" \\ and\nbye", example = "5")]
    pub text: Option<String>,
    /// Its `whole`.
    #[resource(default = -5, example = 5)]
    pub whole: Option<i64>,
    /// Its `real`.
    #[resource(default = 1, example = 2.5)]
    pub real: Option<f64>,
    /// Its `tiny`.
    #[resource(default = -1e-300, example = 0.001)]
    pub tiny: Option<f64>,
    /// Its `exact`.
    #[resource(default = "0.50", scale = 2, example = "-12.30")]
    pub exact: Option<Decimal>,
    /// Its `truth`.
    #[resource(default = false, example = true)]
    pub truth: Option<bool>,
    /// Its `day`.
    #[resource(default = "2026-11-20", example = "2026-11-21")]
    pub day: Option<Date>,
    /// Its `today`.
    #[resource(default = "$now")]
    pub today: Option<Date>,
    /// Its `clock`.
    #[resource(default = "23:59:59.5")]
    pub clock: Option<Time>,
    /// Its `instant`.
    #[resource(default = "2026-11-20T08:00:00.000000Z")]
    pub instant: Option<Timestamp>,
    /// Its `now`.
    #[resource(default = "$now")]
    pub now: Timestamp,
    /// Its `key`.
    #[resource(default = "0190b5a8-6c1f-7c3e-9d2a-3f1e5b7c9d10")]
    pub key: Option<Uuid>,
    /// Its `other_id`.
    #[resource(default = 1)]
    pub other_id: Option<Id<Thing>>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
