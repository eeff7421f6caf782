//! The names of a declaration, each with its place: what the checks across resources look at.
//!
//! `P` is a place, and the checks never know what it is: a span for a front end, the resource for a
//! program that builds an interface.

use crate::def::{Case, Routes};

/// The resources of a declaration, each name once.
#[derive(Clone, Debug)]
pub struct Outline<'d, P> {
    /// How the names of fields are spelled on the wire.
    pub case: Case,
    /// The resources, in the order of their declaration.
    pub nouns: Vec<Noun<'d, P>>,
}

/// A text and where it stands; where what it names is declared, if nobody wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'d, P> {
    /// The text.
    pub text: &'d str,
    /// Where it stands.
    pub at: P,
}

/// A resource.
#[derive(Clone, Debug)]
pub struct Noun<'d, P> {
    /// Its name.
    pub name: Placed<'d, P>,
    /// The segment of its collection.
    pub collection: Placed<'d, P>,
    /// Its table.
    pub table: Placed<'d, P>,
    /// At which URLs it is served.
    pub routes: Routes,
    /// Whether `created_at` and `updated_at` are shown.
    pub timestamps: bool,
    /// What it is nested under.
    pub parent: Option<Above<'d, P>>,
    /// The declared fields, in order.
    pub attributes: Vec<Attribute<'d, P>>,
    /// The fields that its lists name.
    pub mentions: Vec<Mention<'d, P>>,
    /// Paths of its collection in former days.
    pub moved_from: Vec<Placed<'d, P>>,
    /// Where it is for the time being.
    pub moved_to: Option<Placed<'d, P>>,
}

/// The resource under whose members a collection is nested.
#[derive(Clone, Copy, Debug)]
pub struct Above<'d, P> {
    /// Its name.
    pub resource: Placed<'d, P>,
    /// The field that holds the id of the parent.
    pub field: Placed<'d, P>,
    /// Whether every member has one.
    pub is_required: bool,
}

/// A declared field.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'d, P> {
    /// Its name.
    pub name: Placed<'d, P>,
    /// Whether it is spelled as names are; where not, that is said, and nothing else of it.
    pub is_spelled: bool,
    /// Its column.
    pub column: Placed<'d, P>,
    /// Whether null is refused.
    pub is_required: bool,
    /// Whether its values can be compared.
    pub is_ordered: bool,
    /// What it points at.
    pub reference: Option<Pointer<'d, P>>,
}

/// What a reference points at.
#[derive(Clone, Copy, Debug)]
pub struct Pointer<'d, P> {
    /// The name of the other resource; the place is that of the whole reference.
    pub resource: Placed<'d, P>,
    /// What the other member is called here.
    pub alias: Placed<'d, P>,
    /// What the members here are called there.
    pub children: Option<Placed<'d, P>>,
}

/// A field that a list names.
#[derive(Clone, Copy, Debug)]
pub struct Mention<'d, P> {
    /// The key of the list: `sort`, `unique` or `indexes`.
    pub key: &'static str,
    /// The field.
    pub field: Placed<'d, P>,
}

impl<P> Noun<'_, P> {
    /// Whether its collection is served at the top.
    #[must_use]
    pub fn is_at_top(&self) -> bool {
        self.parent.is_none() || self.routes != Routes::Nested
    }

    /// The parent below whose members its collection is served.
    #[must_use]
    pub fn nested_in(&self) -> Option<&str> {
        let parent = self.parent.as_ref().filter(|_| self.routes != Routes::Flat)?;
        Some(parent.resource.text)
    }
}
