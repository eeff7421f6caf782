//! The names of a declaration, each with its place: the input of the checks across resources.
//!
//! `P` is a place, which the checks never inspect. It is a span in a front end, and a resource in a
//! program.

use crate::def::{Case, Routes};

/// The resources of a declaration, each name once.
#[derive(Clone, Debug)]
pub struct Outline<'d, P> {
    /// The spelling of field names on the wire.
    pub case: Case,
    /// The resources, in the order of their declaration.
    pub nouns: Vec<Noun<'d, P>>,
}

/// A text and its position. A derived or default text has the position of the declaration that it
/// names.
#[derive(Clone, Copy, Debug)]
pub struct PlacedText<'d, P> {
    /// The text.
    pub text: &'d str,
    /// Its position.
    pub at: P,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Noun<'d, P> {
    /// Its name.
    pub name: PlacedText<'d, P>,
    /// The segment of its collection.
    pub collection: PlacedText<'d, P>,
    /// Its table.
    pub table: PlacedText<'d, P>,
    /// The URLs at which it is served.
    pub routes: Routes,
    /// Whether members have `created_at` and `updated_at`.
    pub timestamps: bool,
    /// Its parent.
    pub parent: Option<ParentName<'d, P>>,
    /// The declared fields, in order.
    pub attributes: Vec<Attribute<'d, P>>,
    /// The fields in its lists.
    pub mentions: Vec<Mention<'d, P>>,
    /// Former paths of its collection.
    pub moved_from: Vec<PlacedText<'d, P>>,
    /// The temporary place of its collection.
    pub moved_to: Option<PlacedText<'d, P>>,
}

/// The resource under whose members a collection is nested.
#[derive(Clone, Copy, Debug)]
pub struct ParentName<'d, P> {
    /// Its name.
    pub resource: PlacedText<'d, P>,
    /// The field that holds the id of the parent.
    pub field: PlacedText<'d, P>,
    /// Whether every member has one.
    pub is_required: bool,
}

/// A declared field.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'d, P> {
    /// Its name.
    pub name: PlacedText<'d, P>,
    /// Whether its name has the form of names. If not, no other check looks at the field.
    pub is_spelled: bool,
    /// Its column.
    pub column: PlacedText<'d, P>,
    /// Whether null is refused.
    pub is_required: bool,
    /// Whether its values can be ordered.
    pub is_ordered: bool,
    /// The resource that it refers to.
    pub reference: Option<Pointer<'d, P>>,
}

/// The target of a reference.
#[derive(Clone, Copy, Debug)]
pub struct Pointer<'d, P> {
    /// The name of the other resource, at the place of the whole reference.
    pub resource: PlacedText<'d, P>,
    /// The name of the other member here.
    pub alias: PlacedText<'d, P>,
    /// The name of these members in the other resource.
    pub children: Option<PlacedText<'d, P>>,
}

/// A field in a list of fields.
#[derive(Clone, Copy, Debug)]
pub struct Mention<'d, P> {
    /// The key of the list: `sort`, `unique` or `indexes`.
    pub key: &'static str,
    /// The field.
    pub field: PlacedText<'d, P>,
}

impl<P> Noun<'_, P> {
    /// Whether its collection is served at the top.
    #[must_use]
    pub fn is_at_top(&self) -> bool {
        self.parent.is_none() || self.routes != Routes::Nested
    }

    /// The parent below whose members its collection is served, if any.
    #[must_use]
    pub fn nested_in(&self) -> Option<&str> {
        let parent = self.parent.as_ref().filter(|_| self.routes != Routes::Flat)?;
        Some(parent.resource.text)
    }
}
