//! Where something is: a resource below others, with the ids of these or without.

use super::{ResourceIx, RuleSet, value::Value};

/// Where a statement works, and under which rules: a resource, and how many ancestors the URL names
/// above it.
///
/// 0 is the flat URL. The statement itself proves every link of the chain, and shows and changes
/// nothing that its rules hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The resource.
    pub resource: ResourceIx,
    /// The number of ancestors.
    pub depth: u8,
    /// The rules of its caller.
    pub(crate) rules: RuleSet,
}

impl Place {
    /// A place as the system sees it, under no rules.
    #[must_use]
    pub const fn new(resource: ResourceIx, depth: u8) -> Self {
        Self { resource, depth, rules: RuleSet::NONE }
    }

    /// Another resource without ancestors, under the same rules.
    pub(crate) const fn flat(self, resource: ResourceIx) -> Self {
        Self { resource, depth: 0, rules: self.rules }
    }
}

/// Which fields of a member a statement returns, after the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Those of a representation, in order.
    Shown,
    /// All of them, in order: what a program of one's own sees.
    Whole,
}

/// A place in the URLs: a resource, and the ids of the ancestors that the path names, outermost
/// first.
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
    /// The shape of it, for a caller with these rules.
    ///
    /// # Panics
    /// Never for a chain that routing made, since linking bounds the depth of nesting.
    #[must_use]
    pub fn place(&self, rules: RuleSet) -> Place {
        let depth = u8::try_from(self.ids.len()).expect("linking bounds the depth");
        Place { resource: self.resource, depth, rules }
    }
}
