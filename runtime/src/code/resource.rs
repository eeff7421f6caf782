//! A declared resource as a Rust type.

pub use crate::model::id::{Id, Key, Keyed, NoParent, ParentId};
use crate::{
    code::typed::Query,
    model::{
        def::{ResourceDef, TypeDef},
        slots::{Slots, Unreadable},
    },
};

/// Reads itself from the slots of a member, and writes itself into them.
pub trait Stored: Sized + Send + 'static {
    /// Reads a value.
    ///
    /// # Errors
    /// Where a slot has what its Rust type cannot hold.
    fn read(slots: &mut Slots<'_>) -> Result<Self, Unreadable>;

    /// Says every field that it has something to say of.
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
    /// Its name: `animal_type`.
    const NAME: &'static str = Self::RESOURCE;
    /// What was declared.
    const DEF: &'static ResourceDef;
    /// The field types of the author's own that it uses.
    const TYPES: &'static [&'static TypeDef];
    /// The resources that it points at, its parent first.
    const NEIGHBOURS: &'static [&'static ResourceDef];
    /// The id of its parent: `Id<Zoo>`, `Option<Id<Zoo>>` where a member may have none, or
    /// [`NoParent`].
    type Parent: ParentId;
    /// What a new member says: `NewAnimal`.
    type New: Stored;
    /// What a change says: `AnimalPatch`.
    type Patch: Stored + Default;
    /// Its fields as tokens for queries: `AnimalFields`.
    type Fields: 'static;
    /// The tokens.
    const FIELDS: Self::Fields;

    /// The first page of all members, to be narrowed:
    /// `Animal::query().filter(|animal| animal.weight_kg.ge(2.0))`.
    #[must_use]
    fn query() -> Query<Self> {
        Query::new()
    }
}
