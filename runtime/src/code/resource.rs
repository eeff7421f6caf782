//! A declared resource as a Rust type.

pub use crate::model::id::{Id, Key, Keyed, NoParent, ParentId};
use crate::{
    code::typed::Query,
    model::{
        def::{ResourceDef, TypeDef},
        slots::{Slots, Unreadable},
    },
};

/// A type that reads itself from the slots of a member, and writes itself into them.
pub trait Stored: Sized + Send + 'static {
    /// Reads a value.
    ///
    /// # Errors
    /// Where a slot has a value that its Rust type cannot hold.
    fn read(slots: &mut Slots<'_>) -> Result<Self, Unreadable>;

    /// Writes every field that has a value.
    fn write(self, slots: &mut Slots<'_>);
}

/// A resource that was declared on a struct; `#[derive(Resource)]` writes the implementation.
///
/// The struct is the whole member, hidden and write-only fields included.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Resource)]` above `{Self}`, or use another type"
)]
pub trait Resource: Stored + Keyed {
    /// Its name, such as `animal_type`.
    const NAME: &'static str = Self::RESOURCE;
    /// The declaration.
    const DEF: &'static ResourceDef;
    /// The custom field types that it uses.
    const TYPES: &'static [&'static TypeDef];
    /// The resources that it refers to, its parent first.
    const NEIGHBOURS: &'static [&'static ResourceDef];
    /// The id of its parent: `Id<Zoo>`, `Option<Id<Zoo>>` where a member may have none, or
    /// [`NoParent`].
    type Parent: ParentId;
    /// The input of a creation, such as `NewAnimal`.
    type New: Stored;
    /// The input of an update, such as `AnimalPatch`.
    type Patch: Stored + Default;
    /// Its fields as tokens for queries, such as `AnimalFields`.
    type Fields: 'static;
    /// The tokens.
    const FIELDS: Self::Fields;

    /// Starts a query with the first page of all members:
    /// `Animal::query().filter(|animal| animal.weight_kg.ge(2.0))`.
    #[must_use]
    fn query() -> Query<Self> {
        Query::new()
    }
}
