//! [`Resource`]: the trait of a struct that declares a resource.

pub use crate::model::id::{HasId, Id, Key, NoParent, ParentId};
use crate::{
    code::typed::Query,
    model::{
        def::{ResourceDef, TypeDef},
        slots::{Slots, UnreadableValue},
    },
};

/// A type that can be read from the slots (values by field) of a member, and written to them.
pub trait SlotRecord: Sized + Send + 'static {
    /// Reads a value from slots.
    ///
    /// # Errors
    /// An error if a slot contains a value that its Rust type cannot hold.
    fn read(slots: &mut Slots<'_>) -> Result<Self, UnreadableValue>;

    /// Writes each field that has a value to its slot.
    fn write(self, slots: &mut Slots<'_>);
}

/// A resource that is declared as a struct. `#[derive(Resource)]` implements the trait.
///
/// The struct has all fields of a member, including hidden and write-only fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "write `#[derive(Resource)]` above `{Self}`, or use another type"
)]
pub trait Resource: SlotRecord + HasId {
    /// The name of the resource, such as `animal_type`.
    const NAME: &'static str = Self::RESOURCE;
    /// The declaration of the resource.
    const DEF: &'static ResourceDef;
    /// The custom field types of the fields.
    const TYPES: &'static [&'static TypeDef];
    /// The resources that the fields refer to. The parent is the first.
    const NEIGHBOURS: &'static [&'static ResourceDef];
    /// The id of the parent: `Id<Zoo>`; `Option<Id<Zoo>>` if a member may have no parent;
    /// [`NoParent`] if the resource is not nested.
    type Parent: ParentId;
    /// The values that create a member, such as `NewAnimal`.
    type New: SlotRecord;
    /// The values that update a member, such as `AnimalPatch`.
    type Patch: SlotRecord + Default;
    /// A struct such as `AnimalFields`. It has a [`Field`](crate::typed::Field) for each field,
    /// from which programs build conditions and orders.
    type Fields: 'static;
    /// A [`Field`](crate::typed::Field) for each field of the resource.
    const FIELDS: Self::Fields;

    /// Creates a query for the first page of all members, to which conditions can be added:
    /// `Animal::query().filter(|animal| animal.weight_kg.ge(2.0))`.
    #[must_use]
    fn query() -> Query<Self> {
        Query::new()
    }
}
