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
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `day`.
    pub day: nouns::Date,
    /// Its `date_id`.
    pub date_id: std::option::Option<nouns::Id<Date>>,
}

/// One `string`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct String {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `name`.
    pub name: std::string::String,
    /// Its `text`.
    pub text: std::option::Option<Text>,
}

/// One `option`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Option {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `name`.
    pub name: std::option::Option<std::string::String>,
}

/// One `id`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Id {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `option_id`.
    pub option_id: std::option::Option<nouns::Id<Option>>,
    /// Its `case`.
    pub case: std::option::Option<Case>,
}

/// One `resource`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Resource {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `name`.
    pub name: std::option::Option<nouns::Json>,
}

/// One `field_type`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct FieldType {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `at`.
    pub at: std::option::Option<Timestamp>,
}

/// One `contact`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Contact {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `name`.
    pub name: std::option::Option<std::string::String>,
}

/// One `api`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Api {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `zoo`.
    pub zoo: std::option::Option<Uuid>,
}

/// One `clone`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Clone {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `size`.
    #[resource(scale = 1)]
    pub size: std::option::Option<Decimal>,
}

/// One `debug`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Debug {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `vec`.
    pub vec: std::option::Option<Time>,
}

/// One `json`.
#[derive(Clone, Debug, PartialEq, nouns::Resource)]
pub struct Json {
    /// Its id.
    pub id: nouns::Id<Self>,
    /// Its `value`.
    pub value: std::option::Option<nouns::Json>,
}

/// The interface, to be served or extended.
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
