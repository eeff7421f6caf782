use nouns::{Api, Contact, FieldType, Id, License, Resource};

/// A value of `label`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type("x-label" = "text")]
pub struct Label(pub String);

/// A value of `state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
#[field_type("x-state" = true)]
pub enum State {
    /// The value `on`.
    On,
    /// The value `off`.
    Off,
}

/// One `zoo`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(
    limit(maximum = 50),
    "x-zoo" = 1,
    "x-Odd.Key" = { "x y" = 2 },
    "x-limit" = 2,
    "x-fields" = "kept with the resource",
)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource("x-name" = 3)]
    pub name: Option<Label>,
}

/// One `animal`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent = Zoo, "x-parent" = 4)]
pub struct Animal {
    /// The id.
    pub id: Id<Self>,
    /// The `zoo` that the member belongs to.
    pub zoo_id: Id<Zoo>,
    /// The field `friend_id`.
    #[resource("x-field" = 6, "x-reference" = 5)]
    pub friend_id: Option<Id<Animal>>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .contact(Contact::new().name("Zoo").extension("x-contact", "1"))
        .license(License::new("MIT").extension("x-license", r#"{"a":"b\"c"}"#))
        .extension("x-top", r#"[1,"two",{"three":3}]"#)
        .extension("x-api", r#""yes""#)
        .extension("x-server", "null")
        .extension("x-types", "1.50")
        .extension("x-resources", r#""\\d""#)
        .field_type::<Label>()
        .field_type::<State>()
        .resource::<Zoo>()
        .resource::<Animal>()
}
