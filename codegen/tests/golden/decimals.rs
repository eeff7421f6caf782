use nouns::{Api, Decimal, FieldType, Id, Resource};

/// A value of `price`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(scale = 2, minimum = "0.50", maximum = "1000.00")]
pub struct Price(pub Decimal);

/// A value of `low_price`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(maximum = "10.00")]
pub struct LowPrice(pub Price);

/// One `offer`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Offer {
    /// The id.
    pub id: Id<Self>,
    /// The field `whole`.
    #[resource(default = "0", scale = 0, maximum = "123456789012345678")]
    pub whole: Option<Decimal>,
    /// The field `fine`.
    #[resource(scale = 18, example = "0.000000000000000001")]
    pub fine: Option<Decimal>,
    /// The field `price`.
    #[resource(default = "7.00", minimum = "1.00")]
    pub price: Price,
    /// The field `lower`.
    #[resource(example = "1.50")]
    pub lower: Option<LowPrice>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").field_type::<Price>().field_type::<LowPrice>().resource::<Offer>()
}
