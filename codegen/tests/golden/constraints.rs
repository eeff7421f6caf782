use nouns::{Api, Date, Id, Resource, Time, Timestamp};

/// One `thing`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct Thing {
    /// The id.
    pub id: Id<Self>,
    /// The field `name`.
    #[resource(unique, index, ignore_case, min_length = 1, max_length = 80)]
    pub name: String,
    /// The field `code`.
    #[resource(max_length = 12, pattern = r#"^[A-Z]{3}-\d+"$"#)]
    pub code: Option<String>,
    /// The field `contact`.
    #[resource(format = email)]
    pub contact: Option<String>,
    /// The field `page`.
    #[resource(format = uri)]
    pub page: Option<String>,
    /// The field `count`.
    #[resource(minimum = -9223372036854775808, maximum = 9223372036854775807)]
    pub count: Option<i64>,
    /// The field `share`.
    #[resource(minimum = -0.5, maximum = 1e300)]
    pub share: Option<f64>,
    /// The field `born`.
    #[resource(minimum = "1850-01-01", maximum = "2100-12-31")]
    pub born: Option<Date>,
    /// The field `opens`.
    #[resource(minimum = "08:00:00", maximum = "20:30:00.5")]
    pub opens: Option<Time>,
    /// The field `seen_at`.
    #[resource(minimum = "2025-12-31T23:00:00.000000Z")]
    pub seen_at: Option<Timestamp>,
    /// The field `size`.
    #[resource(enum = [1, 2, 3])]
    pub size: Option<i64>,
    /// The field `color`.
    #[resource(enum = [red, green, blue])]
    pub color: Option<String>,
    /// The field `answer`.
    #[resource(enum = ["yes", "true", "don't know"])]
    pub answer: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API").resource::<Thing>()
}
