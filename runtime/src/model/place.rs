//! Places: a resource below its ancestors, with their ids or without.

use super::{ResourceIx, RuleSet, value::Value};

/// The place where a statement works, and its access rules: a resource, and the number of ancestors
/// in the URL.
///
/// The depth of the flat URL is 0. The statement itself checks every link of the chain. It neither
/// returns nor changes rows that its rules hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The resource.
    pub resource: ResourceIx,
    /// The number of ancestors.
    pub depth: u8,
    /// The access rules of the caller.
    pub(crate) rules: RuleSet,
}

impl Place {
    /// Creates a place without access rules, for the system.
    #[must_use]
    pub const fn new(resource: ResourceIx, depth: u8) -> Self {
        Self { resource, depth, rules: RuleSet::NONE }
    }

    /// Another resource without ancestors, with the same rules.
    pub(crate) const fn flat(self, resource: ResourceIx) -> Self {
        Self { resource, depth: 0, rules: self.rules }
    }
}

/// The fields of a member that a statement returns, after the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The fields of a representation, in order.
    Shown,
    /// All fields, in order, for Rust programs.
    Whole,
}

/// A place in the URLs: a resource, and the ids of the ancestors in the path, outermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The resource.
    pub resource: ResourceIx,
    /// The ids.
    pub ids: Vec<Value>,
}

/// The URL of a member: the chain of its collection, and its id.
#[derive(Clone, Copy, Debug)]
pub struct MemberPath<'a> {
    /// The chain.
    pub chain: &'a Chain,
    /// The id.
    pub id: &'a Value,
}

impl Chain {
    /// The place of the chain, for a caller with these rules.
    ///
    /// # Panics
    /// It does not panic for a chain from routing, since linking limits the depth of nesting.
    #[must_use]
    pub fn place(&self, rules: RuleSet) -> Place {
        let depth = u8::try_from(self.ids.len()).expect("linking bounds the depth");
        Place { resource: self.resource, depth, rules }
    }
}
