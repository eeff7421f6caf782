use nouns::{Api, FieldType, Id, Resource};

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum Status {
    /// The value `draft`.
    Draft,
    /// The value `published`.
    Published,
    /// The value `on_hold`.
    OnHold,
}

/// A value of `answer`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(ignore_case, enum = ["YES", "don't know", "50%-no"], example = "YES")]
pub struct Answer(pub String);

/// A value of `keyword`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum Keyword {
    /// The value `self`.
    Self_,
    /// The value `type`.
    Type,
    /// The value `true`.
    True,
    /// The value `a_1`.
    #[field_type(value = "a_1")]
    A1,
    /// The value `x_y_z`.
    #[field_type(value = "x_y_z")]
    XYZ,
}

/// A value of `grade`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(enum = [1, 2, 3])]
pub struct Grade(pub i64);

/// A value of `sign`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(enum = ["+", "-"])]
pub struct Sign(pub String);

/// A value of `letter`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(enum = ["a", "A"])]
pub struct Letter(pub String);

/// A value of `ordinal`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(enum = ["1st", "2nd"])]
pub struct Ordinal(pub String);

/// A value of `final_status`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(enum = [published])]
pub struct FinalStatus(pub Status);

/// One `paper`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Paper {
    /// The id.
    pub id: Id<Self>,
    /// The field `status`.
    #[resource(default = "draft")]
    pub status: Status,
    /// The field `narrow`.
    #[resource(enum = [draft, on_hold])]
    pub narrow: Option<Status>,
    /// The field `answer`.
    #[resource(default = "don't know")]
    pub answer: Option<Answer>,
    /// The field `keyword`.
    pub keyword: Option<Keyword>,
    /// The field `grade`.
    #[resource(default = 2, enum = [1, 2])]
    pub grade: Option<Grade>,
    /// The field `sign`.
    pub sign: Option<Sign>,
    /// The field `letter`.
    pub letter: Option<Letter>,
    /// The field `ordinal`.
    pub ordinal: Option<Ordinal>,
    /// The field `last`.
    pub last: Option<FinalStatus>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .field_type::<Status>()
        .field_type::<Answer>()
        .field_type::<Keyword>()
        .field_type::<Grade>()
        .field_type::<Sign>()
        .field_type::<Letter>()
        .field_type::<Ordinal>()
        .field_type::<FinalStatus>()
        .resource::<Paper>()
}
