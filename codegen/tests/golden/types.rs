use nouns::{Api, Date, Decimal, Id, Json, Resource, Time, Timestamp, Uuid};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// The id.
    pub id: Id<Self>,
    /// The field `text`.
    pub text: String,
    /// The field `whole`.
    pub whole: i64,
    /// The field `real`.
    pub real: f64,
    /// The field `exact`.
    #[resource(scale = 2)]
    pub exact: Decimal,
    /// The field `truth`.
    pub truth: bool,
    /// The field `day`.
    pub day: Date,
    /// The field `clock`.
    pub clock: Time,
    /// The field `instant`.
    pub instant: Timestamp,
    /// The field `key`.
    pub key: Uuid,
    /// The field `data`.
    pub data: Json,
    /// The field `other_id`.
    pub other_id: Option<Id<Thing>>,
    /// The field `texts`.
    pub texts: Option<String>,
    /// The field `wholes`.
    pub wholes: Option<i64>,
    /// The field `reals`.
    pub reals: Option<f64>,
    /// The field `exacts`.
    #[resource(scale = 0)]
    pub exacts: Option<Decimal>,
    /// The field `truths`.
    pub truths: Option<bool>,
    /// The field `days`.
    pub days: Option<Date>,
    /// The field `clocks`.
    pub clocks: Option<Time>,
    /// The field `instants`.
    pub instants: Option<Timestamp>,
    /// The field `keys`.
    pub keys: Option<Uuid>,
    /// The field `datas`.
    pub datas: Option<Json>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
