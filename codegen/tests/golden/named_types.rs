use nouns::{Api, Date, Decimal, FieldType, Id, Json, Resource, Time, Timestamp, Uuid};

/// A short name for people to read.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 1, max_length = 80)]
pub struct Label(pub String);

/// A value of `email`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(
    ignore_case,
    max_length = 254,
    format = email,
    example = "kim@example.org",
)]
pub struct Email(pub String);

/// A value of `work_email`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(max_length = 100, pattern = r"@example\.org$", "x-audience" = "staff")]
pub struct WorkEmail(pub Email);

/// A value of `office_email`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 12)]
pub struct OfficeEmail(pub WorkEmail);

/// A value of `money`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(scale = 2, minimum = "0.00", maximum = "1000000.00")]
pub struct Money(pub Decimal);

/// A value of `percent`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(minimum = 0, maximum = 100)]
pub struct Percent(pub i64);

/// A value of `day`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Day(pub Date);

/// A value of `moment`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Moment(pub Timestamp);

/// A value of `token`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Token(pub Uuid);

/// A value of `settings`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Settings(pub Json);

/// A value of `flag`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Flag(pub bool);

/// A value of `share`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(minimum = 0, maximum = 1)]
pub struct Share(pub f64);

/// A value of `clock`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Clock(pub Time);

/// A value of `a_1`.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(name = "a_1")]
pub struct A1(pub String);

/// One `person`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Person {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(max_length = 40)]
    pub name: Label,
    /// The field `email`.
    pub email: Option<Email>,
    /// The field `work`.
    #[resource(unique, min_length = 5)]
    pub work: Option<WorkEmail>,
    /// The field `office`.
    pub office: Option<OfficeEmail>,
    /// The field `salary`.
    #[resource(default = "11.00", minimum = "10.50", example = "2500.00")]
    pub salary: Option<Money>,
    /// The field `done`.
    #[resource(maximum = 50)]
    pub done: Option<Percent>,
    /// The field `day`.
    #[resource(default = "$now")]
    pub day: Option<Day>,
    /// The field `moment`.
    pub moment: Option<Moment>,
    /// The field `token`.
    pub token: Option<Token>,
    /// The field `settings`.
    #[resource(default = { dark = true })]
    pub settings: Option<Settings>,
    /// The field `flag`.
    #[resource(default = true)]
    pub flag: Flag,
    /// The field `share`.
    #[resource(default = 1)]
    pub share: Option<Share>,
    /// The field `clock`.
    pub clock: Option<Clock>,
    /// The field `odd`.
    pub odd: Option<A1>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .field_type::<Label>()
        .field_type::<Email>()
        .field_type::<WorkEmail>()
        .field_type::<OfficeEmail>()
        .field_type::<Money>()
        .field_type::<Percent>()
        .field_type::<Day>()
        .field_type::<Moment>()
        .field_type::<Token>()
        .field_type::<Settings>()
        .field_type::<Flag>()
        .field_type::<Share>()
        .field_type::<Clock>()
        .field_type::<A1>()
        .resource::<Person>()
}
