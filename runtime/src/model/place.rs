//! [`Place`]: a resource, the number of its ancestors in a URL, and access rules. [`Chain`]: a
//! resource and the ids of its ancestors in a URL.

use std::hash::{Hash, Hasher};

use super::{ResourceIx, RuleSet, value::Value};

/// The rows that an SQL statement may read or write: a resource, the number of its ancestors in the
/// URL, and the access rules of the caller.
///
/// The depth of a flat (not nested) URL is 0. The statement itself checks that each ancestor
/// exists. It neither returns nor changes rows that the access rules hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The resource whose rows the statement reads or writes.
    pub resource: ResourceIx,
    /// The number of ancestors in the URL.
    pub depth: u8,
    /// The access rules of the caller.
    pub(crate) rules: RuleSet,
    /// The change that the caller must be allowed to make of a row that is read. `None` if it is
    /// only read.
    pub(crate) intent: Option<RowChange>,
}

/// A change of a row that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowChange {
    /// The row is updated or replaced.
    Update,
    /// The row is deleted.
    Delete,
}

/// A hash of one number, since each statement is looked up by its shape.
impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let intent = match self.intent {
            None => 0,
            Some(RowChange::Update) => 1,
            Some(RowChange::Delete) => 2,
        };
        let small = u64::from(self.resource.0) | u64::from(self.depth) << 16 | intent << 24;
        state.write_u64(small | u64::from(self.rules.number()) << 32);
    }
}

impl Place {
    /// Creates a place without access rules, for statements that the program itself runs.
    #[must_use]
    pub const fn new(resource: ResourceIx, depth: u8) -> Self {
        Self { resource, depth, rules: RuleSet::NONE, intent: None }
    }

    /// The place of the given resource in a URL without ancestors. The access rules are those of
    /// `self`.
    pub(crate) const fn flat(self, resource: ResourceIx) -> Self {
        Self { resource, depth: 0, rules: self.rules, intent: None }
    }

    /// The same place, with only those of the rows that the caller may change in this way.
    pub(crate) const fn to_change(self, change: RowChange) -> Self {
        Self { intent: Some(change), ..self }
    }

    /// The same place, with all rows that the caller may read.
    pub(crate) const fn to_read(self) -> Self {
        Self { intent: None, ..self }
    }
}

/// The choice of the fields that a statement returns for each member. The member's revision comes
/// before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The fields that clients can read, in order.
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
        Place { resource: self.resource, depth, rules, intent: None }
    }
}
