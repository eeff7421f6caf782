//! A [`Place`] and a [`Chain`]: a resource below its ancestors, without and with the ids of the
//! ancestors.

use super::{ResourceIx, RuleSet, value::Value};

/// Where a statement works: a resource, the number of ancestors in the URL, and the access rules of
/// the caller.
///
/// The depth of a flat (not nested) URL is 0. The statement itself checks that each member of the
/// chain exists. It neither returns nor changes rows that the access rules hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The resource whose rows the statement reads or writes.
    pub resource: ResourceIx,
    /// The number of ancestors in the URL.
    pub depth: u8,
    /// The access rules of the caller.
    pub(crate) rules: RuleSet,
}

impl Place {
    /// Creates a place without access rules, for the program itself.
    #[must_use]
    pub const fn new(resource: ResourceIx, depth: u8) -> Self {
        Self { resource, depth, rules: RuleSet::NONE }
    }

    /// The place of another resource without ancestors, with the same access rules.
    pub(crate) const fn flat(self, resource: ResourceIx) -> Self {
        Self { resource, depth: 0, rules: self.rules }
    }
}

/// Which fields of a member a statement returns, after the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The fields of a representation, in order.
    Shown,
    /// All fields, in order, for Rust programs.
    Whole,
}

/// A collection by its URL: the resource, and the ids of the ancestors in the path, the outermost
/// first.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The resource of the collection.
    pub resource: ResourceIx,
    /// The ids of the ancestors.
    pub ids: Vec<Value>,
}

/// A member by its URL: the chain of its collection, and the id of the member.
#[derive(Clone, Copy, Debug)]
pub struct MemberPath<'a> {
    /// The chain of the member's collection.
    pub chain: &'a Chain,
    /// The id of the member.
    pub id: &'a Value,
}

impl Chain {
    /// The place of the chain, for a caller with these access rules.
    ///
    /// # Panics
    /// It panics if the chain has more than 255 ids. Linking limits the depth of nesting, so the
    /// chain of a URL never has.
    #[must_use]
    pub fn place(&self, rules: RuleSet) -> Place {
        let depth = u8::try_from(self.ids.len()).expect("linking limits a chain to 255 ancestors");
        Place { resource: self.resource, depth, rules }
    }
}
