use nouns::{Api, Date, Decimal, Id, Json, Resource, Time, Timestamp, Uuid};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// Its id.
    pub id: Id<Self>,
    /// Its `text`.
    pub text: String,
    /// Its `whole`.
    pub whole: i64,
    /// Its `real`.
    pub real: f64,
    /// Its `exact`.
    #[resource(scale = 2)]
    pub exact: Decimal,
    /// Its `truth`.
    pub truth: bool,
    /// Its `day`.
    pub day: Date,
    /// Its `clock`.
    pub clock: Time,
    /// Its `instant`.
    pub instant: Timestamp,
    /// Its `key`.
    pub key: Uuid,
    /// Its `data`.
    pub data: Json,
    /// Its `other_id`.
    pub other_id: Option<Id<Thing>>,
    /// Its `texts`.
    pub texts: Option<String>,
    /// Its `wholes`.
    pub wholes: Option<i64>,
    /// Its `reals`.
    pub reals: Option<f64>,
    /// Its `exacts`.
    #[resource(scale = 0)]
    pub exacts: Option<Decimal>,
    /// Its `truths`.
    pub truths: Option<bool>,
    /// Its `days`.
    pub days: Option<Date>,
    /// Its `clocks`.
    pub clocks: Option<Time>,
    /// Its `instants`.
    pub instants: Option<Timestamp>,
    /// Its `keys`.
    pub keys: Option<Uuid>,
    /// Its `datas`.
    pub datas: Option<Json>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
