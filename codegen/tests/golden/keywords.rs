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
    /// Its id.
    pub id: Id<Self>,
    /// Its `type`.
    pub r#type: Option<String>,
    /// Its `self`.
    #[resource(name = "self")]
    pub self_: Option<String>,
    /// Its `crate`.
    #[resource(name = "crate")]
    pub crate_: Option<Crate>,
    /// Its `super`.
    #[resource(name = "super")]
    pub super_: Option<Super>,
    /// Its `fn`.
    pub r#fn: Option<i64>,
    /// Its `async`.
    pub r#async: bool,
    /// Its `true`.
    pub r#true: Option<String>,
    /// Its `gen`.
    pub r#gen: Option<Id<Match>>,
}

/// One `match`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(parent(resource = Type, field = self))]
pub struct Match {
    /// Its id.
    pub id: Id<Self>,
    /// The `type` it belongs to.
    pub self_: Id<Type>,
    /// Its `loop`.
    pub r#loop: Option<String>,
}

/// One `self`.
#[derive(Clone, Debug, PartialEq, Resource)]
#[resource(indexes = [["null"]])]
pub struct Self_ {
    /// Its id.
    pub id: Id<Self>,
    /// Its `null`.
    pub null: Option<String>,
}

/// The interface, to be served or extended.
pub fn api() -> Api {
    Api::new("API")
        .field_type::<Super>()
        .field_type::<Crate>()
        .resource::<Type>()
        .resource::<Match>()
        .resource::<Self_>()
}
