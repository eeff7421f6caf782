use nouns::{Api, FieldType, Id, Resource};

/// Größe in „Metern“ – 🦁.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Label(pub String);

/// A value of `code`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(description = "A value of `code`.")]
pub struct Code(pub String);

/// Trailing line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum Mark {
    /// The value `good`.
    Good,
    /// The value `very "good"`.
    #[field_type(value = r#"very "good""#)]
    VeryGood,
}

/// A literal text.
///
/// With a second paragraph.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Zoo {
    /// The id.
    pub id: Id<Self>,
    /// Two lines
    /// of "text" and a \ backslash.
    pub name: Option<String>,
    /// The field `city`.
    #[resource(description = " A blank before.")]
    pub city: Option<String>,
    /// The field `street`.
    #[resource(description = "The field `street`.")]
    pub street: Option<String>,
    /// The field `house`.
    #[resource(description = "    let code = 1;")]
    pub house: Option<String>,
    /// The field `flat`.
    #[resource(description = "A tab\there.")]
    pub flat: Option<String>,
    /// / A slash, and [a link].
    pub floor: Option<String>,
    /// The field `door`.
    #[resource(description = "Backwards: \u{202e}.")]
    pub door: Option<String>,
    /// The field `fence`.
    #[resource(description = "```\nlet code = 1;\n```")]
    pub fence: Option<String>,
    /// One.
    ///
    ///   Two, indented by two.
    ///
    /// Three.
    pub gap: Option<String>,
    /// It is a very long description that no line of one hundred characters could hold, because it goes on and on.
    pub long: Option<String>,
}

/// One `animal`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(description = "One `animal`.")]
pub struct Animal {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    pub name: Option<Label>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .field_type::<Label>()
        .field_type::<Code>()
        .field_type::<Mark>()
        .resource::<Zoo>()
        .resource::<Animal>()
}
