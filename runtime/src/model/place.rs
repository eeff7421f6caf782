//! Where something is: a resource below others, with the ids of these or without.

use super::{ResourceIx, value::Value};

/// Where a statement works: a resource, and how many ancestors the URL names above it.
///
/// 0 is the flat URL. The statement itself proves every link of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The resource.
    pub resource: ResourceIx,
    /// The number of ancestors.
    pub depth: u8,
}

/// Which fields of a member a statement returns, after the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// Those of a representation, in order.
    Shown,
    /// All of them, in order: what a program of one's own sees.
    Whole,
}

/// A place in the URLs: a resource, and the ids of the ancestors that the path names, outermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The resource.
    pub resource: ResourceIx,
    /// The ids.
    pub ids: Vec<Value>,
}

impl Chain {
    /// The shape of it.
    ///
    /// # Panics
    /// Never for a chain that routing made, since linking bounds the depth of nesting.
    #[must_use]
    pub fn place(&self) -> Place {
        let depth = u8::try_from(self.ids.len()).expect("linking bounds the depth");
        Place { resource: self.resource, depth }
    }
}
