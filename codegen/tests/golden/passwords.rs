use nouns::{Api, FieldType, Id, Password, Resource};

/// A number to open a door.
#[derive(Clone, Debug, PartialEq, FieldType)]
#[field_type(min_length = 4, max_length = 12, pattern = "^[0-9]+$")]
pub struct Pin(pub Password);

/// One `user`.
#[derive(Clone, Debug, PartialEq, Resource)]
pub struct User {
    /// The id.
    pub id: Id<Self>,
    /// The field `email`.
    #[resource(unique)]
    pub email: String,
    /// The field `password`.
    pub password: Password,
    /// The field `passphrase`.
    #[resource(min_length = 20, max_length = 1000, hidden)]
    pub passphrase: Option<Password>,
    /// The field `recovery_code`.
    #[resource(example = "correct horse battery staple")]
    pub recovery_code: Option<Password>,
    /// The field `pin`.
    pub pin: Option<Pin>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("Accounts").field_type::<Pin>().resource::<User>()
}
