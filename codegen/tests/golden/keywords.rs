use nouns::{Api, FieldType, Id, Resource};

/// A value of `super`.
#[derive(Clone, Debug, PartialEq, FieldType)]
pub struct Super(pub String);

/// A value of `crate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FieldType)]
pub enum Crate {
    /// The value `self`.
    Self_,
    /// The value `super`.
    Super,
    /// The value `crate`.
    Crate,
    /// The value `fn`.
    Fn,
}

/// One `type`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(sort = [-type, self, "-true"], unique = [[type, "true"], [fn]])]
pub struct Type {
    /// The id.
    pub id: Id<Self>,
    /// The field `type`.
    pub r#type: Option<String>,
    /// The field `self`.
    #[resource(name = "self")]
    pub self_: Option<String>,
    /// The field `crate`.
    #[resource(name = "crate")]
    pub crate_: Option<Crate>,
    /// The field `super`.
    #[resource(name = "super")]
    pub super_: Option<Super>,
    /// The field `fn`.
    pub r#fn: Option<i64>,
    /// The field `async`.
    pub r#async: bool,
    /// The field `true`.
    pub r#true: Option<String>,
    /// The field `gen`.
    pub r#gen: Option<Id<Match>>,
}

/// One `match`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Type, field = self))]
pub struct Match {
    /// The id.
    pub id: Id<Self>,
    /// The `type` that the member belongs to.
    pub self_: Id<Type>,
    /// The field `loop`.
    pub r#loop: Option<String>,
}

/// One `self`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(indexes = [["null"]])]
pub struct Self_ {
    /// The id.
    pub id: Id<Self>,
    /// The field `null`.
    pub null: Option<String>,
}

/// The builder of the API.
pub fn api() -> Api {
    Api::new("API")
        .field_type::<Super>()
        .field_type::<Crate>()
        .resource::<Type>()
        .resource::<Match>()
        .resource::<Self_>()
}
