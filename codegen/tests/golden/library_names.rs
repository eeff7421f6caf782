use nouns::{Decimal, Time, Timestamp, Uuid};

/// A value of `text`.
#[derive(Clone, Debug, PartialEq, nouns::FieldType)]
pub struct Text(pub std::string::String);

/// A value of `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, nouns::FieldType)]
pub enum Case {
    /// The value `upper`.
    Upper,
    /// The value `lower`.
    Lower,
}

/// One `date`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Date {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `day`.
    pub day: nouns::Date,
    /// The field `date_id`.
    pub date_id: std::option::Option<nouns::Id<Date>>,
}

/// One `string`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct String {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `name`.
    pub name: std::string::String,
    /// The field `text`.
    pub text: std::option::Option<Text>,
}

/// One `option`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Option {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `name`.
    pub name: std::option::Option<std::string::String>,
}

/// One `id`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Id {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `option_id`.
    pub option_id: std::option::Option<nouns::Id<Option>>,
    /// The field `case`.
    pub case: std::option::Option<Case>,
}

/// One `resource`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Resource {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `name`.
    pub name: std::option::Option<nouns::Json>,
}

/// One `field_type`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct FieldType {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `at`.
    pub at: std::option::Option<Timestamp>,
}

/// One `contact`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Contact {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `name`.
    pub name: std::option::Option<std::string::String>,
}

/// One `api`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Api {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `zoo`.
    pub zoo: std::option::Option<Uuid>,
}

/// One `clone`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Clone {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `size`.
    #[resource(scale = 1)]
    pub size: std::option::Option<Decimal>,
}

/// One `debug`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Debug {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `vec`.
    pub vec: std::option::Option<Time>,
}

/// One `json`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Json {
    /// The id.
    pub id: nouns::Id<Self>,
    /// The field `value`.
    pub value: std::option::Option<nouns::Json>,
}

/// The builder of the API.
pub fn api() -> nouns::Api {
    nouns::Api::new("API")
        .contact(nouns::Contact::new().name("me"))
        .case(nouns::Case::Camel)
        .field_type::<Text>()
        .field_type::<Case>()
        .resource::<Date>()
        .resource::<String>()
        .resource::<Option>()
        .resource::<Id>()
        .resource::<Resource>()
        .resource::<FieldType>()
        .resource::<Contact>()
        .resource::<Api>()
        .resource::<Clone>()
        .resource::<Debug>()
        .resource::<Json>()
}
