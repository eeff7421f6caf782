//! What the store is asked to do: pure data, made from an action and nothing else.

mod build;
mod outcome;
mod shape;

pub use self::{
    outcome::{Outcome, Refusal},
    shape::{Filter, Op, Place, Shape, Step, View},
};
use crate::{
    model::{FieldIx, ResourceIx},
    value::Value,
};

/// What a request needs of the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What must hold before anything is done.
    pub guard: Guard,
    /// The tables whose change changes the answer.
    pub reads: Vec<ResourceIx>,
    /// The tables that change, with those that foreign keys change.
    pub writes: Vec<ResourceIx>,
    /// What is done, in order; all or nothing.
    pub steps: Vec<Step>,
    /// What is done instead of refusing, where the only step finds no member: the creating half of PUT.
    pub otherwise: Option<Step>,
}

/// What must hold before anything is done, tested in the snapshot or transaction of the steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Guard {
    /// Stands for everything but the database that a collection's validator depends on.
    pub seed: u64,
    /// `If-Match`.
    pub if_match: Option<Tags>,
    /// `If-None-Match`.
    pub if_none_match: Option<Tags>,
    /// Read-only members that the body repeats: each must be the stored value.
    pub echoes: Vec<Echo>,
}

impl Guard {
    /// Whether there is nothing that a writing step has to look at first.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.if_match.is_none() && self.if_none_match.is_none() && self.echoes.is_empty()
    }
}

/// The entity tags of a precondition, each by the number it carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tags {
    /// `*`: any current representation.
    Any,
    /// Revisions of a member, or validators of a collection.
    Listed(Vec<u64>),
}

impl Tags {
    /// Whether one of them is the current one; `None` where there is no representation.
    #[must_use]
    pub fn include(&self, current: Option<u64>) -> bool {
        match (self, current) {
            (_, None) => false,
            (Self::Any, Some(_)) => true,
            (Self::Listed(tags), Some(current)) => tags.contains(&current),
        }
    }
}

/// A read-only member of a body, and the value it claims.
#[derive(Clone, Debug, PartialEq)]
pub struct Echo {
    /// The field.
    pub field: FieldIx,
    /// What the body says it is.
    pub value: Value,
}
